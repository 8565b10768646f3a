"""`screenset tasks PASS`: what a pass has still to do, as files for Label Studio."""

import dataclasses
import itertools
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pipelines.build import require_extras
from pipelines.campaign_state import Campaign, open_campaign, task_screen
from pipelines.config import Request
from pipelines.errors import UserError
from pipelines.people import read_people
from pipelines.task_files import TaskFiles, new_folder, refuse_occupied, size_notes
from pipelines.terminal import ProgressDisplay, safe, table
from pipelines.verifying import VerifyPlanner
from schemas.annotations import AnnotationPass
from schemas.screens import ImageFacts
from schemas.settlements import ScreenAnnotations, SettledQuestion
from transforms.annotation.label_studio.assigning import assign_answers
from transforms.annotation.label_studio.controls import labeling_config, pass_named
from transforms.annotation.label_studio.rounds import (
    Duty,
    answer_duties,
    duty_task,
    hand_out,
    is_fit,
    screen_duties,
    texts_of,
    third_pass_duties,
)
from transforms.annotation.label_studio.tasks import Task, TaskScreen
from transforms.annotation.unanswerable import (
    ScreenState,
    ThirdPassPlan,
    plan_third_pass,
    screen_state,
)
from transforms.screens.checking import CHECKED


@dataclasses.dataclass(frozen=True, slots=True)
class TaskOptions:
    """Who is to do the tasks, and where Label Studio finds the pictures.

    `built` is the finished build whose short answers are verified, `per_stratum` how many of
    each stratum; None for what the manifest says.
    """

    annotators: tuple[str, ...] = ()
    by_annotator: bool = False
    image_url: str = "/data/local-files/?d="
    salt_env: str | None = None
    salt_file: str | None = None
    built: str | None = None
    per_stratum: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """What was written: tasks by file and by person, and what stood in the way of more."""

    out: str
    pass_: AnnotationPass
    tasks: Mapping[str, int]
    by_person: Mapping[str, int]
    n_screens: int
    n_events: int
    left_out: Mapping[str, int]
    notes: tuple[str, ...]


def write_tasks(pass_name: str, request: Request, out: str, options: TaskOptions) -> Written:
    """Writes the task files and the labeling configuration of a pass into a new folder.

    Raises:
        UserError: With one sentence; the folder is not made then.
    """
    try:
        pass_ = pass_named(pass_name.replace("-", "_"))
    except ValueError as error:
        raise UserError(f"PASS: {error}") from error
    people = read_people(options.annotators, options.salt_env, options.salt_file)
    if options.by_annotator and not people:
        raise UserError("--by-annotator: needs --annotators")
    refuse_occupied(out)
    planner = _make_planner(pass_, request, options, list(people))
    counts: Counter[str] = Counter()
    by_person: Counter[str] = Counter()
    screens = set()
    try:
        with new_folder(out) as work, TaskFiles(work) as files:
            for duty, task in planner.tasks(options.image_url):
                file = f"{duty.file}_{duty.assignee}" if options.by_annotator else duty.file
                files.write(f"{file}.json", task)
                counts[f"{file}.json"] += 1
                by_person[people.get(duty.assignee or "", "")] += 1
                screens.add(duty.screen_id)
            if counts:
                with open(os.path.join(work, f"{pass_}.xml"), "w", encoding="utf-8") as config:
                    config.write(labeling_config(pass_))
            notes = [*planner.notes, *size_notes(work, counts)]
    except OSError as error:
        raise UserError(f"--out: cannot write {out}: {error.strerror}") from error
    campaign = planner.campaign
    del by_person[""]
    return Written(
        out, pass_, counts, by_person, len(screens), campaign.n_events, campaign.left_out,
        tuple(notes),
    )  # fmt: skip


