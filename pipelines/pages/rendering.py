"""Self-contained HTML pages from templates: nothing is fetched, and text stays text.

Every value goes through three doors on its way into a page: `shown` (signs that would act on
the reader are spelled out), autoescape (markup stays text), and a content security policy that
allows nothing but our own style and script, by their hashes, and pictures inside the page.
"""

import base64
import functools
import hashlib
import importlib.resources
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import jinja2
from markupsafe import Markup

from pipelines.terminal import size

_TEMPLATES = "templates"
_KEPT = frozenset("\n\t\u200d")
"""Control and format signs that a text may have: the last joins the parts of an emoji."""
_ACTING = re.compile(r"[\x00-\x1f\x7f-\x9f]|[^\x20-\x7e\xa0-\xac\xae-\u02ff]")
"""What may need to be spelled out: a cheap first look at a text."""


def render(template: str, values: Mapping[str, Any]) -> str:
    """Returns a page.

    Templates lie in `pipelines/pages/templates` and extend `base.html.j2`, whose blocks are
    `title`, `header`, `main` and `scripts`. They have the filters `number` (12,345),
    `percent` (share 0 to 1 as 12.3 %) and `size` (1.2 MB), and the functions `style(name)` and
    `script(name)`, which put a file of that folder inline. None is shown as a dash; a name that
    is not in `values` is an error.

    Args:
        template: Name of the template, such as `report.html.j2`.
        values: What it shows. All of it is text, unless it is `markupsafe.Markup`.
    """
    page = _environment().get_template(template).render(values)
    return page if page.endswith("\n") else page + "\n"


def shown(text: str) -> str:
    """Returns a text whose control, bidirectional and unseen signs are spelled out.

    U+202E, which turns what follows it round, becomes `⟨U+202E⟩`. Line ends, tabs and the
    joiner of emoji stay.
    """
    return _ACTING.sub(_spelled, text)


def number(value: int | None) -> str:
    """Returns a count with thousands commas, a dash for None."""
    return "–" if value is None else f"{value:,}"


def percent(share: float | None, digits: int = 1) -> str:
    """Returns a share from 0 to 1 in percent, a dash for None."""
    # A space that neither breaks nor is wide: U+202F.
    return "–" if share is None else f"{share:.{digits}%}".replace("%", "\u202f%")


def policy() -> str:
    """Returns the content security policy of our pages: their own style and script only."""
    hashes = {suffix: " ".join(map(_hash, _assets(suffix))) for suffix in ("css", "js")}
    return (
        f"default-src 'none'; style-src {hashes['css']}; script-src {hashes['js']}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent, "size": size}
    environment.globals |= {
        "policy": policy(),
        "style": lambda name: Markup(f"<style>{_read(name)}</style>"),
        "script": lambda name: Markup(f"<script>{_read(name)}</script>"),
    }
    return environment


def _finalize(value: Any) -> Any:
    """Prepares any value that a template puts out; autoescape comes after it."""
    if value is None:
        return "–"
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _spelled(match: re.Match[str]) -> str:
    sign = match[0]
    category = unicodedata.category(sign)
    if sign in _KEPT or category not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp"):
        return sign
    return f"⟨U+{ord(sign):04X}⟩"


def _folder() -> Any:
    return importlib.resources.files("pipelines.pages") / _TEMPLATES


def _read(name: str) -> str:
    return str((_folder() / name).read_text(encoding="utf-8"))


def _assets(suffix: str) -> list[str]:
    return sorted(
        _read(entry.name) for entry in _folder().iterdir() if entry.name.endswith(f".{suffix}")
    )


def _hash(text: str) -> str:
    """Returns the hash of an inline style or script, as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
