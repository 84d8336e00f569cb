"""From options and machine to the exact command, without running or writing anything."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kb.engine.collect import metric_groups
from kb.engine.collect.environment import Environment, Tool, release
from kb.engine.collect.mode import ModeChoice, choose_mode, find_simulator
from kb.engine.collect.options import Options
from kb.engine.collect.output_folder import OutputFolder, choose_output, path_faults
from kb.engine.collect.target import Target, resolve_target
from kb.errors import UsageError
from kb.model import Capture, Notice

SAFE_LAUNCHES = 100  # what every release documents
DEFAULT_LIMIT_S = {"device": 600.0, "simulator": 3600.0}  # the vendor advises at most 5 min a device run
_MISSING = ("tool-missing", "no-device")  # notices of what this machine lacks
NAME_HINT = "--kernel-name '*' --launch-count 20 --aic-metrics BasicInfo"


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A script that starts the program; msopprof joins arguments with blanks and splits them again."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One collection, ready to run: `argv` is exact, `variables` are added to the environment of the tool
    only.

    `tables` are the CSV tables that a whole result holds beside OpBasicInfo (device mode). `tool` is None
    where the profiler was not found: such a plan can be shown, not run.
    """

    argv: tuple[str, ...]
    mode: ModeChoice
    output: OutputFolder
    timeout_s: float
    options: Options
    target: Target
    environment: Environment
    tool: Tool | None = None
    variables: Mapping[str, str] | None = None
    wrapper: Wrapper | None = None
    tables: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def simulated(self) -> bool:
        """The simulator is used."""
        return self.mode.mode == "simulator"

    @property
    def asked_launches(self) -> int:
        """How many launches the tool is asked for."""
        return _launches(self.options, self.environment)[0] or 1

    @property
    def capture(self) -> Capture:
        """How the numbers are measured, for the profile; where nothing was asked the tool's defaults hold."""
        device = not self.simulated
        return Capture(
            tool="msopprof" if device else "msopprof simulator",
            tool_version=self.tool.version if self.tool else None,
            cann_version=self.environment.cann_version,
            simulated=self.simulated,
            replay_mode=(self.options.replay_mode or "kernel") if device else None,
            warm_up=(5 if self.options.warm_up is None else self.options.warm_up) if device else None,
            metric_groups=self.options.aic_metrics or (("Default",) if device else ()),
        )


def plan(options: Options, environment: Environment, *, shown_only: bool = False) -> Plan:
    """Everything about a run that can be known before it. `shown_only`: it will be printed and not run, so
    it is made where there is nothing to measure with too, and says what is missing.

    Raises:
        UsageError: target, options and mode do not fit together.
        CollectError: `--mode auto` and nothing to measure with.
    """
    target = resolve_target(options.target, environment)
    choice = choose_mode(options, environment, shown_only=shown_only)
    if choice.mode == "estimate":
        raise UsageError(
            f"nothing is collected here: {choice.why}",
            where=target.argv[0],
            now="Leave --dry-run out; estimating needs no profiler.",
        )
    output = choose_output(options.output, target.name, environment)
    wrapper = _wrapper(target, output.path, environment)
    app = (str(wrapper.path),) if wrapper else target.argv
    if target.kind == "config":
        app = (f"--config={os.path.realpath(environment.cwd / target.argv[0])}",)
    simulator = _simulator_name(options, environment) if choice.mode == "simulator" else None
    launches, capped = _launches(options, environment)
    tool_argv = environment.tool.argv if environment.tool else ("msopprof",)
    word = ("simulator",) if simulator else ()
    settings = _settings(options, target, output.path, simulator, launches)
    device = choice.mode == "device"
    return Plan(
        argv=(*tool_argv, *word, *settings, *app),
        mode=choice,
        output=output,
        timeout_s=options.timeout_s or DEFAULT_LIMIT_S[choice.mode],
        options=options,
        target=target,
        environment=environment,
        tool=environment.tool,
        variables=_variables(target, simulator, environment),
        wrapper=wrapper,
        tables=metric_groups.expected_tables(options.aic_metrics) if device else (),
        notices=(*output.notices, *capped, *_notices(options, target, output, device, environment)),
    )


def render_plan(plan: Plan) -> str:
    """The plan for people, as printed by `--dry-run`: the command can be copied into a shell."""
    added = [f"{name}={shlex.quote(value)}" for name, value in (plan.variables or {}).items()]
    lines = [
        f"Mode          {plan.mode.mode}: {plan.mode.why}",
        *(f"Missing       {text}" for text in _missing(plan)),
        f"Command       {' '.join([*added, shlex.join(plan.argv)])}",
        f"Output folder {plan.output.path}{'' if plan.output.exists else ' (will be made, mode 700)'}",
        f"Time limit    {plan.timeout_s:g} s",
        *(f"Can tell      {text}" for text in plan.mode.can),
        *(f"Cannot tell   {text}" for text in plan.mode.cannot),
        *(f"Note          {notice.text}" for notice in plan.notices if notice.code not in _MISSING),
    ]
    if plan.wrapper:
        lines.append(f"Wrapper       {plan.wrapper.path}, made for the run and removed after it:")
        lines += [f"              {line}" for line in plan.wrapper.text.splitlines()]
    return "\n".join(lines) + "\n"


