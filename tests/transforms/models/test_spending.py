"""Tests of the ledger, and of budgets."""

import dataclasses
import json
import multiprocessing

import pytest

from schemas.models import Budget, ModelReply, ModelRequest, Price, ReplyOutcome
from transforms.models.spending import BudgetSpentError, Ledger, Spent

REPLY = ModelReply(ReplyOutcome.ANSWERED, "yes", "STOP", 30, 5)
PRICE = Price(1.0, 4.0)


def request(number: int = 0, most: int = 100) -> ModelRequest:
    return ModelRequest("p", "m", "x" * 80 + f"{number:04}", "v1", (("max_output_tokens", most),))


def ledger_at(path, price=None, **budget) -> Ledger:
    return Ledger(str(path / "ledger"), Budget(**budget), price)


def test_a_call_counts_with_the_most_it_may_cost_then_with_what_it_did_cost(tmp_path):
    ledger = ledger_at(tmp_path, PRICE)
    ledger.begin(request())
    assert ledger.spent() == Spent(1, 21, 100, pytest.approx(421e-6))
    ledger.pay(request(), REPLY)
    assert ledger.spent() == Spent(1, 30, 5, pytest.approx(50e-6))


def test_what_was_paid_outlives_the_ledger_and_counts_once(tmp_path):
    first = ledger_at(tmp_path, calls=2)
    first.begin(request())
    first.pay(request(), REPLY)
    first.begin(request(1))  # And the worker was killed.
    again = ledger_at(tmp_path, calls=3)
    assert again.is_open(request(1).key)
    assert not again.is_open(request(0).key)
    again.begin(request(1))
    again.pay(request(1), REPLY)
    # The call of the one that was killed may have to be paid, though nobody has its reply.
    assert again.spent() == Spent(3, 81, 110)
    with pytest.raises(BudgetSpentError):
        again.begin(request(2))


def test_what_cost_nothing_is_free(tmp_path):
    ledger = ledger_at(tmp_path, calls=1)
    ledger.begin(request())
    ledger.free(request())
    ledger.free(request())
    ledger.free(request(7))
    assert ledger.spent() == Spent()
    ledger.begin(request(1))


def test_each_try_that_got_no_answer_counts_with_the_most_it_may_cost(tmp_path):
    ledger = ledger_at(tmp_path, calls=3)
    for _ in range(2):
        ledger.begin(request())
        ledger.lose(request())
        ledger.lose(request())
    assert ledger.spent() == ledger_at(tmp_path).spent() == Spent(2, 42, 200)
    ledger.begin(request())
    ledger.pay(request(), REPLY)
    with pytest.raises(BudgetSpentError):
        ledger.begin(request())
    names = [json.loads(line)[1] for line in (tmp_path / "ledger").read_text().splitlines()]
    assert names == [f"{request().key}/{number}" for number in (1, 1, 2, 2, 3, 3)]


@pytest.mark.parametrize("absurd", [10**30, -5])
def test_numbers_of_tokens_that_cannot_be_are_estimated(tmp_path, absurd):
    ledger = ledger_at(tmp_path)
    ledger.begin(request())
    ledger.pay(request(), dataclasses.replace(REPLY, prompt_tokens=absurd, output_tokens=absurd))
    assert ledger.spent() == Spent(1, 21, 1)


def test_a_reply_that_got_lost_is_paid_again_and_counts_again(tmp_path):
    ledger = ledger_at(tmp_path)
    for _ in range(2):
        ledger.begin(request())
        ledger.pay(request(), REPLY)
    assert ledger.spent().calls == 2


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        ({"calls": 3}, r"the budget of 3 calls \(budget.calls\) is spent: 3 calls with 90 \+ 15"),
        ({"tokens": 225}, r"the budget of 225 tokens \(budget.tokens\) is spent"),
        ({"cost": 0.00057}, r"the budget of 0.00057 USD \(budget.cost\).*tokens, 0.0001 USD are"),
    ],
)
def test_exceeding_a_budget_says_what_was_spent_and_how_to_raise_it(tmp_path, budget, sentence):
    ledger = ledger_at(tmp_path, PRICE, **budget)
    for number in range(3):
        ledger.begin(request(number))
        ledger.pay(request(number), REPLY)
    with pytest.raises(BudgetSpentError, match=sentence) as caught:
        ledger.begin(request(3))
    assert "raise the budget in the manifest" in f"{caught.value}"
    assert len(f"{caught.value}") < 400
    assert ledger.spent().calls == 3


def test_calls_under_way_count_against_the_budget(tmp_path):
    first, second = ledger_at(tmp_path, calls=2), ledger_at(tmp_path, calls=2)
    first.begin(request(0))
    second.begin(request(1))
    with pytest.raises(BudgetSpentError):
        first.begin(request(2))


def test_a_service_that_tells_no_tokens_is_estimated(tmp_path):
    ledger = ledger_at(tmp_path)
    silent = dataclasses.replace(REPLY, prompt_tokens=0, output_tokens=0, text="lone \ud800 text")
    ledger.begin(request())
    ledger.pay(request(), silent)
    assert ledger.spent() == Spent(1, 21, 4)


def test_a_budget_of_money_needs_a_price(tmp_path):
    with pytest.raises(ValueError, match="needs a price"):
        ledger_at(tmp_path, cost=1.0)


def test_lines_that_were_cut_off_or_spoiled_are_passed_over(tmp_path):
    ledger = ledger_at(tmp_path)
    ledger.begin(request())
    ledger.pay(request(), REPLY)
    with open(tmp_path / "ledger", "ab") as file:
        file.write(b'\xff{}\n[]\nnull\n["paid", "k", "x"]\n["begun", "abc", 1, 1')
    again = ledger_at(tmp_path)
    again.begin(request(1))
    assert again.spent().calls == 2
    assert ledger_at(tmp_path).spent().calls == 2


def _spend(path: str, first: int, results) -> None:
    ledger = Ledger(path, Budget(calls=50))
    begun = 0
    try:
        for number in range(first, first + 40):
            ledger.begin(request(number))
            begun += 1
            ledger.pay(request(number), REPLY)
    except BudgetSpentError:
        pass
    results.put(begun)


def test_two_processes_spend_no_more_than_the_budget_together(tmp_path):
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    path = str(tmp_path / "ledger")
    workers = [context.Process(target=_spend, args=(path, f, results)) for f in (0, 1000)]
    for worker in workers:
        worker.start()
    assert sum(results.get() for _ in workers) == 50
    for worker in workers:
        worker.join()
    assert ledger_at(tmp_path).spent().calls == 50
