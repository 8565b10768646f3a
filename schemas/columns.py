"""One declaration per column: its Python type, its Arrow type, its meaning.

A published row is a frozen dataclass whose fields are made by `column`. From that one
declaration come the Parquet schema (`arrow_schema`), the Hugging Face features inside it
(`hub_features`), the column table of a dataset card (`column_table`), the rules that a
finished build is checked by (`declared_columns`) and the plain values that the writer hands
to Arrow (`plain_values`).
"""

import dataclasses
import datetime
import enum
import functools
import json
import types
from collections.abc import Iterable
from typing import Any, get_args, get_origin, get_type_hints

import pyarrow as pa

IMAGE = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
"""Arrow type of a picture, as the Hub's `Image` feature stores it."""

_FEATURES_KEY = b"huggingface"
"""Where the Hub's library keeps its features in a schema's metadata."""

_HUB_NAMES = {
    pa.string(): "string",
    pa.bool_(): "bool",
    pa.int32(): "int32",
    pa.int64(): "int64",
    pa.float32(): "float32",
    pa.float64(): "float64",
    pa.timestamp("us", tz="UTC"): "timestamp[us, tz=UTC]",
}


class Need(enum.StrEnum):
    """What a build must have for a column to hold anything at all."""

    PICTURE = "picture"
    APP = "app"
    CATEGORY = "category"
    ANSWERS = "answers"
    SHORT_ANSWERS = "short_answers"
    EVENTS = "events"
    HIERARCHY = "hierarchy"
    LANGUAGE = "language"
    SYNC = "sync"


@dataclasses.dataclass(frozen=True, slots=True)
class Rules:
    """What the values of a column are held to, beside their type.

    `values` is the closed list of what a text may be, empty if it is free; `low` and `high`
    bound a number, both inclusive; `blank` allows a text of blanks only, or none. `needs` is
    what a build must have for the column to hold anything: in one that has it, a column that
    is null, or an empty list, in every row is a mistake. For a list they hold for each item.
    """

    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    blank: bool = False
    needs: Need | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """One column, or one field of a nested row, as it was declared.

    `path` names it: `agreement.level`, `answers[].ui_elements[].text`; a list's items are
    spelled `[]`, those of a list of texts or numbers have no path of their own.
    """

    path: str
    arrow: pa.DataType
    doc: str
    nullable: bool
    rules: Rules


def column(
    arrow: pa.DataType,
    doc: str,
    *,
    nullable: bool = False,
    default: Any = dataclasses.MISSING,
    values: Iterable[str] = (),
    low: float | None = None,
    high: float | None = None,
    blank: bool = False,
    needs: Need | None = None,
) -> Any:
    """Declares a dataclass field that is also a Parquet column.

    Args:
        arrow: The column's Arrow type; `IMAGE` for a picture, `records(T)` for a list of rows.
        doc: One sentence for the card. It says unit, order and range, and for a nullable
            column what null means.
        nullable: Whether the column may hold nulls.
        default: What older records mean that do not have the column yet.
        values: See `Rules`, as are the following.
        low: Smallest number.
        high: Largest number.
        blank: Whether a text may be blank.
        needs: What a build must have for the column to hold anything.
    """
    rules = Rules(tuple(map(str, values)), low, high, blank, needs)
    metadata = {"arrow": arrow, "doc": doc, "nullable": nullable, "rules": rules}
    return dataclasses.field(default=default, metadata=metadata)


def record(row_type: type) -> pa.DataType:
    """Returns the Arrow type of one nested row of `row_type`."""
    return pa.struct(_arrow_fields(row_type))


def records(row_type: type) -> pa.DataType:
    """Returns the Arrow type of a list of nested rows of `row_type`."""
    return pa.list_(record(row_type))


