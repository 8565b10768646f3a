"""Pairs of builds: of a sample and a manifest that a test changes before it builds."""

import dataclasses
import json
import pathlib
import shutil
from collections.abc import Callable

import pytest
from hypothesis import settings

from pipelines.diffing.diff import diff
from schemas.differences import Difference

# Property tests draw the same examples on every machine, and take the time they need.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def make_build(run, demo_manifest, sample, tmp_path_factory):
    """Returns a function that builds a data set, its manifest's text and its data changed.

    `replace` are (old, new) texts of the demo's manifest, `top` goes before all of it, and
    `spoil` is given a copy of the sample to change. The same is built once.
    """
    built: dict[object, pathlib.Path] = {}

    def build(
        name: str = "screenqa_released",
        *,
        replace: tuple[tuple[str, str], ...] = (),
        top: str = "",
        spoil: Callable[[pathlib.Path], None] | None = None,
    ) -> pathlib.Path:
        asked = (name, replace, top, spoil)
        if asked not in built:
            folder = tmp_path_factory.mktemp("build")
            text = top + demo_manifest.read_text()
            for old, new in replace:
                assert old in text, old
                text = text.replace(old, new)
            (folder / "manifest.yaml").write_text(text)
            data = sample
            if spoil is not None:
                data = folder / "data"
                shutil.copytree(sample, data)
                spoil(data)
            done = run(
                "build", name, "--manifest", folder / "manifest.yaml", "--data", data,
                "--out", folder / "built", "--workers", "1", GEMINI_API_KEY="", GOOGLE_API_KEY="",
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            built[asked] = folder / "built"
        return built[asked]

    return build


@pytest.fixture(scope="session")
def compare():
    """Returns a function that compares two folders, both ways, and holds one against the other."""

    def both_ways(one: pathlib.Path, other: pathlib.Path) -> Difference:
        there, back = diff(str(one), str(other)), diff(str(other), str(one))
        assert plain(mirrored(back)) == plain(there)
        assert there.differs == back.differs
        return there

    return both_ways


def plain(difference: Difference) -> object:
    return json.loads(json.dumps(dataclasses.asdict(difference)))


_PAIRS = (
    ("before", "after"),
    ("added", "removed"),
    ("taken_down", "restored"),
    ("rows_before", "rows_after"),
    ("screens_before", "screens_after"),
    ("configuration_before", "configuration_after"),
    ("provider_before", "provider_after"),
)
_TWINS = dict(_PAIRS) | {other: one for one, other in _PAIRS}
_KINDS = {"added": "removed", "removed": "added"}


def mirrored(value):
    """Returns a difference, or a part of one, as it is seen from the other side."""
    if isinstance(value, tuple):
        return tuple(mirrored(item) for item in value)
    if not dataclasses.is_dataclass(value):
        return value
    found = {}
    for field in dataclasses.fields(value):
        twin = _TWINS.get(field.name, field.name)
        found[field.name] = mirrored(getattr(value, twin))
    if type(value).__name__ == "ColumnDifference":
        found["kind"] = _KINDS.get(value.kind, value.kind)
    return type(value)(**found)
