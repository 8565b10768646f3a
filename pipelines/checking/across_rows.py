"""Rules of rows: each by itself, as found while shards were read, and all together."""

import collections
from collections.abc import Iterator

import numpy
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.checking.facts import ShardFacts
from pipelines.checking.picture_reading import PICTURES_DECODE
from pipelines.checking.row_rules import ANSWERABLE, BOXES_INSIDE, IDS_FIT, NO_GAPS, SPLIT_FITS
from pipelines.checking.subjects import Subject, rows_of
from pipelines.checking.verdicts import Rule, Verdict, not_applicable, row_verdict, verdict
from pipelines.recipes.configurations import SCREENS
from pipelines.terminal import counted
from schemas.columns import Need, arrow_schema
from schemas.splits import SPLITS
from transforms.identifying import id_order

_NO_QUESTIONS = "the rows are screens, nobody was asked about them"


def boxes_inside(subject: Subject) -> Verdict:
    """See `row_rules.boxes_inside`."""
    if not (_provides(subject, Need.ANSWERS) or _has_leaves(subject)):
        return not_applicable("no row has answers with boxes, or leaves of a hierarchy")
    return row_verdict(subject.shards, BOXES_INSIDE, "box", many="boxes")


def no_gaps(subject: Subject) -> Verdict:
    """See `row_rules.no_gaps`."""
    if not (_provides(subject, Need.ANSWERS, Need.SHORT_ANSWERS) or _has_leaves(subject)):
        return not_applicable("the build has no lists to fill")
    return row_verdict(subject.shards, NO_GAPS, "item")


def split_fits(subject: Subject) -> Verdict:
    """See `row_rules.split_fits`."""
    return row_verdict(subject.shards, SPLIT_FITS, "row")


def ids_fit(subject: Subject) -> Verdict:
    """See `row_rules.ids_fit`."""
    if not subject.build.is_of_questions:
        return not_applicable(_NO_QUESTIONS)
    return row_verdict(subject.shards, IDS_FIT, "row")


def answerable_as_answered(subject: Subject) -> Verdict:
    """See `row_rules.answerable_as_answered`."""
    if not subject.build.is_of_questions:
        return not_applicable(_NO_QUESTIONS)
    return row_verdict(subject.shards, ANSWERABLE, "statement")


def pictures_decode(subject: Subject) -> Verdict:
    """Every picture decodes to its end, is upright, and has the stated size."""
    if not subject.build.has_pictures:
        return not_applicable("the build has no pictures")
    if not subject.decoded:
        return not_applicable("pictures were not decoded, as asked")
    decoded = sum(facts.rows.pictures for facts in subject.shards if facts.rows)
    return row_verdict(
        subject.shards, PICTURES_DECODE, "row", note=f"{counted(decoded, 'picture')} decoded"
    )


def pictures_as_listed(subject: Subject) -> Verdict:
    """Each picture is the file that the split's list has the digest of, unless saved anew."""
    if not subject.build.has_pictures:
        return not_applicable("the build has no pictures")
    if not subject.decoded:
        return not_applicable("pictures were not read, as asked")
    listed = {(entry.split, entry.screen_id): entry.sha256 for entry in subject.entries}
    found, looked = [], 0
    for facts in subject.shards:
        if facts.rows is None or not subject.build.holds_pictures(facts.shard.configuration):
            continue
        keys = facts.rows.keys
        columns = [keys[name].to_pylist() for name in ("screen_id", "picture", "reencoded")]
        looked += len(keys)
        for row, (screen_id, digest, reencoded) in enumerate(zip(*columns, strict=True)):
            told = listed.get((facts.shard.split, screen_id))
            if not reencoded and None not in (digest, told) and digest != told:
                found.append(
                    f"{facts.name_of(row)}: its picture is not the one in the split's list"
                )
    return verdict(looked, "row", found)