def arrow_schema(row_type: type) -> pa.Schema:
    """Returns the Parquet schema of a row type, with column docs and Hub features in it.

    Without the `huggingface` key a reader has only a plain struct to go by and shows an
    image as a dict of bytes (huggingface/datasets issue 5869). For the same reason every
    Arrow field is nullable: `datasets` compares its own, nullable field with the file's
    and drops the feature where they differ. Which column may really hold nulls is in the
    field's metadata, and `refuse_nulls` enforces it.
    """
    info = json.dumps({"info": {"features": hub_features(row_type)}})
    return pa.schema(_arrow_fields(row_type), metadata={_FEATURES_KEY: info})


def may_be_null(field: pa.Field) -> bool:
    """Whether a column, or a field of a nested row, is declared to hold nulls."""
    return bool(field.metadata[b"null"] == b"yes")


def refuse_nulls(table: pa.Table) -> None:
    """Raises a `ValueError` that names each column with nulls that is not declared to have any.

    Args:
        table: Rows with the schema of `arrow_schema`.
    """
    wrong = [
        name
        for name, column_of in zip(table.column_names, table.columns, strict=True)
        if column_of.null_count and not may_be_null(table.schema.field(name))
    ]
    if wrong:
        raise ValueError(f"nulls in {', '.join(wrong)}, which must not have any")


def hub_features(row_type: type) -> dict[str, Any]:
    """Returns the row type's features as the Hub's `datasets` library spells them in JSON.

    Lists are spelled as JSON lists, which every release reads; the newer `List` type is
    unknown to releases before 4.0 (huggingface/datasets issue 7676).
    """
    return {f.name: _hub_feature(f.metadata["arrow"]) for f in dataclasses.fields(row_type)}


