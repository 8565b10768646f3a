"""How much may come out of little, and how full a disk may become."""

import shutil

RATIO = 100
"""What is packed may become so many times as large; beyond, it is taken for a bomb."""

FREE_RATIO_BYTES = 64 << 20
"""So much may come out of anything: small files of zeros are harmless."""

MAX_UNSTATED_BYTES = 64 << 30
"""A file whose size nobody states must end before that."""

_RESERVE_BYTES = 1 << 30
_RESERVE_SHARE = 0.05


def most_unpacked(packed_bytes: int, ratio: int = RATIO) -> int:
    """Returns how many bytes may come out of so many."""
    return max(FREE_RATIO_BYTES, ratio * packed_bytes)


def spare_bytes(folder: str) -> int:
    """Returns what a file without a stated size may still take of the disk of a folder.

    1 GB stays free for others, on a small disk a twentieth of it.
    """
    usage = shutil.disk_usage(folder or ".")
    return usage.free - min(_RESERVE_BYTES, int(usage.total * _RESERVE_SHARE))
