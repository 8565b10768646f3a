"""When two answers name the same elements of a screen (ScreenQA A.5)."""

from collections.abc import Callable, Sequence

from schemas.annotations import AnswerElement
from schemas.geometry import intersect
from transforms.identifying import normalize_text


def is_same_element(
    one: AnswerElement,
    other: AnswerElement,
    *,
    normalize: Callable[[str], str] = normalize_text,
) -> bool:
    """Returns whether two boxes are the same node, or overlap and bear the same text.

    Stranger than it looks (A.5): a leaf and a box drawn over it are the same if their texts
    are; one leaf with two texts is the same; the overlap has no lower bound but zero, so
    that the 0.1 of the metric plays no part; boxes that only touch do not intersect. Texts
    that are empty say nothing and match nothing.
    """
    if one.vh_index >= 0 and one.vh_index == other.vh_index:
        return True
    if not intersect(one.bounds, other.bounds).area:
        return False
    text = normalize(one.text)
    return bool(text) and text == normalize(other.text)


def have_same_elements(
    one: Sequence[AnswerElement],
    other: Sequence[AnswerElement],
    *,
    normalize: Callable[[str], str] = normalize_text,
) -> bool:
    """Returns whether the elements of two lists can be paired off, order ignored.

    "The same elements" (A.5) cannot mean equal sets: x may be the same as y and y the same
    as z without x being the same as z. So it means equal length and a pairing that leaves
    nobody over, which a greedy search can miss. Two empty lists have none in common: else
    "Yes" and "No", both without a box, would agree.
    """
    if not one or len(one) != len(other):
        return False
    partners = [
        [
            at
            for at, theirs in enumerate(other)
            if is_same_element(ours, theirs, normalize=normalize)
        ]
        for ours in one
    ]
    return _can_pair_off(partners)


def _can_pair_off(partners: list[list[int]]) -> bool:
    """Returns whether each left node gets a right node of its own (augmenting paths)."""
    right_of: dict[int, int] = {}
    left_of: dict[int, int] = {}
    return all(
        _pair_one_more(start, partners, right_of=right_of, left_of=left_of)
        for start in range(len(partners))
    )


def _pair_one_more(
    start: int, partners: list[list[int]], *, right_of: dict[int, int], left_of: dict[int, int]
) -> bool:
    reached_from: dict[int, int] = {}
    queue = [start]
    for left in queue:  # Grows as it is walked: breadth first, without recursion.
        for right in partners[left]:
            if right in reached_from:
                continue
            reached_from[right] = left
            if right in left_of:
                queue.append(left_of[right])
                continue
            _shift(right, reached_from, right_of=right_of, left_of=left_of)
            return True
    return False


def _shift(
    free: int, reached_from: dict[int, int], *, right_of: dict[int, int], left_of: dict[int, int]
) -> None:
    """Gives `free` to the node it was reached from, and that one's old partner onwards."""
    right: int | None = free
    while right is not None:
        left = reached_from[right]
        left_of[right] = left
        previous = right_of.get(left)
        right_of[left] = right
        right = previous
