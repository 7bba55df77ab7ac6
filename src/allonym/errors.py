"""What can go wrong, in a few classes.

Every message is a sentence with a way out, and none ever holds a user's text.
"""

from __future__ import annotations


class AllonymError(Exception):
    """Base of all errors this package raises on purpose."""


class ParameterError(AllonymError, ValueError):
    """A parameter has a value it must not have."""


class InputError(AllonymError, ValueError):
    """An input file, column or text cannot be read as asked."""


class ModelError(AllonymError):
    """A model folder is missing, incomplete or does not match its checksum."""


class MissingDependencyError(AllonymError, ImportError):
    """An optional part is asked for that is not installed."""


class BudgetError(AllonymError):
    """A release would spend more than a cap allows; nothing was drawn or charged."""


class RowsError(AllonymError):
    """Some documents could not be anonymized."""


class ResumeError(AllonymError):
    """A job cannot be taken up again: there is none, or its input, settings or version changed."""


class StoppedError(AllonymError):
    """A job was interrupted and can be taken up again."""
