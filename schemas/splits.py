"""The splits of a data set."""

SPLITS = ("train", "validation", "test")
"""Names and order of the splits everywhere."""
