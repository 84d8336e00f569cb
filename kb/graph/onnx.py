"""ONNX files: the few fields of ModelProto that describe the network; weights are stepped over.

Field numbers: onnx.proto of the ONNX project (public, stable by its own rules). Nothing named by the file, such as
the place of external weights, is ever opened; whether it is there is looked up inside the model's own folder alone.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from kb.errors import SourceError
from kb.graph.types import Attribute, Constant, Dim, Function, Graph, Model, Node, Scalar, Shape, Value
from kb.graph.wire import MAX_DEPTH, Span, Spans
from kb.vocabulary.dtypes import of_onnx

KEPT_ELEMENTS = 64  # of a tensor; shapes, axes, scales and pads are shorter
KEPT_LIST = 4096  # of an attribute
KEPT_TEXT = 4096  # bytes of a string attribute
EXTERNAL = 1  # TensorProto.data_location

_RAW = {"float32": "f", "float64": "d", "int64": "q", "int32": "i", "int16": "h", "int8": "b", "uint8": "B", "bool": "B", "float16": "e"}  # fmt: skip


def read(path: Path) -> Model:
    """The model in a file.

    Raises:
        SourceError: not a readable ONNX model; says at which byte.
    """
    name = path.name
    try:
        if not path.is_file():
            what = (
                "is a folder"
                if path.is_dir()
                else "no such file"
                if not path.exists()
                else "is no regular file"
            )
            raise SourceError(what, where=str(path), now="give the path of an .onnx file")
        with path.open("rb") as stream:
            if not stream.read(1):
                raise SourceError("the file is empty", where=str(path), now="export or copy the model again")
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                model = parse(data, name)
        return replace(model, absent=tuple(_absent(model, path.parent)))
    except (OSError, ValueError) as fault:
        raise SourceError(
            f"unreadable: {fault}", where=str(path), now="check the file and its permissions"
        ) from fault


def parse(data: bytes | mmap.mmap, name: str = "model") -> Model:
    """The model in a buffer.

    Raises:
        SourceError: not a readable ONNX model; says at which byte.
    """
    return _Reader(Spans(data, name)).model((0, len(data)))


def _absent(model: Model, folder: Path) -> Iterator[str]:
    """External files that the folder of the model lacks; places outside of it are not looked at."""
    for place in sorted({item.location for item in model.graph.constants.values() if item.location}):
        parts = PurePosixPath(place)
        inside = (
            not parts.is_absolute() and ".." not in parts.parts and "\\" not in place and "\0" not in place
        )
        if inside and not _lies(folder / parts):
            yield place


def _lies(path: Path) -> bool:
    """Whether a file is there; a name that no file system takes is that of no file."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