def ids_unique(subject: Subject) -> Verdict:
    """No id occurs twice in a configuration, whatever the shards."""
    found, looked = [], 0
    for configuration in subject.build.row_types:
        keys = subject.keys_of(configuration)
        of_questions = subject.build.is_of_questions and configuration == subject.build.name
        name = "question_id" if of_questions else "screen_id"
        looked += len(keys)
        if len(keys):
            found += [
                f"{name} {value} occurs {len(places)} times: {', '.join(places[:4])}"
                for value, places in _repeated(subject, keys, keys[name])
            ]
    return verdict(looked, "id", found)


def questions_unique(subject: Subject) -> Verdict:
    """No question is asked twice on a screen, blanks and Unicode forms aside (ScreenQA A.2)."""
    if not subject.build.is_of_questions:
        return not_applicable(_NO_QUESTIONS)
    keys = subject.keys_of(subject.build.name)
    if not len(keys):
        return verdict(0, "question", ())
    asked = pc.binary_join_element_wise(keys["split"], keys["screen_id"], keys["text"], "\t")
    found = [
        f"screen {value.split(chr(9))[1]}: one question is asked {len(places)} times: "
        f"{', '.join(places[:4])}"
        for value, places in _repeated(subject, keys, asked)
    ]
    return verdict(len(keys), "question", found)


def questions_per_screen(subject: Subject) -> Verdict:
    """No screen has more questions than the manifest lets pass: 5 + 3 + 1 (ScreenQA 4.2, 4.4)."""
    if not subject.build.is_of_questions:
        return not_applicable(_NO_QUESTIONS)
    most = subject.limits.questions_per_screen
    keys = subject.keys_of(subject.build.name)
    counts = collections.Counter[str](keys["screen_id"].to_pylist() if len(keys) else ())
    found = [
        f"screen {screen_id}: has {count} questions, {most} are the most"
        for screen_id, count in counts.items()
        if count > most
    ]
    return verdict(len(counts), "screen", found)


def screens_beside(subject: Subject) -> Verdict:
    """Every question's screen is in the configuration `screens`, in the same split, and back."""
    if not subject.has_screens_beside:
        return not_applicable("the build has no configuration of screens beside its questions")
    asked, pictured = (
        _screens(subject, configuration) for configuration in (subject.build.name, SCREENS)
    )
    found = []
    for split, screen_id in sorted(asked - pictured, key=lambda pair: id_order(str(pair[1]))):
        found.append(f"screen {screen_id}: has questions in {split}, and no row there in {SCREENS}")
    for split, screen_id in sorted(pictured - asked, key=lambda pair: id_order(str(pair[1]))):
        found.append(f"screen {screen_id}: has a row in {SCREENS}, {split}, and no question there")
    return verdict(len(asked), "screen", found)


def answers_due(subject: Subject) -> Verdict:
    """Questions have the answers that were asked for, but for a share that may lack some.

    Three in validation and test, one in train, "with a few exceptions" (ScreenQA 4.3, D.2);
    the manifest's `too_few_answers` is that share. They were asked for by the split of the
    released file that a question comes from: one from its train file has one answer wherever
    a split by app puts it. A split of which no answers are known is left out: where splits
    are the source's own, they may be released for one only.
    """
    allowed = subject.limits.too_few_answers
    if not subject.build.is_of_questions or not _provides(subject, Need.ANSWERS):
        return not_applicable("the build has no answers")
    found, notes, looked = [], [], 0
    for split in SPLITS:
        shards = [f for f in subject.of(subject.build.name) if f.shard.split == split]
        lacking = [_lacking_answers(subject, facts) for facts in shards]
        given = sum(len(rows_of(facts).keys) for facts in shards)
        if not any((rows_of(facts).keys["answers"].to_numpy() >= 0).any() for facts in shards):
            continue
        looked += given
        few = sum(len(rows) for rows in lacking)
        told = (
            f"{split}: {few:,} of {given:,} questions ({few / given:.1%}) have fewer answers than "
            f"were asked for ({_asked_for(subject)})"
        )
        if few > allowed * given:
            pairs = zip(shards, lacking, strict=True)
            names = [facts.name_of(row) for facts, rows in pairs for row in rows[:3]]
            found.append(f"{told}; {allowed:.1%} may, such as {'; '.join(names[:3])}")
        elif few:
            notes.append(told)
    return verdict(looked, "question", found, note="; ".join(notes))


