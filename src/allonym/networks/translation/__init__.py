"""Mozilla's small translation networks, read from the package that carries them, with several answers to a sentence."""
