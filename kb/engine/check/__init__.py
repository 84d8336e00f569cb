"""Operator coverage before migration: ONNX models, PyTorch operators, operator types of a profile."""

from kb.engine.check.model import check, engines
from kb.engine.check.result import CheckedNode, CheckedOperator, CheckResult, document
from kb.engine.check.torch import check_torch, read_names
from kb.engine.check.types import check_types

__all__ = [
    "CheckResult", "CheckedNode", "CheckedOperator", "check", "check_torch", "check_types", "document", "engines", "read_names",
]  # fmt: skip