def stored_features(schema: pa.Schema) -> dict[str, Any] | None:
    """Returns the Hub's features that a file's schema holds, spelled as `hub_features` does.

    None if it holds none.

    Raises:
        ValueError: If what it holds is damaged.
    """
    text = (schema.metadata or {}).get(_FEATURES_KEY)
    if text is None:
        return None
    try:
        return dict(json.loads(text)["info"]["features"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError("the features for the Hub are damaged") from error


def column_table(row_type: type) -> str:
    """Returns the row type's columns as the Markdown table of a dataset card.

    Columns of nested rows follow their parent as `parent[].name`.
    """
    lines = ["| column | type | null | meaning |", "| --- | --- | --- | --- |"]
    for declared in declared_columns(row_type):
        null = "yes" if declared.nullable else "no"
        kind = _type_name(declared.arrow)
        lines.append(f"| `{declared.path}` | {kind} | {null} | {declared.doc} |")
    return "\n".join(lines) + "\n"


def declared_columns(row_type: type) -> list[DeclaredColumn]:
    """Returns the row type's columns, those of nested rows after their parent."""
    return _declared(_arrow_fields(row_type), "")


def plain_values(row: Any) -> Any:
    """Returns `row` with every dataclass in it as a dict and every tuple as a list.

    Shallow copies only: picture bytes are passed on, not copied.
    """
    names = _field_names(type(row))  # type: ignore[arg-type]
    if names:
        return {name: plain_values(getattr(row, name)) for name in names}
    if isinstance(row, tuple | list):
        return [plain_values(item) for item in row]
    return row


def misdeclared_columns(row_type: type) -> list[str]:
    """Returns a sentence for each column whose Python type disagrees with its Arrow type."""
    hints = get_type_hints(row_type)
    problems = []
    for f in dataclasses.fields(row_type):
        optional, inner = _without_none(hints[f.name])
        if optional != f.metadata["nullable"]:
            problems.append(f"{row_type.__name__}.{f.name}: nullable in one declaration only")
        if not _python_fits(inner, f.metadata["arrow"]):
            problems.append(f"{row_type.__name__}.{f.name}: {inner} is not {f.metadata['arrow']}")
        if not f.metadata["doc"].rstrip().endswith("."):
            problems.append(f"{row_type.__name__}.{f.name}: its doc is no sentence")
        problems += [
            f"{row_type.__name__}.{f.name}: its doc does not say {value}"
            for value in f.metadata["rules"].values
            if f"`{value}`" not in f.metadata["doc"]
        ]
    return problems


@functools.cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Returns the names of a dataclass's fields, none for any other type."""
    return tuple(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


def _arrow_fields(row_type: type) -> list[pa.Field]:
    return [
        pa.field(
            f.name,
            f.metadata["arrow"],
            metadata={
                "doc": f.metadata["doc"],
                "null": "yes" if f.metadata["nullable"] else "no",
                **_plain_rules(f.metadata["rules"]),
            },
        )
        for f in dataclasses.fields(row_type)
    ]


def _hub_feature(arrow: pa.DataType) -> Any:
    if arrow == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(arrow):
        return [_hub_feature(arrow.value_type)]
    if pa.types.is_struct(arrow):
        return {f.name: _hub_feature(f.type) for f in arrow}
    return {"dtype": _HUB_NAMES[arrow], "_type": "Value"}


def _type_name(arrow: pa.DataType) -> str:
    if arrow == IMAGE:
        return "image"
    if pa.types.is_list(arrow):
        return f"list of {_type_name(arrow.value_type)}"
    if pa.types.is_struct(arrow):
        return "record"
    return str(arrow)


def _declared(fields: Iterable[pa.Field], prefix: str) -> list[DeclaredColumn]:
    found = []
    for f in fields:
        path = prefix + f.name
        found.append(
            DeclaredColumn(path, f.type, f.metadata[b"doc"].decode(), may_be_null(f), _rules_of(f))
        )
        if pa.types.is_list(f.type) and pa.types.is_struct(f.type.value_type):
            found += _declared(f.type.value_type, f"{path}[].")
        elif pa.types.is_struct(f.type) and f.type != IMAGE:
            found += _declared(f.type, f"{path}.")
    return found


def _rules_of(field: pa.Field) -> Rules:
    plain = json.loads(field.metadata.get(b"rules", b"{}"))
    needs = plain.pop("needs", None)
    values = tuple(plain.pop("values", ()))
    return Rules(values=values, needs=Need(needs) if needs else None, **plain)


def _plain_rules(rules: Rules) -> dict[str, str]:
    """Returns the rules that say anything as metadata of an Arrow field."""
    said = {
        f.name: value
        for f in dataclasses.fields(rules)
        if (value := getattr(rules, f.name)) != f.default
    }
    return {"rules": json.dumps(said)} if said else {}


def _without_none(hint: Any) -> tuple[bool, Any]:
    if get_origin(hint) is types.UnionType:
        arms = [arm for arm in get_args(hint) if arm is not type(None)]
        if len(arms) < len(get_args(hint)):
            return True, arms[0] if len(arms) == 1 else types.UnionType
    return False, hint


def _python_fits(hint: Any, arrow: pa.DataType) -> bool:
    if pa.types.is_list(arrow):
        # A NamedTuple such as Bounds is a list of its fields' one type.
        if isinstance(hint, type) and issubclass(hint, tuple):
            inner = set(get_type_hints(hint).values())
            return len(inner) == 1 and _python_fits(inner.pop(), arrow.value_type)
        return get_origin(hint) is tuple and _python_fits(get_args(hint)[0], arrow.value_type)
    if pa.types.is_struct(arrow):
        if not dataclasses.is_dataclass(hint):
            return False
        return [f.name for f in dataclasses.fields(hint)] == [f.name for f in arrow]
    if arrow == pa.string():
        return isinstance(hint, type) and issubclass(hint, str)
    return {
        pa.timestamp("us", tz="UTC"): datetime.datetime,
        pa.binary(): bytes,
        pa.bool_(): bool,
        pa.int32(): int,
        pa.int64(): int,
        pa.float32(): float,
        pa.float64(): float,
    }.get(arrow) is hint
