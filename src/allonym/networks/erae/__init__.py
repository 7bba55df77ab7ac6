"""ER-AE's network: how likely it finds every word."""
