"""Croissant metadata of a finished build, made and validated by mlcroissant.

A file object a shard with its digest, a file set and a record set a configuration, a field a
column. Fields of a record and of a list of records are subfields. A list inside a list of
records (`answers[].ui_elements[]`) is left out and told in the description: mlcroissant 1.1
breaks off when it reads one. So that records can be read a shard at a time, `split` does not
refer to the record set of splits: a reference makes mlcroissant join whole tables in memory.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import mlcroissant as mlc
import pyarrow as pa

from pipelines.cards.facts import CardFacts
from pipelines.cards.front_matter import described
from pipelines.cards.licences import hub_licence, licence_of, licence_url
from pipelines.cards.markdown import one_line
from pipelines.errors import BuildError
from schemas.builds import CARD, CROISSANT, Shard
from schemas.columns import IMAGE, DeclaredColumn, declared_columns

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
"""1.0: mlcroissant 1.1 writes the context of this version, whichever is asked for."""

_PARQUET = "application/x-parquet"
_SPLITS = "splits"
_SPLIT = "cr:Split"

_TYPES = {
    pa.string(): mlc.DataType.TEXT,
    pa.bool_(): mlc.DataType.BOOL,
    pa.int32(): mlc.DataType.INT32,
    pa.int64(): mlc.DataType.INT64,
    pa.float32(): mlc.DataType.FLOAT32,
    pa.float64(): mlc.DataType.FLOAT64,
    pa.timestamp("us", tz="UTC"): mlc.DataType.DATETIME,
}
_MAY_LACK = ("datePublished", "license", "citeAs")
"""Recommended properties that are left out where nothing is known: a build knows no date."""


def croissant_text(facts: CardFacts, shards: Iterable[Shard]) -> str:
    """Returns a build's metadata as JSON-LD.

    Args:
        facts: What is known of the build.
        shards: Its shards.

    Raises:
        BuildError: If mlcroissant finds fault with it.
    """
    try:
        values = _metadata(facts, sorted(shards, key=lambda shard: shard.path)).to_json()
        text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
        # Read back from its text, as any reader will.
        read = mlc.Metadata.from_json(mlc.Context(), json.loads(text))
    except mlc.ValidationError as error:
        raise BuildError(f"{CROISSANT}: mlcroissant refuses it: {error}") from error
    wrong = [
        warning
        for warning in sorted(read.ctx.issues.warnings)
        if not any(f"schema.org/{name}" in warning or name in warning for name in _MAY_LACK)
    ]
    if wrong:
        raise BuildError(f"{CROISSANT}: mlcroissant finds fault with it: {'; '.join(wrong)}")
    return text


def _metadata(facts: CardFacts, shards: list[Shard]) -> mlc.Metadata:
    summary = facts.summary
    card = summary["card"]
    citation = card["citation"] or "; ".join(
        source["citation"] for source in summary["sources"].values() if source["citation"]
    )
    return mlc.Metadata(
        name=one_line(card["title"] or facts.name),
        description=_description(facts),
        conforms_to=[CONFORMS_TO],
        version=summary["version"],
        license=_licences(summary),
        cite_as=one_line(citation) or None,
        keywords=sorted({"mobile-ui", "screenshots", *map(one_line, card["tags"])}),
        distribution=[
            *(_file_object(shard) for shard in shards),
            *(_file_set(name) for name in facts.row_types),
        ],
        record_sets=[
            _split_set(facts.splits),
            *(_record_set(name, row_type) for name, row_type in facts.row_types.items()),
        ],
    )


def _description(facts: CardFacts) -> str:
    what = "questions on screens of mobile apps, with answers" if facts.asks else "mobile screens"
    return f"{described(facts)}: {what}. {CARD} says more."


def _licences(summary: Mapping[str, Any]) -> list[str] | None:
    """Returns the licence's address at SPDX, else what the sources say, each once."""
    texts = [source["licence"] for source in summary["sources"].values()]
    whole = licence_of(summary["card"]["licence"], texts)
    url = licence_url(whole.hub_id)
    if url:
        return [url]
    if not whole.is_derived:
        return [one_line(whole.name or whole.hub_id)]
    return sorted({licence_url(hub_licence(text) or "") or one_line(text) for text in texts})


