"""Tests of the rows that the agreement rule makes."""

import dataclasses
import string

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.agreements import (
    Agreement,
    AgreementLevel,
    Clause,
    ClauseCounts,
    Edge,
    QuestionOrigin,
    Removal,
    RemovalReason,
)
from schemas.columns import arrow_schema, may_be_null, plain_values

KEPT = Agreement(
    n_annotations=4,
    n_invalid=1,
    level=AgreementLevel.PARTIAL,
    answer_only_level=AgreementLevel.NONE,
    edges=(Edge("e1", "e2", (Clause.QUESTION,)),),
    clause_counts=ClauseCounts(1, 0, 0, 0),
    kept=("e1", "e2"),
    removed=(
        Removal("e3", RemovalReason.DISAGREEING_ANSWER_REMOVED),
        Removal("e4", RemovalReason.INVALID_QUESTION),
    ),
    question="When is delivery ?",
    question_from=QuestionOrigin.CONSENSUS,
)


def test_an_agreement_survives_parquet(tmp_path):
    rows = [
        plain_values(KEPT),
        plain_values(dataclasses.replace(KEPT, question=None, question_from=None)),
    ]
    path = tmp_path / "agreements.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(Agreement)), path)
    assert pq.read_table(path).to_pylist() == rows


@pytest.mark.parametrize("row_type", [Agreement, Edge, Removal, ClauseCounts])
def test_every_column_is_documented_by_a_sentence(row_type):
    docs = [f.metadata["doc"] for f in dataclasses.fields(row_type)]
    assert all(doc.endswith(".") and doc[0] in "`" + string.ascii_uppercase for doc in docs)


def test_only_a_question_that_goes_has_nulls():
    nullable = {field.name for field in arrow_schema(Agreement) if may_be_null(field)}
    assert nullable == {"question", "question_from"}
