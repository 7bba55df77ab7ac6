"""Whole files through an anonymizer: plans, chunks and engines."""
