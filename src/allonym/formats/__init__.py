"""File formats: documents read from each, and texts and term vectors written."""
