"""Driving msopprof: options -> plan -> collected folder. What the folder says is the readers' work.

`look_around()` sees what the machine offers. `plan(options, environment)` builds the exact command and runs
nothing; `render_plan` shows it. `collect(plan)` runs it and returns a usable result or raises CollectError.
`kb.engine.collect.doctor` checks the prerequisites.
"""

from kb.engine.collect.collection import Collected, Event, collect
from kb.engine.collect.command import Plan, plan, render_plan
from kb.engine.collect.environment import Environment, Tool, look_around
from kb.engine.collect.mode import ModeChoice, choose_mode
from kb.engine.collect.options import MODES, REPLAY_MODES, Options
from kb.engine.collect.run import Limits, Stopping

__all__ = [
    "MODES",
    "REPLAY_MODES",
    "Collected",
    "Environment",
    "Event",
    "Limits",
    "ModeChoice",
    "Options",
    "Plan",
    "Stopping",
    "Tool",
    "choose_mode",
    "collect",
    "look_around",
    "plan",
    "render_plan",
]
