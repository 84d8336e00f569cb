"""Neural networks as graphs: read from a model file, walked, with shapes worked out as far as they are certain."""

from kb.graph.onnx import parse, read
from kb.graph.types import Constant, Function, Graph, Model, Node, Placed, Shape, Value, walk

__all__ = [
    "Constant",
    "Function",
    "Graph",
    "Model",
    "Node",
    "Placed",
    "Shape",
    "Value",
    "parse",
    "read",
    "walk",
]