def _missing(plan: Plan) -> tuple[str, ...]:
    """What the command needs and this machine lacks."""
    found = [notice.text for notice in plan.notices if notice.code in _MISSING]
    if plan.environment.home is None:
        source = plan.environment.set_env or "set_env.sh of CANN"
        found.append(f"ASCEND_HOME_PATH is not set to a folder: source {source}")
    return (*found, "kb doctor checks the rest") if found else ()


def _settings(
    options: Options, target: Target, output: Path, simulator: str | None, launches: int | None
) -> tuple[str, ...]:
    """`--key=value` words; `--key value` is refused by the tool."""
    pairs = (
        ("output", str(output)),
        ("soc-version", simulator if target.kind != "config" else None),
        ("kernel-name", options.kernel_name),
        ("launch-count", launches),
        ("aic-metrics", ",".join(options.aic_metrics) or None),
        ("replay-mode", options.replay_mode),
        ("mstx", "on" if options.replay_mode == "range" else None),
        ("warm-up", options.warm_up),
    )
    return tuple(f"--{key}={value}" for key, value in pairs if value is not None)


def _simulator_name(options: Options, environment: Environment) -> str:
    soc = options.soc or ""
    return find_simulator(soc, environment.simulators) or soc


def _launches(options: Options, environment: Environment) -> tuple[int | None, tuple[Notice, ...]]:
    """More than 100 only where the release is known to take it (26.0 and later, CANN 9.0 and later)."""
    asked = options.launch_count
    if asked is None or asked <= SAFE_LAUNCHES:
        return asked, ()
    tool = release(environment.tool.version if environment.tool else None)
    cann = release(environment.cann_version)
    if (tool and tool >= (26,)) or (cann and cann >= (9,)):
        return asked, ()
    text = (
        f"--launch-count {asked} became {SAFE_LAUNCHES}: the version of msopprof is not known, and "
        "older ones accept no more"
    )
    return SAFE_LAUNCHES, (Notice("launch-count-capped", text),)


def _wrapper(target: Target, output: Path, environment: Environment) -> Wrapper | None:
    if target.kind != "app" or all(shlex.quote(word) == word for word in target.argv):
        return None
    folder = f"kb-run-{environment.stamp}-{environment.pid}"
    places = [place for place in (output, environment.temporary) if shlex.quote(str(place)) == str(place)]
    if not places:
        raise UsageError(
            "arguments with blanks or quotes need a wrapper script in a folder whose path has none",
            where=f"--output {output}",
            now="Give --output a path without blanks, quotes and special characters.",
        )
    text = (
        "#!/bin/sh\n"
        "# Made by kb for one run: msopprof joins arguments with blanks and splits them again.\n"
        f"exec {shlex.join(target.argv)}\n"
    )
    return Wrapper(places[0] / folder / "run.sh", text)


def _variables(target: Target, simulator: str | None, environment: Environment) -> dict[str, str]:
    """With `--config` the tool ignores --soc-version; the libraries of the chip must come first instead."""
    if target.kind != "config" or simulator is None or environment.home is None:
        return {}
    libraries = str(environment.home / "tools" / "simulator" / simulator / "lib")
    before = environment.variables.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": f"{libraries}:{before}" if before else libraries}


def _notices(
    options: Options, target: Target, output: OutputFolder, device: bool, environment: Environment
) -> tuple[Notice, ...]:
    found: list[tuple[str, str]] = []
    if environment.tool is None:
        found.append(("tool-missing", "msopprof was not found here: the command can be shown, not run"))
    if target.kind == "app" and options.kernel_name is None:
        found.append(
            (
                "first-kernel-only",
                "without --kernel-name only the first launched kernel is profiled (with PyTorch often a "
                f"helper); to see the names, run once with {NAME_HINT}",
            )
        )
    if device and not environment.device_ready:
        found.append(("no-device", "no device and driver were found here; the profiler will probably fail"))
    if device and options.soc:
        found.append(
            ("soc-stated", f"--soc {options.soc} states the chip; on a device msopprof finds it itself")
        )
    if options.replay_mode == "range":
        found.append(("range-mstx", "range replay works between mstx marks only, so --mstx=on is given"))
    tool = release(environment.tool.version if environment.tool else None)
    if tool is None or tool < (26, 1):
        checked = [output.path.parent] if output.path.parent.exists() else []
        checked += [environment.cwd / target.argv[0]] if target.kind == "config" else []
        for fault in (fault for path in checked for fault in path_faults(path)):
            found.append(("permission", f"msopprof before 26.1 may refuse this: {fault}"))
    return tuple(Notice(code, text) for code, text in found)
