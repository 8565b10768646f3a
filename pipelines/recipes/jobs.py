"""What a recipe is handed: a data set's definition with every path and limit settled."""

import dataclasses
from collections.abc import Mapping

from schemas.manifest import Dataset, Images
from transforms.models.asker import AskPlan
from transforms.progress import Progress
from transforms.sources.reading import Selection, SourceFile
from transforms.writing import ShardFolder


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """One build of one data set.

    `sources` are the files and folders of all that is joined by screen; `folders` are
    those of the sources of screens, by name. `results` is the file that the
    pipeline tells its results in; `asking` is how a model is asked, None if none is.
    """

    dataset: Dataset
    sources: tuple[SourceFile, ...]
    app_details: tuple[SourceFile, ...]
    folders: Mapping[str, str]
    selection: Selection
    shards: ShardFolder
    results: str
    progress: Progress
    asking: AskPlan | None = None

    @property
    def from_events(self) -> bool:
        """Whether the questions come from raw annotation events."""
        return bool(self.dataset.sources.events)

    @property
    def with_pictures(self) -> bool:
        """Whether the build stores pictures anywhere."""
        return self.dataset.images is not Images.NONE

    @property
    def picture_folders(self) -> Mapping[str, str] | None:
        """The folders of screens; None in a build without pictures."""
        return self.folders if self.with_pictures else None
