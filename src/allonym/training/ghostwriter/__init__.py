"""Training of Ghostwriter's network: from public text to a model folder that writes notes out."""
