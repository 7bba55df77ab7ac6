"""A4NT's networks in torch, and how they are trained."""