def _lacking_answers(subject: Subject, facts: ShardFacts) -> list[int]:
    """Returns the rows of a shard whose questions have fewer answers than were asked for."""
    keys = rows_of(facts).keys
    due = subject.build.summary["checks"]["answers"]
    released = {
        file["name"]: file["split"]
        for source in subject.build.summary["sources"].values()
        for file in source["files"]
        if file["split"] is not None
    }
    files = keys["file"].to_pylist()
    asked = numpy.array([due[released.get(name, facts.shard.split)] for name in files])
    return [int(row) for row in numpy.flatnonzero(keys["answers"].to_numpy() < asked)]


def _asked_for(subject: Subject) -> str:
    due = subject.build.summary["checks"]["answers"]
    return ", ".join(f"{due[split]} in {split}" for split in SPLITS)


def _has_leaves(subject: Subject) -> bool:
    """Whether any row can hold leaves: hierarchies alone do not make rows that do."""
    declared = any("leaves" in arrow_schema(row).names for row in subject.build.row_types.values())
    return declared and _provides(subject, Need.HIERARCHY)


def _provides(subject: Subject, *needs: Need) -> bool:
    return bool(set(needs) & set(subject.build.summary["provides"]))


def _repeated(
    subject: Subject, keys: pa.Table, values: pa.ChunkedArray
) -> Iterator[tuple[str, list[str]]]:
    """Yields each value that occurs twice or more, with the names of its rows."""
    counts = pc.value_counts(values)
    several = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")
    mask = pc.is_in(values, several)
    places: dict[str, list[str]] = {}
    shards, rows = keys["shard"].filter(mask).to_pylist(), keys["row"].filter(mask).to_pylist()
    for value, shard, row in zip(values.filter(mask).to_pylist(), shards, rows, strict=True):
        # A null is none of these rules' business.
        if value is not None:
            places.setdefault(value, []).append(f"{subject.shards[shard].path} row {row}")
    yield from places.items()


def _screens(subject: Subject, configuration: str) -> set[tuple[str, str]]:
    return {
        (facts.shard.split, screen_id)
        for facts in subject.of(configuration)
        for screen_id in rows_of(facts).keys["screen_id"].unique().to_pylist()
    }


ROW_RULES = (
    Rule("ids_unique", "no id occurs twice, in whatever shards", ids_unique),
    Rule(IDS_FIT, "question ids are those of their screens and questions", ids_fit),
    Rule(SPLIT_FITS, "rows say the split of their shard", split_fits),
    Rule("questions_unique", "no question is asked twice on a screen", questions_unique),
    Rule(
        "questions_per_screen",
        "no screen has more questions than may be",
        questions_per_screen,
    ),
    Rule("screens_beside", "every question's screen is there, in its split", screens_beside),
    Rule("answers_due", "questions have as many answers as were asked for", answers_due),
    Rule(
        ANSWERABLE,
        "answers have elements, others say so, and the flags agree",
        answerable_as_answered,
    ),
    Rule(BOXES_INSIDE, "boxes lie inside their image", boxes_inside),
    Rule(NO_GAPS, "lists have no null item, so that ranks have no gap", no_gaps),
    Rule(PICTURES_DECODE, "pictures decode whole, upright, with the stated size", pictures_decode),
    Rule("pictures_as_listed", "pictures are those of the split lists", pictures_as_listed),
)
