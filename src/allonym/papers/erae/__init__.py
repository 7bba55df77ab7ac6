"""ER-AE's tables and figures on reviews."""
