"""Operations that exporters spell out in several nodes: LayerNorm, RmsNorm, GELU, SiLU, HardSwish, Mish."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from kb.engine.family.wiring import Wiring
from kb.graph.types import Node

Idiom = tuple[str, list[Node]]  # CANN type and its nodes in order


def idioms(wiring: Wiring) -> Iterator[Idiom]:
    """Every spelt-out operation; no node is in two of them."""
    taken: set[int] = set()
    place = {id(node): at for at, node in enumerate(wiring.nodes)}
    for node in wiring.nodes:
        finder = _FINDERS.get(node.type)
        found = finder(wiring, node) if finder else None
        if found is None:
            continue
        parts = _closed(wiring, place, {id(part): part for part in found[1]})
        if parts and not taken & {id(part) for part in parts}:
            taken |= {id(part) for part in parts}
            yield found[0], parts


def _closed(wiring: Wiring, place: Mapping[int, int], inside: Mapping[int, Node]) -> list[Node]:
    """The nodes in the file's order, or none when something outside reads a value in the middle."""
    parts = sorted(inside.values(), key=lambda node: place[id(node)])
    for part in parts[:-1]:
        if any(id(reader) not in inside for reader in wiring.readers(part)):
            return []
    return parts


def _alone(wiring: Wiring, node: Node | None, types: str) -> Node | None:
    """The node if it is of one of the types and reads one computed value only, the rest being constant."""
    if node is None or node.type not in types.split() or len(wiring.data_inputs(node)) != 1:
        return None
    return node


def _before(wiring: Wiring, node: Node) -> Node | None:
    inputs = wiring.data_inputs(node)
    return wiring.maker(inputs[0]) if inputs else None


def _activation(wiring: Wiring, node: Node) -> Idiom | None:
    """x · f(x) behind a sigmoid or a hard sigmoid."""
    product = wiring.next(node)
    inputs = wiring.data_inputs(node)
    if product is None or product.type != "Mul" or not inputs or inputs[0] not in wiring.data_inputs(product):
        return None
    return ("Swish" if node.type == "Sigmoid" else "HardSwish"), [node, product]


def _hard_swish(wiring: Wiring, node: Node) -> Idiom | None:
    """x · clip(x + 3, 0, 6) / 6, the division before or behind the product."""
    shift = _alone(wiring, _before(wiring, node), "Add")
    after = wiring.next(node)
    if shift is None or after is None:
        return None
    source = wiring.data_inputs(shift)[0]
    scale = _alone(wiring, after, "Div Mul")
    product = wiring.next(scale) if scale else after
    if product is None or product.type != "Mul" or source not in wiring.data_inputs(product):
        return None
    tail = None if scale else _alone(wiring, wiring.next(product), "Div Mul")
    return "HardSwish", [part for part in (shift, node, scale, product, tail) if part is not None]


def _mish(wiring: Wiring, node: Node) -> Idiom | None:
    """x · tanh(softplus(x))."""
    tanh = _alone(wiring, wiring.next(node), "Tanh")
    product = wiring.next(tanh) if tanh else None
    inputs = wiring.data_inputs(node)
    if (
        tanh is None
        or product is None
        or product.type != "Mul"
        or inputs[0] not in wiring.data_inputs(product)
    ):
        return None
    return "Mish", [node, tanh, product]


def _gelu(wiring: Wiring, node: Node) -> Idiom | None:
    """x · (1 + erf(x / √2)) / 2 and its tanh form."""
    start = _alone(wiring, _before(wiring, node), "Div Mul")
    plus = _alone(wiring, wiring.next(node), "Add")
    product = wiring.next(plus) if plus else None
    if start is None or plus is None or product is None or product.type != "Mul":
        return None
    parts = [start, node, plus, product]
    source = wiring.data_inputs(start)[0]
    if node.type == "Tanh":
        cubic = _cubic(wiring, start)
        if cubic is None:
            return None
        parts += cubic[1]
        source = cubic[0]
    others = [name for name in wiring.data_inputs(product) if wiring.maker(name) is not plus]
    half = _alone(wiring, wiring.maker(others[0]), "Mul Div") if others else None
    if half is not None and wiring.data_inputs(half)[0] == source:
        parts.append(half)
    tail = _alone(wiring, wiring.next(product), "Mul Div")
    return "Gelu", [*parts, tail] if tail is not None and half not in parts else parts


def _cubic(wiring: Wiring, start: Node) -> tuple[str, list[Node]] | None:
    """The value x and the nodes of x + 0.044 x³ in front of the tanh form's scale."""
    total = _before(wiring, start)
    if total is None or total.type != "Add" or len(wiring.data_inputs(total)) != 2:
        return None
    for scaled_name, source in (wiring.data_inputs(total), wiring.data_inputs(total)[::-1]):
        scaled = _alone(wiring, wiring.maker(scaled_name), "Mul")
        if scaled is None:
            continue
        power = wiring.maker(wiring.data_inputs(scaled)[0])
        found = [total, scaled]
        while power is not None and power.type in ("Pow", "Mul") and len(found) < 6:
            found.append(power)
            if source in wiring.data_inputs(power):
                inner = [name for name in wiring.data_inputs(power) if name != source]
                power = wiring.maker(inner[0]) if inner else None
                if power is None:
                    return source, found
            else:
                power = _before(wiring, power)
    return None


def _norm(wiring: Wiring, node: Node) -> Idiom | None:
    """(x - mean) / sqrt(var + eps) · gamma + beta; without the mean it is RmsNorm."""
    shift = _alone(wiring, _before(wiring, node), "Add")
    mean = _alone(wiring, _before(wiring, shift) if shift else _before(wiring, node), "ReduceMean")
    power = _before(wiring, mean) if mean else None
    if mean is None or power is None or power.type not in ("Pow", "Mul"):
        return None
    parts = [part for part in (node, shift, mean, power) if part is not None]
    centred = _before(wiring, power)
    kind = "RmsNorm"
    if centred is not None and centred.type == "Sub":
        means = [wiring.maker(name) for name in wiring.data_inputs(centred)]
        parts += [centred, *(m for m in means if m is not None and m.type == "ReduceMean")]
        kind = "LayerNorm"
    last = wiring.next(node)
    if last is not None and last.type == "Reciprocal":
        parts.append(last)
        last = wiring.next(last)
    if last is None or last.type not in ("Div", "Mul"):
        return None
    parts.append(last)
    for wanted in ("Mul", "Add"):
        following = _alone(wiring, wiring.next(last), wanted)
        if following is not None:
            parts.append(following)
            last = following
    return kind, parts


_FINDERS: dict[str, Callable[[Wiring, Node], Idiom | None]] = {
    "Sqrt": _norm, "Erf": _gelu, "Tanh": _gelu, "Sigmoid": _activation, "HardSigmoid": _activation, "Clip": _hard_swish,
    "Softplus": _mish,
}  # fmt: skip
