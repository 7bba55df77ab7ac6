"""Books of public sentences: made from public text, opened, searched for what is near in meaning, and described."""
