"""What rules look at: a build, its shards as they were read, its lists of screens."""

import dataclasses
import functools
import os

import pyarrow as pa

from pipelines.checking.facts import RowFacts, ShardFacts
from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild, open_text
from pipelines.recipes.configurations import SCREENS
from schemas.builds import ScreenEntry
from schemas.manifest import CheckLimits
from schemas.splits import SPLITS
from transforms.screen_tables import read_entries


@dataclasses.dataclass(frozen=True, eq=False)
class Subject:
    """A build that is being checked, with its shards as they were read.

    `decoded` is whether pictures were. What several rules need is worked out once. Equal only
    to itself, so that what was worked out can be kept by it.
    """

    build: FinishedBuild
    shards: tuple[ShardFacts, ...]
    decoded: bool

    @functools.cached_property
    def limits(self) -> CheckLimits:
        """What the build's manifest lets pass."""
        said = self.build.summary["checks"]
        return CheckLimits(**{f.name: said[f.name] for f in dataclasses.fields(CheckLimits)})

    @functools.cached_property
    def entries(self) -> tuple[ScreenEntry, ...]:
        """The lines of all `splits/<split>.tsv` that there are.

        Raises:
            UserError: If one is damaged.
        """
        there = [s for s in SPLITS if os.path.exists(self.build.path(f"splits/{s}.tsv"))]
        try:
            for split in there:
                # Whatever is no file is refused, and not waited for.
                open_text(self.build.path(f"splits/{split}.tsv")).close()
            return tuple(read_entries(self.build.folder, there))
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            # A list without a line, its header, ends its reader before it began: RuntimeError.
            raise UserError(f"a list in splits/ is damaged: {error}") from error

    @functools.cached_property
    def split_of(self) -> dict[str, str]:
        """The split of each screen by the shards' own rows; the first, if it has several."""
        found: dict[str, str] = {}
        for facts in self.of(self.build.name):
            for screen_id in screens_in(facts):
                found.setdefault(screen_id, facts.shard.split)
        return found

    @property
    def has_screens_beside(self) -> bool:
        """Whether pictures lie in a configuration of their own, beside the questions."""
        return self.build.is_of_questions and SCREENS in self.build.row_types

    def of(self, configuration: str) -> list[ShardFacts]:
        """Returns the shards of a configuration whose rows were read."""
        return [
            facts
            for facts in self.shards
            if facts.shard.configuration == configuration and facts.rows is not None
        ]

    def keys_of(self, configuration: str) -> pa.Table:
        """Returns the keys of all rows of a configuration, with `shard` and `row` of each."""
        tables = []
        for place, facts in enumerate(self.shards):
            if facts.shard.configuration == configuration and facts.rows is not None:
                keys = facts.rows.keys
                places = pa.repeat(pa.scalar(place, pa.int32()), len(keys))
                numbers = pa.array(range(len(keys)), pa.int32())
                tables.append(keys.append_column("shard", places).append_column("row", numbers))
        return pa.concat_tables(tables) if tables else pa.table({})


def rows_of(facts: ShardFacts) -> RowFacts:
    """Returns the facts of rows that were read."""
    assert facts.rows is not None
    return facts.rows


def screens_in(facts: ShardFacts) -> list[str]:
    """Returns the ids of the screens of a shard, each once, in the rows' order."""
    return [i for i in rows_of(facts).keys["screen_id"].unique().to_pylist() if i is not None]
