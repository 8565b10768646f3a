"""The splits of a data set."""

SPLITS = ("train", "validation", "test")
"""Names and order of the splits everywhere."""


def split_order(split: str) -> tuple[int, str]:
    """Returns a sort key that puts splits in their order, and any other name behind them."""
    return SPLITS.index(split) if split in SPLITS else len(SPLITS), split
