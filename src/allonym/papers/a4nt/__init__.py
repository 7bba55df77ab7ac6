"""A4NT's tables and figures on blogs and speeches."""
