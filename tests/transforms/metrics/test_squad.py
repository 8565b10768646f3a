"""The normal form of SQuAD's scores, on the pairs that faults M15 lists."""

import pytest

from transforms.metrics.squad import squad_form


@pytest.mark.parametrize(
    ("text", "normal"),
    [("A", ""), ("-5°", "5°"), ("4.5", "45"), ("1,1", "11"), ("$19.99", "1999"), ("C++", "c")],
)
def test_squad_form(text, normal):
    assert squad_form(text) == normal
