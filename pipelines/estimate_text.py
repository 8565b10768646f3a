"""An estimate of `agreement.json` in words."""

from collections.abc import Callable, Mapping
from typing import Any


def estimate_text(
    estimate: Mapping[str, Any], unit: str = "", shown: Callable[[str], str] = str
) -> str:
    """Returns an estimate with its interval, as 0.986 (0.952–1), or a dash and why there is none.

    Args:
        estimate: As `agreement.json` holds it.
        unit: What comes behind the value.
        shown: Makes the reason fit for where it is shown.
    """
    value, interval = estimate["statistic"]["value"], estimate["interval"]
    if value is None:
        return f"– ({shown(estimate['statistic']['reason'])})"
    between = "" if interval["low"] is None else f" ({interval['low']:.3g}–{interval['high']:.3g})"
    return f"{value:.3g}{unit}{between}"
