"""Reading YAML key by key, so that every problem is found in one go, with path and line."""

import datetime
import difflib
import enum
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import yaml

from schemas.rejects import RejectedRecordError

T = TypeVar("T")
E = TypeVar("E", bound=enum.StrEnum)

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SIZE = re.compile(r"(\d+)\s*(B|kB|MB|GB)?")
_UNITS = {None: 1, "B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3}


class Problem(NamedTuple):
    """One thing wrong in a manifest."""

    line: int
    path: str
    message: str

    def __str__(self) -> str:
        """The problem as one line, without the file's name."""
        return f"line {self.line}: {self.path or 'manifest'}: {self.message}"


class ManifestError(Exception):
    """Raised with all problems of a manifest, by line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(map(str, self.problems)))


def compose(text: str) -> Any:
    """Returns the root node of a YAML text.

    Raises:
        ManifestError: If it does not parse.
    """
    try:
        return yaml.compose(text, Loader=_NoAliases)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or str(error)
        if message.startswith("expected <block end>"):
            message = "is indented differently from the lines around it"
        raise ManifestError([Problem(mark.line + 1 if mark else 1, "", message)]) from error
    except RecursionError:
        raise ManifestError([Problem(1, "", "is nested too deeply")]) from None


class _NoAliases(yaml.SafeLoader):
    """Refuses aliases: a manifest needs none, and nested ones unfold without bound."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(
                None, None, "aliases (*name) are not supported", event.start_mark
            )
        return super().compose_node(parent, index)


class Section:
    """A mapping node that is read key by key; what is left over is unknown."""

    def __init__(self, node: Any, path: str, problems: list[Problem], line: int = 1) -> None:
        self.path = path
        self.line = node.start_mark.line + 1 if node is not None else line
        self.problems = problems
        self.is_given = node is not None
        self._values: dict[str, Any] = {}
        self._known: list[str] = []
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                name = key.value if isinstance(key, yaml.ScalarNode) else "?"
                if name in self._values:
                    self.report("written twice", name, key)
                self._values[name] = value
        elif node is not None or not path:
            self.report("must be a mapping of names to values")

    @property
    def has_problems(self) -> bool:
        """Whether something in the section, or below it, was reported."""
        return any(f"{problem.path}.".startswith(f"{self.path}.") for problem in self.problems)

    @property
    def parent_has_problems(self) -> bool:
        """Whether something in the section around this one was reported."""
        parent = self.path.rpartition(".")[0]
        return any(f"{problem.path}.".startswith(f"{parent}.") for problem in self.problems)

    def report(self, message: str, key: str = "", node: Any = None) -> None:
        line = node.start_mark.line + 1 if node is not None else self.line
        self.problems.append(Problem(line, self._path_of(key), message))

    def take(
        self,
        key: str,
        parse: Callable[[Any], T],
        default: T | None = None,
        *,
        required: bool = False,
    ) -> T:
        """Returns the parsed value of `key`, its default if absent, None after a problem."""
        self._known.append(key)
        node = self._values.get(key)
        if node is None:
            if required:
                self.report("is missing", key)
            return default  # type: ignore[return-value]
        try:
            return parse(node)
        except ValueError as error:
            self.report(str(error), key, node)
            return default  # type: ignore[return-value]

    def take_section(self, key: str) -> "Section":
        """Returns the mapping under `key`, or an empty one."""
        self._known.append(key)
        node = self._values.get(key)
        if node is None:
            return Section(None, self._path_of(key), self.problems, self.line)
        return Section(node, self._path_of(key), self.problems)

    def take_sections(self, key: str) -> list["Section"]:
        """Returns the mappings listed under `key`; a single one may stand without its list."""
        self._known.append(key)
        node = self._values.get(key)
        if node is None:
            return []
        items = node.value if isinstance(node, yaml.SequenceNode) else [node]
        path = self._path_of(key)
        return [
            Section(item, f"{path}[{number}]", self.problems) for number, item in enumerate(items)
        ]

    def take_each(
        self, key: str, parse: Callable[[str, "Section"], T]
    ) -> dict[str, tuple[T, "Section"]]:
        """Returns what `parse` makes of each named mapping under `key`."""
        outer = self.take_section(key)
        if key not in self._values:
            self.report("is missing", key)
        found = {}
        for name, node in outer._values.items():
            if not _NAME.fullmatch(name):
                outer.report("names are lower case letters, digits and _", name, node)
            inner = Section(node, outer._path_of(name), self.problems)
            found[name] = (parse(name, inner), inner)
            inner.finish()
        return found

    def names(self) -> list[str]:
        """Returns the names that the section holds, whatever they are."""
        return list(self._values)

    def take_counts(self, key: str) -> dict[str, int]:
        """Returns the whole numbers under `key` by their names, whatever these are."""
        inner = self.take_section(key)
        inner._known.extend(inner._values)
        return {name: inner.take(name, whole(0), 0) for name in inner._values}

    def finish(self) -> None:
        """Reports the keys that nothing asked for."""
        known = ", ".join(self._known[:20])
        for key, node in self._values.items():
            if key not in self._known:
                close = difflib.get_close_matches(key, self._known, n=1)
                hint = f"; did you mean {close[0]}?" if close else f"; known: {known}"
                self.report(f"unknown key{hint}", key, node)

    def _path_of(self, key: str) -> str:
        return ".".join(part for part in (self.path, key) if part)


