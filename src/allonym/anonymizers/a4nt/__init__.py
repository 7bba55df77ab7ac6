"""A4NT: text rewritten in the style of another age, gender or speaker. `recipe` is the method."""

from allonym.anonymizers.a4nt.recipe import A4NT

__all__ = ["A4NT"]
