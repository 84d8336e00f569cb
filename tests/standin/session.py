"""One run of the stand-in: start the program, collect the launches, parse, report; scenarios put faults in
between.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import opprof_folder
import scenarios
from opprof_folder import Launch
from options import Given


class Log:
    """Prints in the form of the release that is played."""

    def __init__(self) -> None:
        self.form = os.environ.get("STANDIN_LOG", "dated")

    def say(self, level: str, text: str) -> None:
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        mark = f"[{level}]".ljust(8)
        if self.form == "dated":
            line = f"{now} {mark}{text}"
        elif self.form == "debug":
            line = f"[{level}] [{now}] [Thread-140213] [op_prof.cpp:88] {text}"
        else:
            line = f"{mark}{text}"
        print(line[:1000], flush=True)


class Session:
    def __init__(self, given: Given) -> None:
        self.given = given
        self.log = Log()
        self.chip = os.environ.get("STANDIN_CHIP", "a2-closed" if self.log.form == "dated" else "a2")
        self.pause_s = float(os.environ.get("STANDIN_PAUSE_S", "0"))
        self.scenario = scenarios.SCENARIOS[os.environ.get("STANDIN_SCENARIO", "ok")]
        self.interrupts = 0
        self.top = None
        self.raw: list[Launch] = []  # launches with raw data
        self.failed = 0
        self.gave_up = False
        self.tables = given.tables
        self.duration = ""  # what is written instead of a duration
        self.parse_pause_s = 0.0
        self.app: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Always 0, whatever happened; scenarios may end it otherwise."""
        signal.signal(signal.SIGINT, self._interrupted)
        if self.log.form != "dated":
            print("msopprof: operator profiling (stand-in)", file=sys.stderr, flush=True)
        if os.geteuid() == 0:
            self.log.say("WARN", "Running as root is not recommended")
        if not self.scenario.before(self):
            return 0
        self.given.output.mkdir(parents=True, exist_ok=True)
        self.top = opprof_folder.new_top(self.given.output)
        self._run_app()
        self.scenario.after_app(self)
        self._parse()
        return self.scenario.at_end(self)

    def _interrupted(self, _number: int, _frame: object) -> None:
        self.interrupts += 1
        if self.interrupts > 1:
            os._exit(0)

    def _run_app(self) -> None:
        if self.given.app:
            self.app = subprocess.Popen(self.given.app)
        for launch in self._matching():
            if self.interrupts:
                break
            self.scenario.before_launch(self, launch)
            time.sleep(self.pause_s)
            opprof_folder.write_raw(self.top, launch, self.chip)
            self.raw.append(launch)
            self.scenario.after_launch(self, launch)
        status = self.app.wait() if self.app else 0
        if status < 0 and not self.interrupts:
            self.log.say("ERROR", f"Child process killed by signal {-status}")
        if status != 0:
            self.log.say("WARN", "Running task failed, data parsing start")

    def _matching(self) -> list[Launch]:
        """The launches that pass the filters: skip, name, count."""
        text = os.environ.get("STANDIN_KERNELS", "add_custom:vector")
        found = [_launch(word) for word in text.split(",") if word]
        found = found[int(self.given.values.get("launch-skip-before-match", "0")) :]
        pattern = self.given.kernel_name
        if pattern is not None:
            regex = "|".join(part.replace("*", ".*") for part in pattern.split("|"))
            found = [launch for launch in found if re.match(f"(?:{regex})", launch[0])]
        orders: dict[tuple[str, int], int] = {}
        result = []
        for name, kind, device in found[: self.given.launch_count]:
            order = orders.get((name, device), 0)
            orders[name, device] = order + 1
            result.append(Launch(name, kind, device, order))
        return result

    def _parse(self) -> None:
        if self.gave_up:
            return
        if not self.raw:
            self._nothing()
            return
        if self.given.simulator:
            opprof_folder.write_simulation(self.top, self.raw)
        else:
            for launch in self.raw:
                self.scenario.before_parse(self, launch)
                time.sleep(self.parse_pause_s)
                self._parse_one(launch)
            opprof_folder.settle(self.top, self.raw)
        self.scenario.after_parse(self)
        self.log.say("INFO", f"Profiling results saved in {self.top}")
        self.log.say("INFO", f"Profiling kernels result is: {len(self.raw)} success, {self.failed} failed")
        if not self.failed:
            self.log.say("INFO", "Profiling running finished. All task success.")

    def _parse_one(self, launch: Launch) -> None:
        stamped = len(self.raw) > 1
        played = os.environ.get("STANDIN_PLAY", "")
        us = (
            opprof_folder.play(self.top, launch, Path(played))
            if played
            else opprof_folder.parse(
                self.top, launch, self.chip, self.tables, stamped=stamped, duration=self.duration
            )
        )
        for table in self.tables:
            self.log.say("INFO", f"Save profiling data with metric [{table}] success.")
        self.log.say("INFO", "Operator Basic Information:")
        print(
            f"\tOp Name: {launch.name}\n\tOp Type: {launch.type}\n\tTask Duration(us): {us:.6f}", flush=True
        )
        self.log.say("INFO", "Performance Summary Report:")
        print("\t1) MTE2 bandwidth utilization lower than 80% when active.", flush=True)
        self.log.say("INFO", "Profiling data parse finished.")

    def _nothing(self) -> None:
        if self.given.kernel_name is not None:
            self.log.say("ERROR", f"No profiling data matched --kernel-name={self.given.kernel_name}")
        self.log.say("ERROR", "Profiling results are empty. No kernel profiling data was generated")
        self.top.rmdir()


def _launch(word: str) -> tuple[str, str, int]:
    word, _, device = word.partition("@")
    name, _, kind = word.partition(":")
    return name, kind or "vector", int(device or 0)
