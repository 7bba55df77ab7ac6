"""Promises as objects: what is guaranteed, how losses add up, and how to say it."""

from allonym.privacy.guarantee import AlsoHolds, Guarantee

__all__ = ["AlsoHolds", "Guarantee"]
