"""A4NT's networks: a translator between styles, and words that may take the place of others."""
