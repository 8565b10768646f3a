"""The README.md of an export of chat examples: what a line holds, and how to read it."""

from collections.abc import Sequence

from pipelines.exporting.exported import ExportedFile
from pipelines.terminal import safe
from transforms.chat.formats import ChatFormat
from transforms.chat.prompts import instructions
from transforms.chat.tasks import ChatChoice, ChatTask, Pick

_TASKS = {
    ChatTask.SQA_S: "a short answer; `<no answer>` where the screen gives none",
    ChatTask.SQA_L: "an answer as a sentence; `<no answer>` where the screen gives none",
    ChatTask.SQA_UIC: "the texts of the elements that hold the answer, as a JSON list; empty "
    "where the screen gives none",
    ChatTask.SQA_UIC_BB: "the same elements with their boxes",
}

_PROMPTS = {
    False: "Each question follows its task's instruction on a new line. That of `sqa_s` is the one "
    "of ScreenQA's zero-shot evaluation (D.1); the paper prints no other, and does not say "
    "how a list is written down: the others are ours.\n",
    True: "Each question follows its task's words after a blank. Those of `sqa_s` are the ones "
    "that PaliGemma was trained on for questions about pictures; the paper does not say what its "
    "PaliGemma was told, nor how a list is written down: the others are ours.\n",
}

_LAYOUTS = {
    ChatFormat.PALIGEMMA: """\
Each line has `image` (a path in this folder), `prefix` and `suffix`, as `datasets/jsonl.py` of
big_vision reads them (`fopen_keys={"image": THIS_FOLDER}`) and PaliGemma's processor takes them.

A box is four location tokens, ymin, xmin, ymax, xmax, from `<loc0000>` to `<loc1023>`, each edge
rounded as big_vision does (`round(edge / size * 1023)`, a half to the even one); behind it comes
the element's text. Elements are parted by ` ; `; none at all is `<no answer>`. An element that
this would leave without area goes out to the next steps. A text in which the tokenizer would
find a control token, such as `<loc0001>` or `<image>`, has a blank behind that bracket.

```python
import json, pathlib, re

folder = pathlib.Path(".")
for path in sorted(folder.glob("sqa_*/*.jsonl")):
    for line in path.read_text().splitlines():
        example = json.loads(line)
        picture = (folder / example["image"]).read_bytes()
        boxes = re.findall(r"<loc(\\d{4})>" * 4, example["suffix"])
        relative = [[int(step) / 1023 for step in box] for box in boxes]
```
""",
    ChatFormat.GEMINI: """\
Each line has `contents` of a user (`fileData`, then `text`) and a model, as supervised tuning on
Vertex AI reads them. A `fileUri` must be one of Cloud Storage or the web when tuning begins.
Where it is a path in this folder, copy `images/` into a bucket and export again with
`--image-prefix gs://BUCKET/FOLDER/`, or set that before each path.

A box is `box_2d`, [ymin, xmin, ymax, xmax] in thousandths of the picture's height and width,
each edge to the nearest; an element that this would leave without area goes out to the next.

```python
import json, pathlib

folder = pathlib.Path(".")
for path in sorted(folder.glob("sqa_*/*.jsonl")):
    for line in path.read_text().splitlines():
        user, model = json.loads(line)["contents"]
        file, question = user["parts"]
        reply = model["parts"][0]["text"]
        if path.parent.name == "sqa_uic_bb":
            boxes = [element["box_2d"] for element in json.loads(reply)]
```
""",
    ChatFormat.OPENAI: """\
Each line has `messages` of a user (`text`, then `image_url`) and an assistant, as OpenAI's vision
fine-tuning and the services that follow its interface read them. Without `--image-prefix
https://…` the pictures are in the lines, as data URLs; `images/` has them once more as files.
Look up a service's limits before uploading: OpenAI's were 50,000 examples with pictures a file,
10 MB a picture, and no pictures of people.

A box is `bounds`, [left, top, right, bottom] in thousandths of the picture's width and height,
not in pixels: the service shrinks pictures before a model sees them. Each edge goes to the
nearest; an element that this would leave without area goes out to the next.

```python
import base64, json, pathlib

folder = pathlib.Path(".")
for path in sorted(folder.glob("sqa_*/*.jsonl")):
    for line in path.read_text().splitlines():
        user, assistant = json.loads(line)["messages"]
        question, image = user["content"]
        url = image["image_url"]["url"]
        if url.startswith("data:"):
            picture = base64.b64decode(url.partition(",")[2], validate=True)
        if path.parent.name == "sqa_uic_bb":
            boxes = [element["bounds"] for element in json.loads(assistant["content"])]
```
""",
}


def chat_readme(
    name: str, version: str, layout: ChatFormat, choice: ChatChoice, files: Sequence[ExportedFile]
) -> str:
    """Returns the README as Markdown.

    Args:
        name: The data set's, as is the following.
        version: Its version.
        layout: The layout of the examples.
        choice: Which right answers made examples.
        files: The files of examples.
    """
    tasks = [task for task in ChatTask if any(f.path.startswith(f"{task}/") for f in files)]
    rows = [f"| `{f.path}` | {f.questions} | {f.answers} | {f.left_out} |" for f in files]
    parts = [
        f"# {_code(f'{name} {version}')} as examples for {layout}\n",
        "| file | questions | examples | questions left out |\n| --- | --- | --- | --- |\n"
        + "\n".join(rows)
        + "\n",
        "A question is left out where the build does not know what the task asks for.\n",
        "## Tasks\n",
        "\n".join(f"- `{task}`: {_TASKS[task]}." for task in tasks) + "\n",
        _choice_text(choice),
        "## Layout\n",
        _LAYOUTS[layout],
        "## Instructions\n",
        _PROMPTS[layout is ChatFormat.PALIGEMMA],
        *(f"`{task}`:\n\n```\n{instructions(layout)[task].rstrip()}\n```\n" for task in tasks),
    ]
    return "\n".join(parts)


def _choice_text(choice: ChatChoice) -> str:
    """Returns which answers made examples."""
    said = {
        Pick.ONE: f"one, chosen by the seed {_code(choice.seed)}",
        Pick.ALL: "all that differ, an example each",
    }
    return (
        f"Of several short answers: {said[choice.short_answers]}. Of several annotators' answers: "
        f"{said[choice.answers]}. A seed chooses the item whose place, from 0, is the first eight "
        "bytes (big-endian) of SHA-256 of the seed, a zero byte and the question's id, modulo the "
        "number of items; short answers are sorted for it, annotators' answers are in the row's "
        "order.\n"
    )


def _code(text: str) -> str:
    """Returns a text as Markdown code that nothing in it can end."""
    return f"`{safe(text).replace('`', chr(0x2019)).replace(chr(10), ' ')}`"
