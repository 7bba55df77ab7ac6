"""What a protection is worth on a table of texts, measured and reported."""
