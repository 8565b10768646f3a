"""`screenset export --as`: a finished build as examples that a model is tuned with.

One JSON Lines file a task and split, `sqa_s/train.jsonl`, the pictures once each in `images/`,
and a README.md that says how to read it all. What an example looks like is decided in
`transforms.chat`.
"""

import base64
import contextlib
import dataclasses
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from pipelines.errors import UserError
from pipelines.exporting.chat_readme import chat_readme
from pipelines.exporting.exported import Exported, ExportedFile
from pipelines.exporting.new_folder import new_folder
from pipelines.exporting.ordering import rows_by_id
from pipelines.exporting.pictures import PictureFile, picture_shards, write_pictures
from pipelines.finished_builds import Row, open_build, question_shards
from schemas.geometry import Bounds, Size
from schemas.questions import Answer, UiElement
from transforms.chat.formats import ChatFormat, Picture, chat_line
from transforms.chat.tasks import (
    DEFAULT_SEED,
    ChatChoice,
    ChatQuestion,
    ChatTask,
    Pick,
    targets,
)

_COLUMNS = (
    "screen_id",
    "question_id",
    "width",
    "height",
    "question",
    "answers",
    "short_answers",
)
_PREFIX = re.compile(r"(?:gs|https?)://[A-Za-z0-9._~:/%+-]+")
"""An address without what may hold a secret: a name with a password, or a signed query."""

_LACKING = {
    ChatTask.SQA_S: "short answers",
    ChatTask.SQA_L: "answers of annotators",
    ChatTask.SQA_UIC: "answers of annotators with elements",
    ChatTask.SQA_UIC_BB: "answers of annotators with boxes",
}


@dataclasses.dataclass(frozen=True, slots=True)
class ChatOptions:
    """How examples are to be made, as a command says it.

    `layout` is one of `ChatFormat`. `tasks` are those of `ChatTask` to write; none means all
    that the build has answers for. Of several short answers, and of several annotators'
    answers, `one` chosen by `seed` makes an example, or `all`. `image_prefix` is the address
    under which `images/` will be reached: `gs://bucket/folder/` for Gemini, `https://…/` for
    either service. Without one Gemini's examples name files of the export, and OpenAI's hold
    the pictures as data URLs.
    """

    layout: str
    tasks: Sequence[str] = ()
    short_answers: str = Pick.ONE
    answers: str = Pick.ONE
    seed: str = DEFAULT_SEED
    image_prefix: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class _Plan:
    """The same, understood."""

    layout: ChatFormat
    tasks: tuple[ChatTask, ...]
    choice: ChatChoice
    image_prefix: str


@dataclasses.dataclass(slots=True)
class _Count:
    """How far one file is: its questions, its examples, the questions without any."""

    questions: int = 0
    examples: int = 0
    left_out: int = 0


def export_chat(built: str, out: str, options: ChatOptions) -> Exported:
    """Writes examples for tuning a model, made of a finished build, into the folder `out`.

    Examples are in the order of their screens' ids, and are the same bytes for the same build
    and options. Rows are read a few hundred at a time, pictures a few at a time.

    Args:
        built: Folder of the build.
        out: The folder to make; it appears whole or not at all.
        options: How the examples are to be made.

    Raises:
        UserError: If `built` is no finished build of questions with pictures, has no answers
            for a task that was asked for or for any, one of its shards is damaged, the prefix
            of images is no address, or `out` is there already or cannot be made.
    """
    plan = _plan_of(options)
    build = open_build(built)
    shards = question_shards(built, _COLUMNS)
    pictures_in = picture_shards(build)
    out = os.path.abspath(out)
    with new_folder(out) as folder:
        pictures = write_pictures(pictures_in, folder)
        files = tuple(_write_tasks(shards, pictures, folder, plan))
        _refuse_lacking(built, files, plan)
        text = chat_readme(build.name, build.version, plan.layout, plan.choice, files)
        with _whole_file(os.path.join(folder, "README.md")) as file:
            file.write(text)
    return Exported(out, files, f"chat examples for {plan.layout}", len(pictures))


def _plan_of(options: ChatOptions) -> _Plan:
    try:
        layout = ChatFormat(options.layout)
        tasks = tuple(dict.fromkeys(map(ChatTask, options.tasks)))
        choice = ChatChoice(Pick(options.short_answers), Pick(options.answers), options.seed)
    except ValueError as error:
        raise UserError(f"export: {error}") from error
    _check_prefix(layout, options.image_prefix)
    return _Plan(layout, tasks, choice, options.image_prefix)


