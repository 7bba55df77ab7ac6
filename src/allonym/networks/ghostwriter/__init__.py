"""Ghostwriter's notes: read off a text, chosen by meaning, and written out by a network. Torch is never imported."""