def tasks_text(written: Written) -> str:
    """Returns what was written, for whom, and how to go on."""
    parts = []
    if written.tasks:
        parts.append(table(("file", "tasks"), sorted(written.tasks.items()), "<>"))
    if written.by_person:
        people = [(safe(name), count) for name, count in sorted(written.by_person.items())]
        parts.append(table(("for", "tasks"), people, "<>"))
    n_screens, n_events = written.n_screens, written.n_events
    lines = [f"{n_screens:,} screens; judged by {n_events:,} annotation events", *written.notes]
    if written.left_out:
        found = sorted(written.left_out.items(), key=lambda item: (-item[1], item[0]))
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in found)
        lines.append(f"note: events that do not count: {reasons}; a build's rejects name them")
    parts.append("\n".join(lines))
    if not written.tasks:
        return "\n\n".join([*parts, f"{written.pass_} has nothing left to do; nothing was written"])
    parts.append(
        f"tasks: {written.out}\n"
        f"next:  make a Label Studio project for each file, with {written.pass_}.xml as its "
        "labeling\n       configuration; import the file, annotate, export a snapshot, then "
        "`screenset import`"
    )
    return "\n\n".join(parts)


def _make_planner(
    pass_: AnnotationPass, request: Request, options: TaskOptions, annotators: Sequence[str]
) -> "_Planner | VerifyPlanner":
    if pass_ is AnnotationPass.VERIFY_SHORT_ANSWERS:
        return VerifyPlanner(request, options.built, options.per_stratum, annotators)
    if options.built is not None or options.per_stratum is not None:
        verify = AnnotationPass.VERIFY_SHORT_ANSWERS
        raise UserError(f"--built and --per-stratum are for the pass {verify} only")
    return _Planner(_open_judged(request, pass_), pass_, request, annotators)


def _open_judged(request: Request, pass_: AnnotationPass) -> Campaign:
    campaign = open_campaign(request)
    if campaign.is_automatic and pass_ is not AnnotationPass.PREFILTER:
        require_extras(campaign.dataset)
        done: Counter[str] = Counter()
        with ProgressDisplay(lambda: done, {CHECKED: len(campaign.refs)}):
            campaign.judge(done)
    return campaign


