"""Ghostwriter: a text written anew by public networks in a public style; see `recipe`."""

from __future__ import annotations

from allonym.anonymizers.ghostwriter.recipe import Ghostwriter as Ghostwriter
