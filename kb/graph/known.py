"""What is known of one tensor of a graph, and the helpers that the rules are written with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kb.graph.types import Constant, Dim, Node, Scalar, Shape

LARGEST = 1 << 63  # a larger number is no size; without a bound, products of a hostile file grow for ever

Element = Scalar | str | None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one tensor. `values` are its elements, where symbols and unknowns are possible as in shapes.

    `static` says that it depends on constants and shapes only, so that a converter folds it away.
    """

    dtype: str = ""
    shape: Shape | None = None
    values: tuple[Element, ...] | None = None
    static: bool = False

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None when unknown."""
        return None if self.shape is None else len(self.shape)


UNKNOWN = Known()
Rule = Callable[[Node, list[Known], int], Sequence[Known]]


def of_constant(constant: Constant) -> Known:
    """What is known of a stored tensor."""
    return Known(constant.dtype, constant.shape, constant.values, static=True)


def dim_of(value: Element) -> Dim:
    """A dimension from a value: None unless it is a symbol or a number that can be a size."""
    if isinstance(value, str) or value is None:
        return value
    return int(value) if 0 <= value < LARGEST else None


def product(dims: Iterable[Dim]) -> int | None:
    """Number of elements, None when a dimension is unknown."""
    total = 1
    for dim in dims:
        if not isinstance(dim, int):
            return None
        total *= dim
    return total


def broadcast(shapes: Sequence[Shape | None]) -> Shape | None:
    """Shape of an elementwise result by NumPy's rule."""
    if any(shape is None for shape in shapes):
        return None
    known = [shape for shape in shapes if shape is not None]
    rank = max((len(shape) for shape in known), default=0)
    return tuple(
        _joined([shape[len(shape) - rank + i] if len(shape) - rank + i >= 0 else 1 for shape in known])
        for i in range(rank)
    )


def _joined(dims: Sequence[Dim]) -> Dim:
    large = {dim for dim in dims if dim != 1}
    if not large:
        return 1
    if len(large) == 1:
        return next(iter(large))
    numbers = {dim for dim in large if isinstance(dim, int)}
    return next(iter(numbers)) if len(numbers) == 1 else None


def integers(known: Known) -> list[int] | None:
    """Values when all are known integers."""
    if known.values is None:
        return None
    found = [value for value in known.values if isinstance(value, int)]
    return found if len(found) == len(known.values) else None


def axes_of(node: Node, inputs: list[Known], position: int, rank: int) -> list[int] | None:
    """Axes from the attribute (older opsets) or from an input; empty when none are given, None when unknown."""
    axes = node.integers("axes")
    if axes is None:
        if len(inputs) <= position or (not node.inputs[position]):
            return []
        listed = integers(inputs[position])
        if listed is None:
            return None
        axes = tuple(listed)
    return [axis % rank for axis in axes] if rank else []


def table(rule: Rule, names: str) -> dict[str, Rule]:
    """One rule for several operators, named in one text."""
    return dict.fromkeys(names.split(), rule)
