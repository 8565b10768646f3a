"""The order in which rows are told."""

from transforms.identifying import id_order


def row_order(row_id: str) -> tuple[tuple[int, str], str]:
    """Returns a sort key of a row's id: by its screen, 9 before 10, then by its question."""
    screen_id, _, question = row_id.rpartition(":")
    return id_order(screen_id or question), question
