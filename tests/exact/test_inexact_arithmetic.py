"""Float matrix products and transcendental functions: who may use them, and why no draw depends on their last bits.

A matrix product's last bits depend on the library, its version for the processor and the shape of the batch; those of
`log`, `exp`, `sin` and the like on the mathematical library. What decides a draw must not: it uses `arithmetic`,
whole numbers, or products whose every partial sum is a whole number that the float holds exactly.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "allonym"

_NUMPY = {"np", "numpy", "math", "torch", "functional", "F", "special", "cmath"}
PRODUCTS = {"matmul", "dot", "vdot", "einsum", "tensordot", "linalg", "norm", "bmm", "mm", "addmm", "baddbmm", "cdist"}
FUNCTIONS = {
    "log", "log1p", "log2", "log10", "exp", "exp2", "expm1", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arcsin",
    "arccos", "arctan", "arctan2", "atan2", "float_power", "logaddexp", "erf", "lgamma", "cbrt", "softmax",
    "log_softmax", "sigmoid", "logsumexp", "ln", "hypot",
}  # fmt: skip
ONLY_OF_LIBRARIES = {"inner", "power", "pow", "linear", "gamma"}  # common names otherwise

_EXACT = "products of whole numbers whose partial sums stay below 2^24, which float32 adds exactly in any order"

# Everything a draw can depend on, but for the packages below. A module that is not here uses none of these.
ALLOWED: dict[str, str] = {
    "vectors/closeness.py": _EXACT,
    "vectors/nearest.py": _EXACT,
    "vectors/products.py": _EXACT,
    "networks/sentences/centre.py": "products of 64-bit whole numbers, which no library adds in floats",
    "vectors/ratings.py": _EXACT,
    "mechanisms/metric_pairs.py": _EXACT,
    "vectors/label_profiles.py": (
        "sums of counts, which are whole numbers; `evidence` is for who analyses what is already out"
    ),
    "vectors/_loops/nearest.py": "lengths, for a shortlist that bounds any rounding; `WordTable._decide` is exact",
    "vectors/embeddings.py": (
        "a shortlist that bounds any rounding; `_decide` is exact. `unit` and `neighbours` draw nothing"
    ),
    "distances.py": "distances that are printed, never drawn from",
    "anonymizers/words/substitution.py": "sums of counts; `between` prints a distance and draws nothing",
    "anonymizers/words/deniability.py": "figures that describe a mechanism, printed only",
    "mechanisms/bounds.py": "bounds that are printed, never drawn from",
    "mechanisms/exponential.py": "`renyi` bounds a loss from above and draws nothing",
    "mechanisms/laplace.py": "`law` is what audits compare draws with; no draw depends on it",
    "mechanisms/two_set.py": "`Decimal` of 60 digits, the same everywhere; `math.log` in the paper's bound only",
    "mechanisms/subset.py": "`Decimal` of 60 digits, the same everywhere",
    "anonymizers/a4nt/wording.py": _EXACT,
    "anonymizers/erae/recipe.py": "`Decimal` of 28 digits, the same everywhere",
    "networks/a4nt/_attention.py": "products of whole numbers below 2^53, which float64 adds exactly in any order",
    "networks/translation/network.py": "writes what nothing is drawn from any more: a processor may choose other words",
    "networks/translation/search.py": "writes what nothing is drawn from any more: a processor may choose other words",
    "networks/style_encoder/inference.py": "an attacker's network",
    "networks/style_encoder/text.py": "an attacker's network",
    "networks/erae/_output.py": _EXACT,
    "networks/erae/inference.py": "attention: products of whole numbers below 2^53, which float64 adds exactly",
    "networks/whole_numbers.py": "products of whole numbers below 2^53, which float64 adds exactly in any order",
    "networks/erae/neutral.py": "which clauses are a text's core: whole numbers",
}
# Packages that no draw passes through: imports point the other way (`test_architecture`).
OFF_THE_PATH = {
    "attackers": "guess who wrote what is already out",
    "recognition": "tells who may have written a text",
    "metrics": "measure what is already out",
    "training": "trains models; a trained model is data, and the same for all who use it",
    "audit": "doubts what was drawn; draws nothing for a release",
    "drawing": "draws figures, not words",
    "evaluation": "measures and prints",
    "papers": "read corpora, measure and print",
    "privacy": "print what a mechanism loses; mechanisms do not import it",
    "budget": "adds up what was spent",
    "guard": "says what a rewrite changed; draws nothing",
    "web": "shows what was drawn",
    "cli": "asks and shows",
}
MODULES = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).parts[0].removesuffix(".py") not in OFF_THE_PATH
]


def inexact(source: str) -> set[str]:
    """Return what a module uses of products and functions that may differ from machine to machine."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            found.add("@")
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow) and _may_be_inexact(node):
            found.add("**")
        elif isinstance(node, ast.Attribute):
            of_a_library = isinstance(node.value, ast.Name) and node.value.id in _NUMPY
            if node.attr in PRODUCTS | FUNCTIONS or (node.attr in ONLY_OF_LIBRARIES and of_a_library):
                found.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and node.module in _NUMPY | {"numpy.linalg", "scipy.special"}:
            found |= {alias.name for alias in node.names} & (PRODUCTS | FUNCTIONS | ONLY_OF_LIBRARIES)
    return found


def _may_be_inexact(node: ast.BinOp | ast.AugAssign) -> bool:
    """Powers of a whole-number constant, and whole-number powers, are products; others ask the library."""
    base, exponent = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    if isinstance(base, ast.Constant):
        return isinstance(base.value, float) and not _whole_constant(exponent) and not isinstance(exponent, ast.Name)
    return isinstance(exponent, ast.Constant) and isinstance(exponent.value, float)


def _whole_constant(node: ast.expr) -> bool:
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_inexact_arithmetic_only_where_no_draw_depends_on_it(path):
    name = path.relative_to(SOURCE).as_posix()
    found = inexact(path.read_text("utf-8"))
    if name in ALLOWED:
        assert found, f"{name} no longer needs to be allowed"
    else:
        assert not found, (
            f"{name} uses {found}: use `arithmetic` or whole numbers, or say above why no draw depends on it"
        )


def test_every_reason_is_given():
    for reason in (*ALLOWED.values(), *OFF_THE_PATH.values()):
        assert len(reason.split()) > 2
    assert {path.relative_to(SOURCE).as_posix() for path in MODULES} >= ALLOWED.keys()


@pytest.mark.parametrize(
    "line",
    ["x @ y", "x @= y", "np.log(x)", "math.exp(1)", "x.dot(y)", "np.linalg.norm(x)", "np.power(x, y)", "x ** 0.5",
     "2.0 ** (x / y)", "from math import log", "from numpy.linalg import norm", "tensor.softmax(-1)"],
)  # fmt: skip
def test_what_is_inexact_is_found(line):
    assert inexact(line)


@pytest.mark.parametrize("line", ["2.0**-52", "x * x", "2**bits", "x ** 2", "np.sqrt(x)", "np.rint(x)", "power = 3"])
def test_what_is_exact_is_not(line):
    assert not inexact(line)
