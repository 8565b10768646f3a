"""Small files, written whole or not at all."""

import os


def write_text(path: str, text: str) -> None:
    """Writes a small text file whole: under a temporary name first, then renamed."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
