"""Which way to measure: on the device, in the simulator, or not at all (estimate), and what that can tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kb.engine.collect import metric_groups
from kb.engine.collect.environment import Environment
from kb.engine.collect.options import Options
from kb.engine.collect.target import Target, resolve_target
from kb.errors import CollectError, UsageError

Means = Literal["device", "simulator", "estimate"]
_CONFIG_MODES: dict[str, Literal["device", "simulator"]] = {"onboard": "device", "ca": "simulator"}

CAN: dict[Means, tuple[str, ...]] = {
    "device": (
        "time on the chip, pipe shares, traffic and cache hits, per core",
        "whether a change helped, against another device run with the same replay mode, metrics and clock",
    ),
    "simulator": (
        "which instructions and source lines take the cycles, in which order, and which pipe waits for which",
    ),
    "estimate": ("which operators fall back to AI CPU, and a range of times from shapes",),
}
CANNOT: dict[Means, tuple[str, ...]] = {
    "device": (
        "time with warm caches: kernel and range replay flush L2 before each pass",
        "host gaps and the other operators of the program",
    ),
    "simulator": (
        "time on the chip: cycles come from a model, waiting across cores is optimistic",
        "a comparison with a device run: the two are never equals",
    ),
    "estimate": ("anything measured: no counter is read, so no bottleneck is proven",),
}


@dataclass(frozen=True, slots=True)
class ModeChoice:
    """The mode, the reason for it, what it can tell and what it cannot."""

    mode: Means
    why: str
    can: tuple[str, ...]
    cannot: tuple[str, ...]


def choose_mode(options: Options, environment: Environment, *, shown_only: bool = False) -> ModeChoice:
    """Device when a device and a driver are there, simulator when its libraries and `--soc` are, else
    estimate. `shown_only`: nothing will be run, so a device is taken for granted where there is nothing.

    Raises:
        UsageError: the mode asked for does not fit the target or the other options.
        CollectError: `auto`, and there is nothing to measure with.
    """
    target = resolve_target(options.target, environment)
    if target.kind in ("onnx", "operators"):
        mode, why = _estimated(options, target)
    elif options.mode == "estimate":
        raise UsageError(
            "a program cannot be estimated",
            where="--mode estimate",
            now="Give an ONNX model or an operator JSON, or use --mode device or simulator.",
        )
    else:
        try:
            mode, why = _measured(options, target, environment)
        except CollectError as fault:
            if not shown_only:
                raise
            more = f". {fault.now}" if environment.simulators else ""
            mode, why = "device", f"assumed, because {fault.what}: {fault.where}{more}"
    if mode != "estimate":
        _check_options(options, target, mode, environment)
    return ModeChoice(mode, why, CAN[mode], CANNOT[mode])


def find_simulator(soc: str, simulators: Iterable[str]) -> str | None:
    """The simulator folder for a SoC name, case and a leading "Ascend" ignored; None when there is none."""
    wanted = soc.lower().removeprefix("ascend")
    return next((name for name in simulators if name.lower().removeprefix("ascend") == wanted), None)


def _estimated(options: Options, target: Target) -> tuple[Means, str]:
    what = "an ONNX model" if target.kind == "onnx" else "an operator JSON"
    if options.mode in ("device", "simulator"):
        raise UsageError(
            f"{target.argv[0]} is {what}, which msopprof cannot run",
            where=f"--mode {options.mode}",
            now="Use --mode estimate, or give the program that runs the model: -- python3 infer.py",
        )
    return "estimate", f"the target is {what}"


def _measured(options: Options, target: Target, environment: Environment) -> tuple[Means, str]:
    by_config = _CONFIG_MODES.get(target.config_mode or "")
    if options.mode == "device" or options.mode == "simulator":  # noqa: PLR1714 - narrows the type
        if by_config and by_config != options.mode:
            raise UsageError(
                f"the JSON says mode {target.config_mode!r}, which is the {by_config}",
                where=f"--mode {options.mode}",
                now=f"Use --mode {by_config}, or change `mode` in the JSON (onboard: device, ca: simulator).",
            )
        return options.mode, f"--mode {options.mode} was given"
    if by_config:
        return by_config, f"the config JSON says mode {target.config_mode!r}"
    return _automatic(options, environment)


def _automatic(options: Options, environment: Environment) -> tuple[Means, str]:
    if environment.device_ready:
        return "device", f"{_device_words(environment)}, so it is measured on the chip"
    no_device = _why_no_device(environment)
    folder = find_simulator(options.soc, environment.simulators) if options.soc else None
    if folder:
        return "simulator", f"{no_device}; the simulator of {folder} is installed"
    if not environment.simulators:
        raise CollectError(
            "there is nothing to measure with",
            where=f"{no_device}; {_why_no_simulator(environment)}",
            now="Source set_env.sh of CANN on a machine with an NPU, or give an existing profile: "
            "kb advise DIR. `kb doctor` lists what is missing.",
        )
    names = ", ".join(environment.simulators)
    if options.soc is None:
        raise CollectError(
            "no device, and for the simulator the chip is not named",
            where=no_device,
            now=f"Add --soc, one of {names}.",
        )
    raise CollectError(
        f"no device, and no simulator for {options.soc}",
        where=f"{no_device}; $ASCEND_HOME_PATH/tools/simulator",
        now=f"Installed: {names}.",
    )


def _device_words(environment: Environment) -> str:
    count = len(environment.devices)
    driver = f"driver {environment.driver_version}" if environment.driver_version else "npu-smi"
    names = f"/dev/{environment.devices[0]}" + (", ..." if count > 1 else "")
    return f"{count} device{'s' if count > 1 else ''} ({names}) and {driver} found"


def _why_no_device(environment: Environment) -> str:
    if not environment.devices:
        return "no device: /dev/davinci* does not exist"
    return f"/dev/{environment.devices[0]} exists, but neither npu-smi nor a driver version file"


def _why_no_simulator(environment: Environment) -> str:
    if environment.home is None:
        return "no simulator: ASCEND_HOME_PATH is not set to a folder"
    return f"no simulator in {environment.home / 'tools' / 'simulator'}"


def _check_options(
    options: Options, target: Target, mode: metric_groups.RunMode, environment: Environment
) -> None:
    _check_metrics(options, mode)
    if mode == "simulator":
        _check_simulator(options, environment)
    else:
        _check_replay(options)
    if target.kind == "config" and options.kernel_name:
        raise UsageError(
            "a config JSON holds one kernel, and msopprof takes --kernel-name only with a program",
            where="--kernel-name",
            now="Leave it out; `kernel_name` in the JSON decides.",
        )


def _check_metrics(options: Options, mode: metric_groups.RunMode) -> None:
    family = metric_groups.family_of(options.soc)
    for name in options.aic_metrics:
        group = metric_groups.GROUPS[name.lower()]
        if mode not in group.modes:
            raise UsageError(
                f"{name} works only with --mode {group.modes[0]}",
                where=f"--aic-metrics in {mode} mode",
                now=f"Use --mode {group.modes[0]}, or one of: {metric_groups.names_for(mode)}.",
            )
        if family and family not in group.chips:
            raise UsageError(
                f"{name} exists only on {' and '.join(group.chips)}",
                where=f"--aic-metrics on {options.soc}",
                now="Leave it out, or Default for the seven tables.",
            )
        replay = options.replay_mode or "kernel"
        if replay in group.not_with:
            raise UsageError(
                f"{name} does not work with --replay-mode {replay}",
                where="--aic-metrics",
                now="Use --replay-mode kernel, or leave the group out.",
            )


def _check_simulator(options: Options, environment: Environment) -> None:
    for option, value in (("--replay-mode", options.replay_mode), ("--warm-up", options.warm_up)):
        if value is not None:
            raise UsageError(
                "works only on a device: the simulator runs each kernel once",
                where=f"{option} in simulator mode",
                now=f"Leave {option} out, or use --mode device.",
            )
    names = ", ".join(environment.simulators)
    installed = f"Installed: {names}." if names else "Source set_env.sh to see which are installed."
    if options.soc is None:
        raise UsageError(
            "the simulator needs to know the chip; without it msopprof silently takes Ascend910B1",
            where="--soc",
            now=f"Add --soc with the chip you write for. {installed}",
        )
    if environment.simulators and find_simulator(options.soc, environment.simulators) is None:
        raise UsageError(f"there is no simulator for {options.soc}", where="--soc", now=installed)


def _check_replay(options: Options) -> None:
    if options.replay_mode == "range" and options.warm_up == 0:
        raise UsageError(
            "range replay needs at least one warm-up",
            where="--warm-up 0",
            now="Give --warm-up 1 or more, or leave it out.",
        )