def text(node: Any) -> str:
    """Returns a text that is not empty."""
    if not isinstance(node, yaml.ScalarNode) or node.tag.endswith(":null"):
        raise ValueError("must be a text")
    if not node.value.strip():
        raise ValueError("must not be empty")
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in node.value):
        raise ValueError("must not hold control characters")
    return str(node.value)


def names(node: Any) -> tuple[str, ...]:
    """Returns a list of texts without blanks around; a single one may stand without its list."""
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return tuple(text(item).strip() for item in items)


def each(parse_text: Callable[[str], str]) -> Callable[[Any], tuple[str, ...]]:
    """Returns a parser of a list of texts, each of which `parse_text` takes."""

    def parse(node: Any) -> tuple[str, ...]:
        try:
            return tuple(map(parse_text, names(node)))
        except RejectedRecordError as error:
            raise ValueError(error.detail) from None

    return parse


def flag(node: Any) -> bool:
    """Returns a truth value."""
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":bool"):
        return node.value.lower() in ("true", "yes", "on")
    raise ValueError("must be true or false")


def whole(smallest: int) -> Callable[[Any], int]:
    """Returns a parser of whole numbers of at least `smallest`."""

    def parse(node: Any) -> int:
        value = node.value if isinstance(node, yaml.ScalarNode) else ""
        if not re.fullmatch(r"\d[\d_]*", value) or int(value) < smallest:
            raise ValueError(f"must be a whole number of at least {smallest}")
        return int(value)

    return parse


def size(node: Any) -> int:
    """Returns a size in bytes, written as a number or as `256 MB` (decimal units)."""
    match = _SIZE.fullmatch(node.value.strip()) if isinstance(node, yaml.ScalarNode) else None
    if not match or int(match[1]) == 0:
        raise ValueError("must be a size such as 256 MB")
    return int(match[1]) * _UNITS[match[2]]


def share(node: Any) -> float:
    """Returns a share from 0 to 1."""
    try:
        value = float(node.value)
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value <= 1:
        raise ValueError("must be a share from 0 to 1")
    return value


def plain(node: Any) -> str | int | float | bool:
    """Returns a text, a number or a truth value, as YAML tells them apart."""
    value = (
        yaml.SafeLoader("").construct_object(node) if isinstance(node, yaml.ScalarNode) else None
    )
    if not isinstance(value, str | int | float | bool):
        raise ValueError("must be a text, a number or a truth value")
    return value


def amount(node: Any) -> float:
    """Returns a number of 0 or more."""
    try:
        value = float(node.value)
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ValueError("must be a number of 0 or more")
    return value


def percentage(node: Any) -> float:
    """Returns a number from 0 to 100."""
    try:
        value = float(node.value)
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value <= 100:
        raise ValueError("must be a number from 0 to 100")
    return value


def moment(node: Any) -> datetime.datetime:
    """Returns a moment with its time zone, such as 2026-01-31T12:00:00Z."""
    try:
        value = datetime.datetime.fromisoformat(text(node))
    except ValueError:
        value = None
    if value is None or value.tzinfo is None:
        raise ValueError("must be a moment with its time zone, such as 2026-01-31T12:00:00Z")
    return value.astimezone(datetime.UTC)


def choice(options: type[E]) -> Callable[[Any], E]:
    """Returns a parser of one of an enumeration's values."""

    def parse(node: Any) -> E:
        value = text(node)
        if value not in list(options):
            close = difflib.get_close_matches(value, list(options), n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ValueError(f"{value!r} is none of {', '.join(options)}{hint}")
        return options(value)

    return parse


def list_of(parse_one: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    """Returns a parser of a list, none of it twice; a single item may stand without its list."""

    def parse(node: Any) -> tuple[T, ...]:
        items = node.value if isinstance(node, yaml.SequenceNode) else [node]
        return tuple(dict.fromkeys(parse_one(item) for item in items))

    return parse


def one_of(*numbers: int) -> Callable[[Any], int]:
    """Returns a parser of one of a few format versions."""

    def parse(node: Any) -> int:
        if text(node) not in [str(number) for number in numbers]:
            raise ValueError(f"this release reads version {', '.join(map(str, numbers))}")
        return int(node.value)

    return parse


def matching(pattern: str, description: str) -> Callable[[Any], str]:
    """Returns a parser of texts that match `pattern` as a whole; `description` names them."""

    def parse(node: Any) -> str:
        value = text(node)
        if not re.fullmatch(pattern, value):
            # What looks like an address may hold a password; it is shown in no message.
            shown = "it" if "://" in value or "@" in value else repr(value)
            raise ValueError(f"{shown} is no {description}")
        return value

    return parse


def relative(node: Any) -> str:
    """Returns a path below the data folder."""
    value = text(node)
    if value.startswith(("/", "~")) or ".." in value.split("/"):
        raise ValueError("must be a path below the data folder; use --source for others")
    return value
