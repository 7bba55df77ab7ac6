"""The personal pronouns of English, and whose they are."""

from __future__ import annotations

from typing import Final

SUBJECTS: Final = ("i", "we", "you", "he", "she", "they")
_FORMS: Final = (
    "i me my mine myself", "we us our ours ourselves", "you your yours yourself yourselves", "he him his himself",
    "she her hers herself", "they them their theirs themselves",
)  # fmt: skip
# The number of the person, as in `SUBJECTS`, by every form of the pronoun.
PERSONS: Final = {form: person for person, forms in enumerate(_FORMS) for form in forms.split()}
