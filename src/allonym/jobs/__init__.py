"""Whole files through an anonymizer: formats, chunks and engines."""
