"""Numbers that pages state: where each comes from, how it is written, and which stand there without a source."""