def _file_object(shard: Shard) -> mlc.FileObject:
    return mlc.FileObject(
        id=shard.path,
        name=shard.path,
        content_url=shard.path,
        content_size=f"{shard.size_bytes} B",
        encoding_formats=[_PARQUET],
        sha256=shard.sha256,
    )


def _file_set(name: str) -> mlc.FileSet:
    return mlc.FileSet(
        id=_file_set_id(name),
        name=_file_set_id(name),
        description=f"The shards of {name}.",
        encoding_formats=[_PARQUET],
        includes=[f"{name}/*.parquet"],
    )


def _split_set(splits: Iterable[str]) -> mlc.RecordSet:
    name = f"{_SPLITS}/name"
    return mlc.RecordSet(
        id=_SPLITS,
        name=_SPLITS,
        description="The splits that there are.",
        data_types=[_SPLIT],
        key=name,
        fields=[mlc.Field(id=name, name="name", data_types=[mlc.DataType.TEXT])],
        data=[{name: split} for split in splits],
    )


def _record_set(name: str, row_type: type) -> mlc.RecordSet:
    declared = declared_columns(row_type)
    tops = [one for one in declared if "." not in one.path]
    return mlc.RecordSet(id=name, name=name, fields=[_field(name, top, declared) for top in tops])


def _field(name: str, column: DeclaredColumn, declared: list[DeclaredColumn]) -> mlc.Field:
    """Returns the field of a column of the table."""
    inner = [one for one in declared if _parent(one.path) == column.path]
    described = {"id": f"{name}/{column.path}", "name": column.path}
    if not inner:
        transforms = ["bytes"] if column.arrow == IMAGE else []
        types = [_data_type(column.arrow), *([_SPLIT] if column.path == "split" else [])]
        return mlc.Field(
            **described,
            description=column.doc,
            data_types=types,
            source=_source(name, column.path, transforms),
            **_array(column.arrow),
        )
    left_out = [_last(one.path) for one in inner if _holds_records(one.arrow)]
    note = f" Not told here: {', '.join(left_out)}." if left_out else ""
    return mlc.Field(
        **described,
        description=column.doc + note,
        sub_fields=[
            mlc.Field(
                id=f"{name}/{column.path}/{_last(one.path)}",
                name=_last(one.path),
                description=one.doc,
                data_types=[_data_type(one.arrow)],
                source=_source(name, column.path, [_last(one.path)]),
                **_array(one.arrow),
            )
            for one in inner
            if not _holds_records(one.arrow)
        ],
        **_array(column.arrow),
    )


def _source(name: str, column: str, json_paths: Iterable[str]) -> mlc.Source:
    return mlc.Source(
        file_set=_file_set_id(name),
        extract=mlc.Extract(column=column),
        transforms=[mlc.Transform(json_path=path) for path in json_paths],
    )


def _array(arrow: pa.DataType) -> dict[str, Any]:
    return {"repeated": True} if pa.types.is_list(arrow) else {}


def _data_type(arrow: pa.DataType) -> Any:
    if arrow == IMAGE:
        return mlc.DataType.IMAGE_OBJECT
    return _TYPES[arrow.value_type if pa.types.is_list(arrow) else arrow]


def _holds_records(arrow: pa.DataType) -> bool:
    inner = arrow.value_type if pa.types.is_list(arrow) else arrow
    return bool(pa.types.is_struct(inner) and inner != IMAGE)


def _parent(path: str) -> str:
    return path.rpartition(".")[0].removesuffix("[]")


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _file_set_id(name: str) -> str:
    return f"shards-of-{name}"
