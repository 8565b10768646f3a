"""When two texts that people typed are the same text."""

import unicodedata


def normalize_text(text: str) -> str:
    """Returns `text` in Unicode NFC with every run of whitespace as one blank, ends trimmed.

    Case and punctuation stay: ScreenQA A.5 says "the same", not "the same but for". The
    normalising of answers for scores (SQuAD's) is another one and would raise agreement.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())
