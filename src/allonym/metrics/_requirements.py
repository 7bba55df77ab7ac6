"""What the optional measures lack on this machine."""

from __future__ import annotations

from importlib import import_module

from allonym.errors import AllonymError
from allonym.metrics import _language_model, _meteor, _minilm
from allonym.metrics._shared import how_to_install, installed, packaged_file
from allonym.metrics.fluency import GRAMMAR_EXTRA, GRAMMAR_MODULE


def lacks() -> dict[str, str]:
    """Return for each optional measure what is missing, as a sentence with a way out; nothing if all is there."""
    encoder = _encoder()
    return {
        "cosine": encoder,
        "embed": encoder,
        "grammar_findings": _packages("The grammar checker", GRAMMAR_EXTRA, GRAMMAR_MODULE),
        "meteor_1_5": _meteor.missing(),
        "meteor_nltk": _wordnet(),
        "perplexity": _language_model.missing(),
    }


def _packages(what: str, extra: str, *modules: str) -> str:
    absent = [module for module in modules if not installed(module)]
    return f"{what} needs {absent[0]}, which is not installed: {how_to_install(extra)}." if absent else ""


def _encoder() -> str:
    lack = _packages("The sentence encoder", _minilm.EXTRA, "onnxruntime", "tokenizers", _minilm.MODULE)
    if not lack and packaged_file(_minilm.MODULE, _minilm.NETWORK) is None:
        return f"The package {_minilm.PACKAGE} has no {_minilm.NETWORK}: {how_to_install(_minilm.EXTRA)}."
    return lack


def _wordnet() -> str:
    """Look for WordNet without reading it, which takes seconds."""
    from allonym.language import synonyms

    lack = _packages("METEOR by nltk", "wordnet", "nltk")
    if not lack:
        try:
            synonyms._found(import_module("nltk.data"))
        except AllonymError as error:
            return str(error)
    return lack
