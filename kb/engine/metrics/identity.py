"""What kind of operator a kernel is: its type, work pattern, dtype, neighbours; word-valued metrics.

A kernel written by the user has a name of its own (`Cummin_kernel`, `attention_backward_custom`). Its words are
looked up in the operator taxonomy, so that what is known of Cummin counts for it; `hand_written` says that it is no
library operator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from kb import operators
from kb.engine.metrics.context import Context
from kb.model import Operator
from kb.vocabulary.dtypes import ASSUMED

LABELS: tuple[str, ...] = (
    "op_type", "op_pattern", "core", "dtype", "input_format", "follows", "followed_by", "chip_family", "hand_written", "setup",
    "conversion", "kernel_language",
)  # fmt: skip

TYPED = "typed in"  # capture tool of counters that somebody typed
_TRITON = re.compile(
    r"triton_|_[a-z][a-z0-9_]*_kernel(_mix_ai[cv])?(_\d+)?$"
)  # a Python function's name; C and C++ keep it for themselves
# A mangled C++ name, or the hash that the operator compiler appends to a custom operator's kernel.
_ASCEND_C = re.compile(r"^_Z\d+|_[0-9a-f]{32}(_|$)")
SEVERAL = "several"  # the order of launches is known, but no one neighbour comes more than half of the time
# Words of kernel names that stand for a work pattern where no operator type of that name exists.
# The first line that a word of the name fits decides, so what makes a kernel special stands before what it contains.
_WORDS: tuple[tuple[str, str], ...] = (
    (r"delta|gdn|gla|mamba|mamba2|ssm|ssd|retention", "attention_linear"),
    (r"indexer", "attention_sparse"),
    (r"attn|attention|flash|mla|mha|gqa|mqa|swa|sdpa", "attention"),
    (r"moe|expert|experts|gating", "moe"),
    (r"gemm|matmul|mm|linear|bmm|dot", "matmul"),
    (r"conv\d?d?", "conv2d"),
    (r"softmax|logsumexp", "softmax"),
    (r"layernorm|rmsnorm|groupnorm|batchnorm|l2norm|norm", "norm"),
    (r"rope|rotary", "rope"),
    (r"gather|embedding|index", "gather"),
    (r"scatter", "scatter"),
    (r"transpose|permute", "transpose"),
    (r"cache|kvcache", "kv_cache"),
    (r"concat|cat|split|slice|copy|pad|stack|narrow", "copy"),
    (r"resize|upsample|interpolate|bilinear", "resize"),
    (r"maxpool\d?d?|avgpool\d?d?|pool|pooling", "pool"),
    (r"cumsum|cumprod|cummax|cummin|scan", "scan"),
    (r"topk|sort|argsort", "sort"),
    (r"nms|nonmaxsuppression", "nms"),
    (r"iou|bbox", "detect"),
    (r"loss|entropy", "loss"),
    (r"adam|adamw|sgd|optimizer", "optimizer"),
    (r"sum|mean|reduce|max|min|argmax|argmin", "reduce"),
    (r"quant|dequant", "quant"),
    (r"gelu|relu|silu|swiglu|sigmoid|tanh", "activation"),
    (r"dropout", "dropout"),
    (r"add|sub|mul|div|exp|log|sqrt|cast|where|clamp", "elementwise"),
)
# Words of these patterns are looked for inside longer words too ("flashattn2"), from five letters on.
_INSIDE = frozenset(
    {"attention", "matmul", "softmax", "norm", "gather", "scatter", "transpose", "copy", "scan", "conv2d"}
)
_NOISE = {
    "kernel",
    "custom",
    "op",
    "do",
    "fwd",
    "forward",
    "bwd",
    "backward",
    "mix",
    "aic",
    "aiv",
    "main",
    "v",
    "triton",
    "vllm",
    "fused",
    "aclnn",
    "impl",
    "test",
    "my",
}
_RANDOM = re.compile(r"^(DSA|Stateless)?Random|^DSAGenBitMask|^DSARandom|^Philox", re.IGNORECASE)
_CONVERSIONS = ("format", "transpose", "cast")
_CONVERSION_TYPES = (
    "transdata", "transpose", "cast", "tensormove", "contiguous", "identity", "viewcopy", "asstrided",
)  # fmt: skip
_FILL_API = re.compile(r"aclnn(Inplace)?(Normal|Uniform|Random|Bernoulli|Randperm)", re.IGNORECASE)


def labels(op: Operator, context: Context, neighbours: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The word-valued metrics of one kernel."""
    kind = op.type or identify(op.name)
    found = {"core": op.core, "op_type": operators.canonical(kind) if operators.is_known(kind) else kind}
    pattern = _pattern(kind) or _pattern(op.name)
    if pattern:
        found["op_pattern"] = pattern
    if op.core not in ("communication", "ai_cpu", "dsa", "dvpp", "other"):
        found["hand_written"] = "no" if operators.is_known(op.type or "") else "yes"
        if language := _language(op, context, found["hand_written"] == "no"):
            found["kernel_language"] = language
    first = next((tensor for tensor in op.inputs if tensor.shape is not None), None)
    if first is not None:
        found |= {
            name: word
            for name, word in (("dtype", first.dtype.lower()), ("input_format", first.format))
            if word and word != ASSUMED.name
        }
    before, after = neighbours.get(op.type or op.name, ("", ""))
    if (op.type or op.name) in neighbours:
        found |= _order(op, before, after)
    families = {target.family for target in context.targets}
    if len(families) == 1:
        found["chip_family"] = families.pop()
    if is_setup(op, before):
        found["setup"] = "yes"
    elif is_conversion(op, found):
        found["conversion"] = "yes"
    return found


