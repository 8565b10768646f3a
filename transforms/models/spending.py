"""What a build has paid for: one account for all its workers, that outlives them.

The ledger is a file to which lines are added, each about one call: `begun` with what the
call may cost at most, `paid` with what it did cost, `free` if it cost nothing. Each try is
a call of its own, named by the key of its request and its number. One whose end is not
entered, since its worker was killed, counts with the most that it may have cost.
"""

import dataclasses
import json
import threading
from collections import Counter
from typing import NamedTuple

from schemas.models import Budget, ModelReply, ModelRequest, Price
from schemas.records import Record
from transforms.locking import HeldFile, hold
from transforms.models.pricing import cost_of, most_output_tokens, prompt_tokens
from transforms.models.protocol import AskingStoppedError
from transforms.models.replying import count

_BEGUN, _PAID, _FREE = "begun", "paid", "free"


class BudgetSpentError(AskingStoppedError):
    """The next call might exceed what the build may spend."""


@dataclasses.dataclass(frozen=True, slots=True)
class Spent(Record):
    """What was paid for. `cost` is 0 where no price is known."""

    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


class _Use(NamedTuple):
    calls: int = 0
    prompt: int = 0
    output: int = 0

    def plus(self, other: "_Use") -> "_Use":
        return _Use(*(a + b for a, b in zip(self, other, strict=True)))

    def minus(self, other: "_Use") -> "_Use":
        return _Use(*(a - b for a, b in zip(self, other, strict=True)))


class Ledger:
    """Keeps the calls, tokens and money of a build within its budget.

    Every call is entered before it is made, with the most that it may cost. So workers that
    ask at once cannot exceed the budget together, and what is found stored when a bundle or
    a build is run again costs nothing. Of one request no more than one call may be under
    way: whoever asks has a claim on it.
    """

    def __init__(self, path: str, budget: Budget, price: Price | None = None) -> None:
        """Opens a ledger, which need not be there yet.

        Raises:
            ValueError: If the budget is one of money and there is no price.
        """
        if budget.cost is not None and price is None:
            raise ValueError("a budget of money (budget.cost) needs a price for the model")
        self._path = path
        self._budget = budget
        self._price = price
        self._lock = threading.Lock()
        self._read = 0
        self._total = _Use()
        self._begun: dict[str, _Use] = {}
        self._tries: Counter[str] = Counter()
        with self._lock, hold(path) as file:
            self._catch_up(file)

    def begin(self, request: ModelRequest) -> None:
        """Enters a call that is about to be made.

        Raises:
            BudgetSpentError: If it might exceed the budget; then it must not be made.
        """
        key = request.key
        use = _Use(1, prompt_tokens(request), most_output_tokens(request))
        with self._lock, hold(self._path) as file:
            self._catch_up(file)
            excess = self._excess(self._total.plus(use))
            if excess:
                raise BudgetSpentError(f"{excess}: {self._sentence()}")
            self._enter(file, _BEGUN, key, use)

    def pay(self, request: ModelRequest, reply: ModelReply) -> None:
        """Enters what a call did cost, once its reply is stored."""
        # A service that tells no tokens: counted as it was estimated, replies by their text.
        prompt = count(reply.prompt_tokens) or prompt_tokens(request)
        output = count(reply.output_tokens) or -(
            -len(reply.text.encode("utf-8", "surrogatepass")) // 4
        )
        with self._lock, hold(self._path) as file:
            self._catch_up(file)
            self._enter(file, _PAID, request.key, _Use(1, prompt, output))

    def lose(self, request: ModelRequest) -> None:
        """Enters that a call that was begun brought nothing, and may cost the most it can."""
        with self._lock, hold(self._path) as file:
            self._catch_up(file)
            if request.key in self._begun:
                self._enter(file, _PAID, request.key, self._begun[request.key])

    def free(self, request: ModelRequest) -> None:
        """Enters that a call that was begun did cost nothing."""
        with self._lock, hold(self._path) as file:
            self._catch_up(file)
            if request.key in self._begun:
                self._enter(file, _FREE, request.key, _Use())

    def is_open(self, key: str) -> bool:
        """Returns whether a call was begun, as far as known here, of which no end is entered.

        Such is a call whose worker was killed between storing its reply and entering it.
        """
        return key in self._begun

    def spent(self) -> Spent:
        """Returns what all workers have paid so far, and what calls under way may cost."""
        with self._lock, hold(self._path) as file:
            self._catch_up(file)
            return self._spent(self._total)

    def _spent(self, use: _Use) -> Spent:
        return Spent(*use, cost_of(use.prompt, use.output, self._price))

    def _excess(self, use: _Use) -> str:
        """Returns the first bound that would be exceeded, empty if none would."""
        spent = self._spent(use)
        budget, currency = self._budget, self._price.currency if self._price else ""
        if budget.calls is not None and spent.calls > budget.calls:
            return f"the budget of {budget.calls:,} calls (budget.calls) is spent"
        if budget.tokens is not None and use.prompt + use.output > budget.tokens:
            return f"the budget of {budget.tokens:,} tokens (budget.tokens) is spent"
        if budget.cost is not None and spent.cost > budget.cost:
            return f"the budget of {budget.cost:g} {currency} (budget.cost) is spent"
        return ""

    def _sentence(self) -> str:
        spent = self._spent(self._total)
        currency = self._price.currency if self._price else ""
        money = f", {spent.cost:.4f} {currency}" if self._price else ""
        return (
            f"{spent.calls:,} calls with {spent.prompt_tokens:,} + {spent.output_tokens:,} "
            f"tokens{money} are paid for or under way, and the next call might exceed it. All "
            "replies are stored: raise the budget in the manifest, and the same command goes on"
        )

    def _enter(self, file: HeldFile, what: str, key: str, use: _Use) -> None:
        number = self._tries[key] + (what == _BEGUN)
        data = json.dumps([what, f"{key}/{number}", *use]).encode() + b"\n"
        file.append(data)
        self._read += len(data)
        self._note(what, key, use)

    def _catch_up(self, file: HeldFile) -> None:
        """Notes what other workers entered since the last look."""
        data = file.read(self._read)
        if data and not data.endswith(b"\n"):
            # A line that was cut off by the end of its writer; no call was made after it.
            file.append(b"\n")
            data += b"\n"
        self._read += len(data)
        for line in data.splitlines():
            try:
                what, name, *use = json.loads(line)
                self._note(what, name.partition("/")[0], _Use(*map(int, use)))
            except (ValueError, TypeError, AttributeError):
                continue

    def _note(self, what: str, key: str, use: _Use) -> None:
        # What is open when the next try begins had no end: it stays paid.
        open_use = self._begun.pop(key, _Use())
        if what == _BEGUN:
            self._tries[key] += 1
            self._begun[key] = use
            self._total = self._total.plus(use)
        else:
            self._total = self._total.minus(open_use).plus(use)
