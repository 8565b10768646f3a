"""The annotation campaign: who asked what about which screen, and who answered how."""

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence

from pipelines.sample import roles
from pipelines.sample.choosing import Choices
from pipelines.sample.judging import ONE_ANSWER, THREE_ANSWERS, Judgement, Verdict, judge
from pipelines.sample.roles import CastScreen
from pipelines.sample.views import Question

RATERS = tuple(f"rater-{number:02d}" for number in range(1, 9))
PREFILTER_RATERS = RATERS[:2]
QUESTION_1_RATERS = RATERS[:3]
QUESTION_2_RATERS = RATERS[3:6]
ABSENT_RATERS = RATERS[6:7]
REVIEWERS = RATERS[7:]
TRAINEE = "rater-09"
"""Someone who fails the training and answers all the same."""


# Nobody disagrees about these, so that all of their questions are released.
_CALM = (roles.REPEATED_QUESTION, roles.NINE_QUESTIONS)


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """A question of the campaign: who composed it, and what the annotators answered."""

    screen: CastScreen
    pass_name: str
    ordinal: int
    composer: str
    question: Question
    verdict: Verdict

    @property
    def question_id(self) -> str:
        """The id that events know the question by."""
        screen_id = str(self.screen.drawn.id)
        return question_id(screen_id, self.pass_name, self.ordinal, self.question.text)

    @property
    def kept(self) -> tuple[Judgement, ...]:
        """The answers that survive the paper's rule."""
        return tuple(judgement for judgement in self.verdict.judgements if judgement.kept)


def question_id(screen_id: str, pass_name: str, ordinal: int, text: str) -> str:
    """Returns `<screen>:<pass>:<ordinal>:<sha1 of the normalised text, 8 digits>`."""
    digest = hashlib.sha1(" ".join(text.split()).encode(), usedforsecurity=False).hexdigest()
    return f"{screen_id}:{pass_name}:{ordinal}:{digest[:8]}"


def run_campaign(screens: Iterable[CastScreen], seed: str) -> list[Asked]:
    """Returns all questions asked about the screens, by screen and then in order of asking."""
    asked: list[Asked] = []
    cases = {True: 0, False: 0}
    for screen in screens:
        if not screen.is_rated_fit or screen.key in (*roles.LACK_OF_CONTENT, roles.NO_QUESTION):
            continue
        choices = Choices(seed, "campaign", screen.drawn.id)
        for pass_name, composer, question in _asked_about(screen, choices):
            triple = screen.split != "train" or choices.chance(25)
            ordinal = sum(
                a.screen.drawn.id == screen.drawn.id and a.pass_name == pass_name
                for a in asked[-9:]
            )
            listed: Sequence[str] = THREE_ANSWERS if triple else ONE_ANSWER
            case = listed[cases[triple]] if cases[triple] < len(listed) else "agree"
            if screen.key in _CALM or not question.elements:
                case = "agree"
            else:
                cases[triple] += 1
            free = [rater for rater in choices.shuffled(RATERS) if rater != composer]
            # Without a hierarchy to show, all boxes are drawn.
            known = screen.key not in (roles.HIERARCHY_MISSING, roles.HIERARCHY_NULL)
            verdict = judge(
                screen.drawn, question, free[: 3 if triple else 1], case, choices, known=known
            )
            asked.append(Asked(screen, pass_name, ordinal, composer, question, verdict))
    return asked


def _asked_about(screen: CastScreen, choices: Choices) -> list[tuple[str, str, Question]]:
    answerable = [q for q in screen.drawn.questions if q.elements]
    absent = [q for q in screen.drawn.questions if not q.elements]
    wanted = choices.pick((1, 1, 1, 2, 2, 2, 2, 3, 3, 4))
    if screen.key == roles.NINE_QUESTIONS:
        wanted = 8
    chosen = choices.several(answerable, wanted)
    first, second = chosen[: (wanted + 1) // 2], chosen[(wanted + 1) // 2 :]
    if wanted == 8:
        first, second = chosen[:5], chosen[5:]
    if screen.key == roles.REPEATED_QUESTION:
        # The same question, asked again and answered in other words.
        words = answerable[0].short_answers[-1]
        first = answerable[:1]
        second = [
            dataclasses.replace(
                first[0], full_answer=f"It costs {words}.", short_answers=(words, f"just {words}")
            )
        ]
    composer_1, composer_2 = choices.pick(QUESTION_1_RATERS), choices.pick(QUESTION_2_RATERS)
    asked = [("question_1", composer_1, q) for q in first]
    asked += [("question_2", composer_2, q) for q in second]
    if absent and (choices.chance(24) or screen.key == roles.NINE_QUESTIONS):
        asked.append(("question_3_na", choices.pick(ABSENT_RATERS), absent[0]))
    return asked
