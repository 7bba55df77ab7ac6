"""Other people's classifiers as attackers: anything with scikit-learn's `fit` and `predict` that takes texts."""

from __future__ import annotations

import inspect
import os
import sys
from copy import deepcopy
from importlib import import_module
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from allonym.attackers.base import Arrays, Attacker
from allonym.errors import InputError, ParameterError

Floats: TypeAlias = NDArray[np.float64]

_LEAST_LOG = -1e4  # a probability of 0 is taken for its exponential: scores must be finite


class Foreign(Attacker):
    """Any classifier over texts, say a scikit-learn Pipeline that begins with a vectorizer.

    Its scores are those of `decision_function`, else of `predict_log_proba` or `predict_proba`, else 1 for the author
    that `predict` names. It cannot be saved: what it learned is in objects that only pickle could write.

    Args:
        classifier: An instance that has learned nothing yet; it is copied before it learns. Or "module:Class", where
            the class can be made without arguments; modules in the current folder are found, too.

    Raises:
        ParameterError: There is no such module or class, it cannot be made, or it has no `fit` and `predict`.
    """

    def __init__(self, classifier: Any) -> None:  # noqa: ANN401 - scikit-learn has no types
        self.classifier = classifier
        self._fresh = _imported(classifier) if isinstance(classifier, str) else classifier
        self.name = classifier if isinstance(classifier, str) else type(classifier).__name__
        lacks = [name for name in ("fit", "predict") if not callable(getattr(self._fresh, name, None))]
        if inspect.isclass(self._fresh) or lacks:
            raise ParameterError(
                f"{self.name} is no classifier over texts: it must be an instance with fit(texts, authors) and "
                "predict(texts), such as a scikit-learn Pipeline that begins with a vectorizer."
            )
        self.describes_itself_as = f"{self.name}, given by the user"

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        fresh = clone(self._fresh) if hasattr(self._fresh, "get_params") else deepcopy(self._fresh)
        try:
            fitted = fresh.fit(texts, self.classes_[writers].tolist())
        except Exception as error:
            self._fail("fit(texts, authors)", f"stopped with {type(error).__name__}", error)
        self._fitted = fresh if fitted is None else fitted
        names = [str(name) for name in getattr(self._fitted, "classes_", self.classes_)]
        if sorted(names) != self.classes_.tolist():
            self._fail("fit(texts, authors)", "left other classes_ than the authors it was given")
        self._order = np.argsort(np.array(names))  # columns as in `classes_`

    def _scores(self, texts: list[str]) -> Floats:
        for method in ("decision_function", "predict_log_proba", "predict_proba"):
            if callable(getattr(self._fitted, method, None)):
                return self._numbers(method, self._asked(method, texts), len(texts))
        named = np.array([str(name) for name in self._asked("predict", texts)])
        if len(named) != len(texts) or not np.isin(named, self.classes_).all():
            self._fail("predict(texts)", "did not name one of the known authors for each text")
        votes: Floats = (named[:, None] == self.classes_).astype(np.float64)
        return votes

    def _asked(self, method: str, texts: list[str]) -> Any:  # noqa: ANN401 - whatever it answers
        try:
            return getattr(self._fitted, method)(texts)
        except Exception as error:
            self._fail(f"{method}(texts)", f"stopped with {type(error).__name__}", error)

    def _numbers(self, method: str, answer: Any, documents: int) -> Floats:  # noqa: ANN401 - whatever it answers
        """Return an answer as documents × authors in the order of `classes_`, or say what is wrong with it."""
        try:
            values = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError) as error:
            self._fail(f"{method}(texts)", "did not return numbers", error)
        if values.ndim == 1 and len(self.classes_) == 2:  # scikit-learn's way: how much the second one is preferred
            values = np.stack([-values, values], axis=1)
        if values.shape != (documents, len(self.classes_)):
            wanted = f"{documents} × {len(self.classes_)}"
            self._fail(f"{method}(texts)", f"returned numbers of shape {values.shape} in the place of {wanted}")
        if method == "predict_proba":
            values = np.log(values, out=np.full_like(values, _LEAST_LOG), where=values > 0)
        if method != "decision_function":
            values = np.maximum(values, _LEAST_LOG)
        if not np.isfinite(values).all():
            self._fail(f"{method}(texts)", "returned numbers that are not finite")
        return values[:, self._order]

    def _fail(self, call: str, what: str, error: Exception | None = None) -> NoReturn:
        # An exception of foreign code may quote a text, so that only its kind is told.
        raise InputError(f"{call} of the attacker {self.name} {what}; try it on a few texts by itself.") from error

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        raise InputError(f"The attacker {self.name} cannot be saved; train it again where it is needed.")


def _imported(path: str) -> Any:  # noqa: ANN401 - whatever is there
    """Return an instance of "module:Class", or the object of that name itself if it is no class."""
    module_name, colon, name = path.partition(":")
    if not (colon and module_name and name):
        raise ParameterError(f"A classifier must be given as module:Class, got {path!r}.")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # last, so that no file here takes the place of an installed package
    try:
        module = import_module(module_name)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise ParameterError(f"The module {module_name} cannot be imported ({reason}); look for it here.") from error
    if not hasattr(module, name):
        raise ParameterError(f"The module {module_name} has no {name}; give one of its classes, as module:Class.")
    thing = getattr(module, name)
    if not inspect.isclass(thing) and not inspect.isfunction(thing):
        return thing
    try:
        return thing()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise ParameterError(f"{path} cannot be made without arguments ({reason}); give one that can.") from error
