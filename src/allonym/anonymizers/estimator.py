"""scikit-learn's conventions for an estimator, without importing it: that takes two seconds and 170 MB."""

from __future__ import annotations

import inspect
from typing import Any, Self

from allonym.errors import ParameterError

_SHOWN_CHARACTERS = 60  # of a parameter's value


class Estimator:
    """Parameters that can be read, set and cloned, and the tags that a `Pipeline` asks for."""

    @classmethod
    def _get_param_names(cls) -> list[str]:  # scikit-learn's name for it
        return sorted(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; none of them is an estimator, so there is nothing deeper."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Self:  # noqa: ANN401
        """Set parameters by name."""
        known = self._get_param_names()
        for name, value in params.items():
            if name not in known:
                raise ParameterError(f"{name} is not a parameter of {type(self).__name__}; it has {', '.join(known)}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Return the call that would make it, with the parameters that are not at their defaults."""
        defaults = inspect.signature(type(self)).parameters
        shown = {name: repr(value) for name, value in self.get_params().items()}
        changed = [
            f"{name}={text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + '…'}"
            for name, text in shown.items()
            if text != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), transformer_tags=TransformerTags())
