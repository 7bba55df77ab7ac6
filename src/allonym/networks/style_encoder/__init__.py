"""The style encoder: texts as vectors that are alike where the writer is the same."""
