"""What each ONNX operator makes of its inputs' shapes, types and small values. One function a kind of operator.

Source: the operator schemas of ONNX. A rule may raise on a malformed node; `kb.graph.shapes` then calls its outputs
unknown.
"""

from kb.graph.known import Rule
from kb.graph.rules import layers, values, views

RULES: dict[str, Rule] = {**layers.RULES, **values.RULES, **views.RULES}
