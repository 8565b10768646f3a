"""What ScreenQA printed (arXiv 2209.08199), as printed, to set our numbers beside."""

from typing import NamedTuple


class PaperRow(NamedTuple):
    """A row of Table 3 as printed: counts of screenshots and of questions, empty if none."""

    screens: str
    questions: str


FUNNEL = {
    "original": PaperRow("66k", ""),
    "non_english": PaperRow("11k", ""),
    "out_of_sync": PaperRow("13k", ""),
    "to_questions": PaperRow("51k", ""),
    "question_1": PaperRow("35k", "46k"),
    "question_2": PaperRow("", "36k"),
    "lack_of_content": PaperRow("15k", ""),
    "to_answers": PaperRow("35k", "82k"),
    "question_3_na": PaperRow("5k", "5k"),
    "asked": PaperRow("35k", "86k"),
    "train": PaperRow("28,378", "68,951"),
    "validation": PaperRow("3,485", "8,614"),
    "test": PaperRow("3,489", "8,419"),
}
"""Table 3, by stage of `transforms.funnel.STAGES`."""

TOTAL = PaperRow("35,352", "85,984")
"""Its last row."""

STEPS = {
    "original": "Prefiltering (4.1)",
    "question_1": "Question annotation (4.2)",
    "question_3_na": "Not-answerable questions (4.4)",
    "unsplit": "Data splitting (5.1)",
}
"""The first stage of each step of the work."""

AGREEMENT = {"full": 0.979, "partial": 0.019, "none": 0.002}
"""A.5: questions of validation and test by how their answers agree, by the paper's rule."""

AGREEMENT_TEXT = ", ".join(f"{100 * share:.1f} % {level}" for level, share in AGREEMENT.items())
"""The same in words: 97.9 % full, …"""

NOT_ANSWERABLE = 0.10
"""Fig. 2: about as many questions of each split have an answer "not answerable"."""

SINGLE_BOX = 0.84
"""5.3: answers with one box."""

NONE_OR_SINGLE_BOX = 0.91
"""Fig. 3b: questions that are not answerable or answered by one box."""

SINGLE_BOX_SOURCES = {"hierarchy": 0.51, "drawn": 0.49}
"""5.3: where the box of answers with one comes from."""

BOX_SOURCES = {"hierarchy": 0.51, "drawn": 0.48, "mixed": 0.008}
"""5.3: where the boxes of all answers come from."""

UNIQUE_QUESTIONS = 47.5 / 86
"""5.2: 47.5k of 86k questions are unique after SQuAD's normalizing."""