class _Planner:
    """Finds what a pass has still to do, and makes the tasks one by one."""

    def __init__(
        self, campaign: Campaign, pass_: AnnotationPass, request: Request, annotators: Sequence[str]
    ) -> None:
        self.campaign = campaign
        self.pass_ = pass_
        self.notes: list[str] = []
        self._data = request.data
        self._limit = request.limit
        self._annotators = annotators
        self._policy = campaign.dataset.annotation
        self._seed = campaign.dataset.splits.seed
        self._no_picture = 0
        # Where the automatic prefilter decides, what nobody rated need not wait for a rater.
        self._waits = campaign.is_rated and not campaign.is_automatic

    def tasks(self, image_url: str) -> Iterator[tuple[Duty, Task]]:
        """Yields each duty with its task.

        Raises:
            UserError: There are too few annotators, or a picture has no address.
        """
        find = {
            AnnotationPass.ANSWER: self._answers,
            AnnotationPass.QUESTION_3_NA: self._third_pass,
        }.get(self.pass_, self._screen_by_screen)
        try:
            duties = hand_out(find(), self._annotators, self._seed)
            for screen_id, same in itertools.groupby(duties, key=lambda duty: duty.screen_id):
                screen = self._screen(screen_id, image_url)
                for duty in same:
                    yield duty, duty_task(duty, screen)
        except ValueError as error:
            raise UserError(str(error)) from error
        if self.pass_ is not AnnotationPass.PREFILTER:
            self._note_prefilter()
        if self._no_picture:
            self.notes.append(f"note: {self._no_picture:,} screens have no usable picture")
        if self.campaign.blocked:
            self.notes.append(f"note: {len(self.campaign.blocked):,} screens are blocked")

    def _note_prefilter(self) -> None:
        if self.campaign.is_automatic:
            self.notes.append(
                f"note: the automatic prefilter removes {len(self.campaign.refusals):,} of "
                f"{len(self.campaign.refs):,} screens, those that were rated aside"
            )
        elif not self.campaign.is_rated:
            self.notes.append("note: nobody has rated a screen, so all are taken to be fit")

    def _screen_by_screen(self) -> Iterator[Duty]:
        n_screens = 0
        for screen_id in self.campaign.screen_ids:
            settled = self.campaign.settle(screen_id)
            if settled is None:
                self._no_picture += 1
                continue
            duties = list(
                screen_duties(
                    self.pass_,
                    screen_id,
                    settled[0],
                    self._policy,
                    is_rated=self._waits,
                )
            )
            yield from duties
            n_screens += bool(duties)
            if n_screens == self._limit:
                return

    def _answers(self) -> Iterator[Duty]:
        waiting: dict[str, list[SettledQuestion]] = {}
        images: dict[str, ImageFacts] = {}
        policy = self._policy
        most = max(policy.answers_in_train, policy.answers_in_evaluation)
        for screen_id, found, image in self._asked():
            images[screen_id] = image
            waiting[screen_id] = [q for q in found.questions if len(q.answers) < most]
        splits = self._splits(images)
        lacking: dict[str, list[tuple[SettledQuestion, str]]] = {}
        for screen_id, split in splits.items():
            for question in waiting[screen_id]:
                if len(question.answers) < policy.answers_in(split):
                    lacking.setdefault(screen_id, []).append((question, split))
        chosen = [s for s in self.campaign.screen_ids if s in lacking][: self._limit]
        asked = [pair for screen_id in chosen for pair in lacking[screen_id]]
        yield from answer_duties(assign_answers(asked, self._annotators, policy, self._seed))

    def _third_pass(self) -> Iterator[Duty]:
        states: dict[str, ScreenState] = {}
        images: dict[str, ImageFacts] = {}
        texts: dict[str, tuple[str, ...]] = {}
        for screen_id, found, image in self._asked():
            images[screen_id], texts[screen_id] = image, texts_of(found.questions)
            states[screen_id] = screen_state(found, "")
        splits = self._splits(images)
        placed = [dataclasses.replace(states[s], split=split) for s, split in splits.items()]
        plans = list(plan_third_pass(placed, self._policy.unanswerable_share, self._seed))
        self.notes += map(_plan_note, plans)
        wanted = {screen_id for plan in plans for screen_id in plan.screen_ids}
        chosen = [s for s in self.campaign.screen_ids if s in wanted][: self._limit]
        yield from third_pass_duties(chosen, texts)

    def _asked(self) -> Iterator[tuple[str, ScreenAnnotations, ImageFacts]]:
        """Yields the screens that have questions and are fit, one settled at a time."""
        for screen_id in self.campaign.annotated_ids:
            settled = self.campaign.settle(screen_id)
            if settled is None:
                self._no_picture += 1
                continue
            found, image = settled
            if (
                found is not None
                and found.questions
                and is_fit(found, self._policy, is_rated=self._waits)
            ):
                yield screen_id, found, image

    def _splits(self, images: Mapping[str, ImageFacts]) -> dict[str, str]:
        splits = self.campaign.splits(images)
        if len(splits) < len(images):
            lost = len(images) - len(splits)
            self.notes.append(
                f"note: {lost:,} screens get no split: no source names their app, or their very "
                "picture is in validation or test"
            )
        return splits

    def _screen(self, screen_id: str, image_url: str) -> TaskScreen:
        return task_screen(self.campaign, screen_id, self._data, image_url)


def _plan_note(plan: ThirdPassPlan) -> str:
    today = f"{plan.share or 0:.1%}"
    then = f"{plan.expected_share or 0:.1%}"
    short = f"; {plan.n_short:,} screens short" if plan.n_short else ""
    return (
        f"{plan.split}: {today} of {plan.n_questions:,} questions found without an answer, "
        f"{then} once {len(plan.screen_ids):,} more are answered so "
        f"(goal {plan.target_share:.1%}){short}"
    )
