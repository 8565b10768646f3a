"""`screenset tasks verify_short_answers`: a sample of a build's short answers, to be judged."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from pipelines.campaign_state import open_campaign, task_screen
from pipelines.config import Request
from pipelines.errors import UserError
from pipelines.finished_builds import dataset_of, question_shards, rows_of
from schemas.annotations import AnnotationPass
from schemas.rejects import RejectedRecordError
from transforms.annotation.label_studio.rounds import Duty, duty_task, hand_out
from transforms.annotation.label_studio.tasks import Task
from transforms.annotation.verification import Stratum
from transforms.annotation.verification_sampling import (
    Candidate,
    draw_sample,
    is_verified,
    parse_candidate,
)

_COLUMNS = ("screen_id", "question", "question_id", "answers", "short_answers")
_ORIGIN = "short_answers_from"


class VerifyPlanner:
    """Finds which short answers of a finished build are to be judged, and makes the tasks.

    Raises:
        UserError: There is no such build, it is of another data set, or a flag does not fit.
    """

    def __init__(
        self,
        request: Request,
        built: str | None,
        per_stratum: int | None,
        annotators: Sequence[str],
    ) -> None:
        pass_ = AnnotationPass.VERIFY_SHORT_ANSWERS
        if built is None:
            raise UserError(f"--built: {pass_} needs the folder of a finished build")
        if request.limit is not None:
            raise UserError(
                f"--limit: {pass_} draws from all screens, or its error rates would be those of "
                "a few; --per-stratum says how many"
            )
        name, other = request.dataset.name, dataset_of(built)
        if other != name:
            raise UserError(f"--built: {built} is a build of {other}, not of {name}")
        self._shards = question_shards(built, _COLUMNS)
        self.campaign = open_campaign(request, released=True)
        self.notes: list[str] = []
        self._pass = pass_
        self._data = request.data
        self._annotators = annotators
        self._seed = request.dataset.splits.seed
        policy = request.dataset.short_answers
        self._per_stratum = per_stratum or policy.verified_per_stratum

    def tasks(self, image_url: str) -> Iterator[tuple[Duty, Task]]:
        """Yields each duty with its task.

        Raises:
            UserError: A shard is damaged, or a picture has no address.
        """
        no_picture = 0
        try:
            duties = hand_out(self._duties(), self._annotators, self._seed)
            for screen_id, same in itertools.groupby(duties, key=lambda duty: duty.screen_id):
                try:
                    screen = task_screen(self.campaign, screen_id, self._data, image_url)
                except RejectedRecordError:
                    no_picture += 1
                    continue
                for duty in same:
                    yield duty, duty_task(duty, screen)
        except ValueError as error:
            raise UserError(str(error)) from error
        if no_picture:
            self.notes.append(f"note: {no_picture:,} screens have no usable picture any more")

    def _duties(self) -> Iterator[Duty]:
        sample = draw_sample(self._candidates(), self._per_stratum, self._seed)
        drawn: Counter[Stratum] = Counter()
        verified: Counter[Stratum] = Counter()
        sizes: dict[Stratum, int] = {}
        gone = 0
        for candidate in sample:
            stratum = candidate.stratum
            drawn[stratum] += 1
            sizes[stratum] = candidate.shown.stratum_size
            if is_verified(candidate, self.campaign.reviews(candidate.screen_id)):
                verified[stratum] += 1
            elif candidate.screen_id not in self.campaign.refs:
                gone += 1
            else:
                yield Duty(
                    self._pass,
                    candidate.screen_id,
                    self._pass.value,
                    question_id=candidate.question_id,
                    shown=candidate.shown,
                )
        for stratum in sorted(drawn, key=str):
            self.notes.append(
                f"{stratum.title}: {drawn[stratum]:,} of {sizes[stratum]:,} questions drawn, "
                f"{verified[stratum]:,} verified already"
            )
        if gone:
            self.notes.append(f"note: the screens of {gone:,} are blocked or not in the sources")

    def _candidates(self) -> Iterator[Candidate]:
        for paths in self._shards.values():
            for path in paths:
                for row in rows_of(path, (*_COLUMNS, _ORIGIN)):
                    candidate = parse_candidate(row)
                    if candidate is not None:
                        yield candidate