def _order(op: Operator, before: str, after: str) -> dict[str, str]:
    """The neighbours; of a collective only kernels: on a stream of its own it follows other collectives, whatever it waits for."""
    order = {"follows": before or SEVERAL, "followed_by": after or SEVERAL}
    if op.core != "communication":
        return order
    return {
        name: word
        for name, word in order.items()
        if word != SEVERAL and operators.category(word) != "communication"
    }


def _pattern(name: str) -> str | None:
    """The work pattern of an operator type, or of a kernel's own name."""
    return operators.pattern(name) or operators.pattern(identify(name)) or _by_words(name)


def _language(op: Operator, context: Context, library: bool) -> str | None:
    """What a kernel is written in, where its name or the profile tells; typed counters tell of no library."""
    framework = context.profile.stated.get("framework", "").lower()
    if "triton" in framework or op.type == operators.OWN_KERNEL or _TRITON.match(op.name):
        return "triton"
    if _ASCEND_C.search(op.name):
        return "ascend-c"
    return "library" if library and context.profile.capture.tool != TYPED else None


def is_setup(op: Operator, before: str) -> bool:
    """A random fill, or the cast that the same random API runs right after it: input of a test, not the work."""
    if _FILL_API.match(op.name):
        return True
    return bool(_RANDOM.match(op.type or op.name) and "mask" not in (op.type or op.name).lower()) or (
        (op.type or "").startswith("Cast") and bool(_RANDOM.match(before))
    )


def is_conversion(op: Operator, found: Mapping[str, str]) -> bool:
    """A kernel that only changes layout, format or dtype; `found` holds its type and work pattern."""
    if op.core in ("communication", "ai_cpu"):
        return False
    return found.get("op_pattern") in _CONVERSIONS or found["op_type"].lower().startswith(_CONVERSION_TYPES)


@lru_cache(maxsize=4096)
def identify(name: str) -> str:
    """The operator type that a kernel's own name points at, or the name itself.

    `Cummin_kernel` gives Cummin, `main_kernel_mix_aic` stays. A single word out of several only counts where it is the
    one that the name's work pattern is read from: `w8a8_matmul` gives MatMul, `moe_align_block_size` is no Size.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+", name) if word and word.lower() not in _NOISE]
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            joined = "".join(words[start : start + length])
            if len(joined) <= 2 or not operators.is_known(joined):
                continue
            if length == len(words) or length > 1 or _by_words(name) == _by_words(joined) is not None:
                return operators.canonical(joined)
    return name


@lru_cache(maxsize=4096)
def _by_words(name: str) -> str | None:
    parts = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    words = {part.lower() for part in parts} | {"".join(parts).lower()}
    found = [
        pattern for expression, pattern in _WORDS if any(re.fullmatch(expression, word) for word in words)
    ]
    if found:
        return "attention_linear" if "linear" in words and "attention" in found else found[0]
    squeezed = name.lower()
    for expression, pattern in _WORDS:
        if pattern in _INSIDE and any(len(word) > 4 and word in squeezed for word in expression.split("|")):
            return pattern
    return None
