"""A campaign's steps as pure functions, one after another, with their books kept."""

import dataclasses
from collections import Counter

from schemas.annotations import AnnotationPass
from schemas.campaigns import AnnotationPolicy
from schemas.geometry import Size
from schemas.manifest import SplitPolicy
from schemas.questions import AskedScreen
from schemas.rejects import Outcome, Reason, Reject, Tally
from schemas.screens import AppRow, ImageFacts, Screen, ScreenRef
from transforms.accounting import fates_by_kind, unbalanced
from transforms.annotation.campaigns import agree_asked, settle_asked
from transforms.annotation.measuring import votes_of, works_of
from transforms.annotation.quality import measure_quality
from transforms.fates import EVENT, asked_rejects, question_tallies
from transforms.joining import Wanted, join_screen
from transforms.splits import settle_twins


@dataclasses.dataclass(frozen=True)
class KnownScreen:
    """What the sources hold on a screen. Screens with one `picture` are twins."""

    screen_id: str
    app: str | None = "app"
    picture: str = ""
    is_blank: bool = False

    def checked(self) -> Screen:
        name = self.picture or self.screen_id
        size = Size(1080, 1920)
        image = ImageFacts(size, size, 1, "image/jpeg", False, 1, name, "")
        return Screen(image, "", 0)


class PureCampaign:
    """Joins, checks, settles, splits and agrees, and holds all that came out."""

    def __init__(self, events, screens=(), *, policy=None, splits=None, pictures=False):
        self.policy = policy or AnnotationPolicy()
        self.splits = splits or SplitPolicy()
        self.pictures = pictures
        self.tallies = Counter()
        self.rejects = Counter()
        self.rejected = []
        self.questions = {}
        self.settled = []
        self.agreements = {}
        self.works = []
        known = {screen.screen_id: screen for screen in screens}
        self._count(Tally(EVENT, Outcome.READ, len(events)))
        self.qualities = self._qualities(events)
        self._agree(self._split(self._settle(self._join(events, known), known)))

    @property
    def problems(self):
        """What is wrong with the books: nothing, unless a record has no fate or several."""
        return unbalanced(fates_by_kind(self.tallies, self.rejects))

    @property
    def fates(self):
        """Rejects by kind and reason, and what was merged or set aside, as it is injected."""
        aside = ("merged", "cancelled", "draft", "withdrawn", "with_question")
        found = Counter(self.rejects)
        for (kind, outcome), count in self.tallies.items():
            if kind in (EVENT, "question", "answer") and outcome in aside:
                found[kind, str(outcome)] += count
        return found

    def votes(self):
        return [vote for pair in self.settled for vote in votes_of(pair)]

    def _join(self, events, known):
        for screen_id in sorted({event.screen_id for event in events} | set(known)):
            parts = [event for event in events if event.screen_id == screen_id]
            screen = known.get(screen_id)
            if screen is not None and self.pictures:
                parts.append(ScreenRef(screen_id, "screens", f"{screen_id}.jpg", None))
                self._count(Tally("screen", Outcome.READ, 1))
            if screen is not None and screen.app is not None:
                parts.append(AppRow(screen_id, screen.app, 0))
                self._count(Tally("app_row", Outcome.READ, 1))
            yield from self._take(join_screen((screen_id, parts), {}, Wanted(self.pictures)))

    def _settle(self, joined, known):
        for asked in joined:
            if asked.ref is not None:
                screen = known[asked.screen_id]
                if screen.is_blank:
                    list(self._take(asked_rejects(asked, "check", Reason.IMAGE_BLANK, "black")))
                    continue
                asked = dataclasses.replace(asked, screen=screen.checked())
            self.works += works_of(asked)
            found = settle_asked(asked, self.qualities, {}, self.policy, self.pictures)
            yield from self._take(found)

    def _split(self, settled):
        groups = {}
        for asked in settled:
            key = asked.screen.image.sha256 if asked.screen else asked.screen_id
            groups.setdefault(key, []).append(asked)
        for twins in groups.values():
            yield from self._take(settle_twins(twins, self.splits))

    def _agree(self, split):
        for asked in split:
            for pair in self._take(agree_asked(asked, self.policy)):
                self.settled.append(pair)
                screen, agreements = pair
                self.agreements[screen.screen_id] = agreements
                if screen.questions:
                    self.questions[screen.screen_id] = screen.questions
                    list(self._take(question_tallies(screen.questions)))

    def _qualities(self, events):
        people = {e.annotator_id for e in events if e.pass_ is AnnotationPass.TRAINING}
        return [
            quality
            for who in sorted(people)
            for quality in measure_quality(
                who, [e for e in events if e.annotator_id == who], self.policy
            )
        ]

    def _take(self, results):
        for result in results:
            if isinstance(result, Reject):
                self.rejects[result.kind, result.reason.value] += 1
                self.rejected.append(result)
            elif isinstance(result, Tally):
                self._count(result)
            else:
                yield result

    def _count(self, tally):
        self.tallies[tally.kind, str(tally.outcome)] += tally.count


def again(settled: AskedScreen) -> AskedScreen:
    """Returns a screen as it was before it was settled, with the live events only."""
    assert settled.annotations is not None
    return dataclasses.replace(
        settled, events=settled.annotations.events, annotations=None, questions=(), split=""
    )