def _check_prefix(layout: ChatFormat, prefix: str) -> None:
    if not prefix:
        return
    if layout is ChatFormat.PALIGEMMA:
        raise UserError(
            "--image-prefix: PaliGemma's loader takes a folder of its own; leave it out"
        )
    web = ("https://", "http://")
    schemes = ("gs://", *web) if layout is ChatFormat.GEMINI else web
    if not _PREFIX.fullmatch(prefix) or not prefix.startswith(schemes):
        raise UserError(
            f"--image-prefix: is no plain address that begins with {' or '.join(schemes)}"
        )


def _refuse_lacking(built: str, files: Sequence[ExportedFile], plan: _Plan) -> None:
    """Refuses an export without any example, or without one of a task that was asked for."""
    there = {file.path.partition("/")[0] for file in files}
    for task in plan.tasks:
        if task not in there:
            raise UserError(f"{built} has no {_LACKING[task]}, which the task {task} is made of")
    if not there:
        raise UserError(f"{built} has no answers, which examples are made of")


def _write_tasks(
    shards: Mapping[str, Sequence[str]],
    pictures: Mapping[str, PictureFile],
    folder: str,
    plan: _Plan,
) -> Iterator[ExportedFile]:
    """Writes the files of all tasks, and takes back a task that nothing is of."""
    counts: dict[ChatTask, dict[str, _Count]] = {task: {} for task in plan.tasks or ChatTask}
    for task in counts:
        os.mkdir(os.path.join(folder, task))
    for split, paths in shards.items():
        with contextlib.ExitStack() as stack:
            files = {
                task: stack.enter_context(_whole_file(os.path.join(folder, task, f"{split}.jsonl")))
                for task in counts
            }
            for task, count in _write_split(paths, files, pictures, folder, plan).items():
                counts[task][split] = count
    for task, by_split in counts.items():
        if not any(count.examples for count in by_split.values()):
            shutil.rmtree(os.path.join(folder, task))
            continue
        for split, count in by_split.items():
            name = f"{task}/{split}.jsonl"
            yield ExportedFile(name, count.questions, count.examples, count.left_out)


def _write_split(
    paths: Sequence[str],
    files: Mapping[ChatTask, TextIO],
    pictures: Mapping[str, PictureFile],
    folder: str,
    plan: _Plan,
) -> dict[ChatTask, _Count]:
    counts = {task: _Count() for task in files}
    screen_id, picture = None, Picture("", "")
    for row in rows_by_id(paths, _COLUMNS):
        if row["screen_id"] != screen_id:
            screen_id = row["screen_id"]
            picture = _picture(screen_id, pictures, folder, plan)
        question = question_of(row)
        for task, file in files.items():
            found = targets(question, task, plan.choice)
            for target in found:
                file.write(chat_line(plan.layout, task, question.text, target, picture))
            counts[task].questions += bool(found)
            counts[task].examples += len(found)
            counts[task].left_out += not found
    return counts


def question_of(row: Row) -> ChatQuestion:
    """Returns what examples need of a published row.

    Raises:
        UserError: If a value is missing that rows of questions have, or a box has not four edges.
    """
    try:
        answers = tuple(map(_answer, row["answers"]))
        short_answers = tuple(row["short_answers"])
    except TypeError as error:
        raise _damaged(row) from error
    texts = [row["question_id"], row["question"], *short_answers]
    texts += [text for a in answers for text in (a.full_answer, *(e.text for e in a.ui_elements))]
    if not all(isinstance(text, str) for text in texts):
        raise _damaged(row)
    known = bool(row["width"] and row["height"])
    size = Size(row["width"], row["height"]) if known else None
    return ChatQuestion(row["question_id"], row["question"], short_answers, answers, size)


def _answer(answer: Row) -> Answer:
    elements = (
        UiElement(e["text"], Bounds(*map(int, e["bounds"])), -1) for e in answer["ui_elements"]
    )
    return Answer(answer["full_answer"], tuple(elements))


def _damaged(row: Row) -> UserError:
    return UserError(
        f"the row of question {row['question_id']!r:.120} is damaged; run screenset check"
    )


def _picture(
    screen_id: str, pictures: Mapping[str, PictureFile], folder: str, plan: _Plan
) -> Picture:
    file = pictures.get(screen_id)
    if file is None:
        raise UserError(
            f"screen {screen_id!r:.80} has questions and no picture; run screenset check"
        )
    if plan.layout is ChatFormat.OPENAI and not plan.image_prefix:
        with open(os.path.join(folder, file.path), "rb") as opened:
            data = base64.b64encode(opened.read()).decode("ascii")
        return Picture(file.mime, f"data:{file.mime};base64,{data}")
    prefix = plan.image_prefix
    return Picture(file.mime, f"{prefix.rstrip('/')}/{file.path}" if prefix else file.path)


@contextlib.contextmanager
def _whole_file(path: str) -> Iterator[TextIO]:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
