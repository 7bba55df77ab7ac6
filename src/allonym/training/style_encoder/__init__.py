"""The style encoder in torch, and how it is trained."""
