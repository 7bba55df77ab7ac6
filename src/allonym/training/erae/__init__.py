"""ER-AE's network in torch, and how it is trained."""