class _Reader:
    """One function a message of onnx.proto."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans

    def model(self, span: Span) -> Model:
        spans, opsets, functions = self.spans, {}, {}
        graph: Graph | None = None
        for number, _, value in spans.fields(span):
            if number == 7:
                graph = self.graph(spans.span(value), 1)
            elif number == 8:
                domain, opset = self.opset(spans.span(value))
                opsets[domain] = opset
            elif number == 25:
                function = self.function(spans.span(value))
                functions[function.domain, function.name] = function
        if graph is None or not (graph.nodes or graph.inputs or graph.outputs):
            raise SourceError(
                "holds no graph, so it is no ONNX model", where=spans.name, now="give an .onnx file"
            )
        return Model(spans.name, graph, opsets, functions)

    def opset(self, span: Span) -> tuple[str, int]:
        domain, version = "", 0
        for number, _, value in self.spans.fields(span):
            if number == 1:
                domain = self.spans.text(value)
            elif number == 2:
                version = self.spans.integer(value)
        return "" if domain == "ai.onnx" else domain, version

    def graph(self, span: Span, depth: int) -> Graph:
        spans = self.spans
        self.check_depth(span, depth)
        name = ""
        nodes: list[Node] = []
        inputs: list[Value] = []
        outputs: list[Value] = []
        values: dict[str, Value] = {}
        constants: dict[str, Constant] = {}
        for number, _, value in spans.fields(span):
            if number == 1:
                nodes.append(self.node(spans.span(value), depth + 1))
            elif number == 2:
                name = spans.text(value)
            elif number == 5:
                constant = self.tensor(spans.span(value))
                constants[constant.name] = constant
            elif number == 11:
                inputs.append(self.value(spans.span(value), depth + 1))
            elif number == 12:
                outputs.append(self.value(spans.span(value), depth + 1))
            elif number == 13:
                found = self.value(spans.span(value), depth + 1)
                values[found.name] = found
            elif number == 15:
                sparse = self.sparse(spans.span(value))
                constants[sparse.name] = sparse
        given = tuple(
            value for value in inputs if value.name not in constants
        )  # before IR 4 weights are inputs too
        return Graph(name, tuple(nodes), given, tuple(outputs), values, constants)

    def function(self, span: Span) -> Function:
        spans = self.spans
        name = domain = ""
        nodes: list[Node] = []
        inputs: list[str] = []
        outputs: list[str] = []
        opsets: dict[str, int] = {}
        for number, _, value in spans.fields(span):
            if number == 1:
                name = spans.text(value)
            elif number == 4:
                inputs.append(spans.text(value))
            elif number == 5:
                outputs.append(spans.text(value))
            elif number == 7:
                nodes.append(self.node(spans.span(value), 2))
            elif number == 9:
                key, version = self.opset(spans.span(value))
                opsets[key] = version
            elif number == 10:
                domain = spans.text(value)
        return Function(name, domain, tuple(nodes), tuple(inputs), tuple(outputs), opsets)

    def node(self, span: Span, depth: int) -> Node:
        spans = self.spans
        spans.spend("nodes", span[0])
        kind = name = domain = ""
        inputs: list[str] = []
        outputs: list[str] = []
        attributes: dict[str, Attribute] = {}
        bodies: dict[str, Graph] = {}
        for number, _, value in spans.fields(span):
            if number == 1:
                inputs.append(spans.text(value))
            elif number == 2:
                outputs.append(spans.text(value))
            elif number == 3:
                name = spans.text(value)
            elif number == 4:
                kind = spans.text(value)
            elif number == 5:
                self.attribute(spans.span(value), depth + 1, attributes, bodies)
            elif number == 7:
                domain = spans.text(value)
        domain = "" if domain == "ai.onnx" else domain
        return Node(kind, name, tuple(inputs), tuple(outputs), domain, attributes, bodies)

    def attribute(
        self, span: Span, depth: int, found: dict[str, Attribute], bodies: dict[str, Graph]
    ) -> None:
        spans = self.spans
        self.check_depth(span, depth)
        name = ""
        single: Attribute = None
        graphs: list[Graph] = []
        numbers: list[Scalar] = []
        texts: list[str] = []
        for number, wire, value in spans.fields(span):
            if number == 1:
                name = spans.text(value)
            elif number == 2:
                single = next(iter(spans.floats(value, 1)), None)
            elif number == 3:
                single = spans.integer(value)
            elif number == 4:
                start, end = spans.span(value)
                single = spans.text((start, end)) if end - start <= KEPT_TEXT else None
            elif number == 5:
                single = self.tensor(spans.span(value))
            elif number in (6, 11):
                graphs.append(self.graph(spans.span(value), depth + 1))
            elif number == 7:
                numbers += spans.floats(value, KEPT_LIST)
            elif number == 8:
                numbers += spans.integers(wire, value, KEPT_LIST)
            elif number == 9:
                start, end = spans.span(value)
                texts.append(spans.text((start, min(end, start + KEPT_TEXT))))
        for index, graph in enumerate(graphs):
            bodies[name if index == 0 else f"{name}[{index}]"] = graph
        if not graphs:
            found[name] = tuple(numbers) if numbers else tuple(texts) if texts else single

    def tensor(self, span: Span) -> Constant:
        spans = self.spans
        spans.spend("tensors", span[0])
        name, dtype, location = "", "", ""
        external = False
        dims: list[int] = []
        data: list[tuple[int, int, int | Span]] = []
        for number, wire, value in spans.fields(span):
            if number == 1:
                dims += spans.integers(wire, value, KEPT_ELEMENTS)
            elif number == 2:
                dtype = _dtype(spans.integer(value))
            elif number == 8:
                name = spans.text(value)
            elif number in (4, 5, 7, 9, 10) and len(data) <= KEPT_ELEMENTS:
                data.append((number, wire, value))
            elif number == 13:
                key, text = self.pair(spans.span(value))
                external, location = True, text if key == "location" else location
            elif number == 14:
                external = external or spans.integer(value) == EXTERNAL
        if any(dim < 0 for dim in dims) or len(dims) > KEPT_ELEMENTS - 1:
            raise spans.fault(f"tensor {name[:80]!r} has dimensions {dims[:8]}", span[0])
        values = None if external else self.elements(dtype, dims, data)
        return Constant(name, dtype, tuple(dims), values, location if external else None)

    def elements(
        self, dtype: str, dims: list[int], data: list[tuple[int, int, int | Span]]
    ) -> tuple[Scalar, ...] | None:
        """Elements of a small tensor, None when it is large, of another type, or stored inconsistently."""
        count = 1
        for dim in dims:
            count *= dim
            if count > KEPT_ELEMENTS:
                return None
        found: list[Scalar] = []
        for number, wire, value in data:
            start, end = value if isinstance(value, tuple) else (0, 0)
            if number == 9:
                code = _RAW.get(dtype)
                if code is None or end - start != count * struct.calcsize(code):
                    return None
                found += struct.unpack(f"<{count}{code}", self.spans.data[start:end])
            elif number == 4:
                found += self.spans.floats(value, count)
            elif number == 10:
                found += struct.unpack(
                    f"<{(end - start) // 8}d", self.spans.data[start : start + (end - start) // 8 * 8]
                )[:count]
            elif dtype not in ("float16", "bfloat16"):
                found += self.spans.integers(wire, value, count)
        return tuple(found) if len(found) == count else None

    def sparse(self, span: Span) -> Constant:
        name, dtype = "", ""
        dims: list[int] = []
        for number, wire, value in self.spans.fields(span):
            if number == 1:
                values = self.tensor(self.spans.span(value))
                name, dtype = values.name, values.dtype
            elif number == 3:
                dims += self.spans.integers(wire, value, KEPT_ELEMENTS)
        return Constant(name, dtype, tuple(max(dim, 0) for dim in dims))

    def pair(self, span: Span) -> tuple[str, str]:
        texts = ["", ""]
        for number, _, value in self.spans.fields(span):
            if number in (1, 2):
                texts[number - 1] = self.spans.text(value)
        return texts[0], texts[1]

    def value(self, span: Span, depth: int) -> Value:
        spans = self.spans
        spans.spend("values", span[0])
        name = ""
        found = Value("")
        for number, _, value in spans.fields(span):
            if number == 1:
                name = spans.text(value)
            elif number == 2:
                found = self.type(spans.span(value), depth + 1)
        return Value(name, found.dtype, found.shape, found.kind)

    def type(self, span: Span, depth: int) -> Value:
        """Tensor type with its shape; of containers only the kind."""
        self.check_depth(span, depth)
        kinds = {4: "sequence", 5: "map", 8: "sparse", 9: "optional"}
        found = Value("")
        for number, _, value in self.spans.fields(span):
            if number == 1:
                found = self.tensor_type(self.spans.span(value))
            elif number in kinds:
                found = Value("", kind=kinds[number])
        return found

    def tensor_type(self, span: Span) -> Value:
        dtype = ""
        shape: Shape | None = None
        for number, _, value in self.spans.fields(span):
            if number == 1:
                dtype = _dtype(self.spans.integer(value))
            elif number == 2:
                shape = tuple(
                    self.dim(self.spans.span(dim))
                    for key, _, dim in self.spans.fields(self.spans.span(value))
                    if key == 1
                )
        return Value("", dtype, shape)

    def dim(self, span: Span) -> Dim:
        found: Dim = None
        for number, _, value in self.spans.fields(span):
            if number == 1:
                size = self.spans.integer(value)
                found = size if size >= 0 else None
            elif number == 2:
                found = self.spans.text(value) or None
        return found

    def check_depth(self, span: Span, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self.spans.fault(f"messages nested more than {MAX_DEPTH} deep", span[0])


def _dtype(code: int) -> str:
    return of_onnx(code) or (f"type{code}" if code else "")
