"""Commonplace: a text in sentences of a public book, which nobody in particular wrote."""

from allonym.anonymizers.commonplace.recipe import Commonplace

__all__ = ["Commonplace"]
