"""What can go wrong, one class a scenario; each says at which moment of the run it steps in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opprof_folder import Launch
    from session import Session

LONG_S = 60.0  # longer than any test waits


class Scenario:
    """Nothing goes wrong."""

    def before(self, session: Session) -> bool:
        """Before anything was done; False ends the run."""
        return True

    def before_launch(self, session: Session, launch: Launch) -> None: ...

    def after_launch(self, session: Session, launch: Launch) -> None: ...

    def after_app(self, session: Session) -> None: ...

    def before_parse(self, session: Session, launch: Launch) -> None: ...

    def after_parse(self, session: Session) -> None: ...

    def at_end(self, session: Session) -> int:
        """The exit status."""
        return 0


class Refuses(Scenario):
    """Says one thing and ends, with exit status 0."""

    def __init__(self, text: str, level: str = "ERROR") -> None:
        self.text, self.level = text, level

    def before(self, session: Session) -> bool:
        session.log.say(self.level, self.text)
        return False


class Silent(Scenario):
    """Ends without a word and without a folder."""

    def before(self, session: Session) -> bool:
        return False


class EndsWith(Scenario):
    """A whole result, and an exit status all the same."""

    def at_end(self, session: Session) -> int:
        return 3


class Hangs(Scenario):
    """Hangs after a number of launches until it is interrupted; may be deaf to SIGINT, or to SIGTERM too."""

    def __init__(self, after: int = 1, deaf: tuple[int, ...] = (), parse_s: float = 0.0) -> None:
        self.after, self.deaf, self.parse_s = after, deaf, parse_s

    def before(self, session: Session) -> bool:
        for number in self.deaf:
            signal.signal(number, signal.SIG_IGN)
        session.parse_pause_s = self.parse_s
        if self.after == 0:
            self._wait(session)
        return True

    def after_launch(self, session: Session, launch: Launch) -> None:
        if len(session.raw) == self.after:
            self._wait(session)

    def _wait(self, session: Session) -> None:
        end = time.monotonic() + LONG_S
        while not session.interrupts and time.monotonic() < end:
            print("waiting for the device", flush=True)
            time.sleep(0.02)


class Dies(Scenario):
    """Killed by a signal: before parsing, or between two kernels."""

    def __init__(self, number: int, *, after_parsed: int = 0) -> None:
        self.number, self.after_parsed, self.parsed = number, after_parsed, 0

    def before_parse(self, session: Session, launch: Launch) -> None:
        if self.parsed == self.after_parsed:
            if self.number != signal.SIGKILL:
                signal.signal(self.number, signal.SIG_DFL)
            os.kill(os.getpid(), self.number)
        self.parsed += 1


class LosesLaunches(Scenario):
    """The launches from a number on fail under the profiler."""

    def __init__(self, text: str, keep: int = 0) -> None:
        self.text, self.keep = text, keep

    def after_app(self, session: Session) -> None:
        for launch in session.raw[self.keep :]:
            session.log.say("ERROR", self.text.format(device=launch.device, number=launch.order))
            session.failed += 1
            shutil.rmtree(session.top / f"device{launch.device}" / launch.name / str(launch.order))
        session.raw = session.raw[: self.keep]
        if not session.raw:
            shutil.rmtree(session.top)
            session.top.mkdir()


class NoDuration(Scenario):
    def before_parse(self, session: Session, launch: Launch) -> None:
        session.duration = "NA"
        session.log.say("WARN", "Get op basic info [Task Duration] failed.")


class LosesTable(Scenario):
    def before_parse(self, session: Session, launch: Launch) -> None:
        session.tables = tuple(table for table in session.given.tables if table != "Memory")
        session.log.say("ERROR", "Failed to save profiling data with metric [Memory]")


class EmptiesTable(Scenario):
    """A table with its header only, and no word about it."""

    def after_parse(self, session: Session) -> None:
        for path in session.top.rglob("Memory.csv"):
            path.write_text(path.read_text().splitlines()[0] + "\n")


class CannotParse(Scenario):
    def after_app(self, session: Session) -> None:
        session.log.say("ERROR", "Profiling data parse failed. Please check the log")
        session.gave_up = True


class Lies(Scenario):
    """Praises itself and leaves an empty folder, or rubbish in the tables."""

    def __init__(self, content: bytes | None) -> None:
        self.content = content

    def after_parse(self, session: Session) -> None:
        for path in [p for p in session.top.rglob("*") if p.is_file()]:
            if self.content is None:
                path.unlink()
            else:
                path.write_bytes(self.content)


class Prints(Scenario):
    """Output as if from the program: a flood, a line without end, bytes that are no text, escapes."""

    def __init__(self, piece: bytes, times: int) -> None:
        self.piece, self.times = piece, times

    def after_launch(self, session: Session, launch: Launch) -> None:
        for _ in range(self.times):
            sys.stdout.buffer.write(self.piece)
        sys.stdout.buffer.flush()


class LeavesProcess(Scenario):
    """A process outlives the run, in the same session or one of its own, and keeps the output open."""

    def __init__(self, *, own_session: bool, deaf: bool = False) -> None:
        self.own_session, self.deaf = own_session, deaf

    def after_app(self, session: Session) -> None:
        trap = "trap '' TERM INT; " if self.deaf else ""
        subprocess.Popen(
            ["/bin/sh", "-c", f"{trap}while :; do sleep 1; done"], start_new_session=self.own_session
        )


class LeavesStranger(Scenario):
    """A process stays behind whose environment was cleared; its number is left in a file."""

    def after_app(self, session: Session) -> None:
        left = subprocess.Popen(["/bin/sh", "-c", "while :; do sleep 1; done"], env={})
        (session.top.parent / "stranger.pid").write_text(str(left.pid))


class Twins(Scenario):
    """Another collection puts its result into the same folder meanwhile, with a later name."""

    def after_app(self, session: Session) -> None:
        (session.top.parent / "OPPROF_20990101000000_ZZZZZZZZZZZZZZZZ").mkdir()


class Unreadable(Scenario):
    def after_parse(self, session: Session) -> None:
        session.top.chmod(0)


class LinkedResult(Scenario):
    """The result is a soft link to somewhere else."""

    def after_parse(self, session: Session) -> None:
        elsewhere = session.top.parent.parent / "elsewhere"
        session.top.rename(elsewhere)
        session.top.symlink_to(elsewhere)


class ClosesOutput(Scenario):
    """Works on for a while after it closed its output."""

    def at_end(self, session: Session) -> int:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        time.sleep(0.1)
        return 0


class Dribbles(Scenario):
    """Its lines come a few characters at a time."""

    def before(self, session: Session) -> bool:
        say = session.log.say

        def dribble(level: str, text: str) -> None:
            with redirect_stdout(StringIO()) as held:
                say(level, text)
            line = held.getvalue()
            for at in range(0, len(line), 7):
                sys.stdout.write(line[at : at + 7])
                sys.stdout.flush()
                time.sleep(0.002)

        session.log.say = dribble  # type: ignore[method-assign]
        return True


class GluesLines(Scenario):
    """The program ends its output without a new line, and the tool goes on behind it."""

    def after_launch(self, session: Session, launch: Launch) -> None:
        print("result ok", end="", flush=True)


class SimulatorTimeout(Scenario):
    def __init__(self, *, keep: bool) -> None:
        self.keep = keep

    def after_app(self, session: Session) -> None:
        session.log.say("WARN", "The timeout has reached and the application will be forcibly killed.")
        if not self.keep:
            session.raw = []
            shutil.rmtree(session.top)
            session.top.mkdir()


class Says(Scenario):
    """A remark beside a whole result."""

    def __init__(self, level: str, text: str) -> None:
        self.level, self.text = level, text

    def after_parse(self, session: Session) -> None:
        session.log.say(self.level, self.text)


class SimulatesNothing(Scenario):
    """The simulator "succeeds" with nothing in its folder."""

    def after_parse(self, session: Session) -> None:
        shutil.rmtree(session.top / "simulator")


SCENARIOS: dict[str, Scenario] = {
    "ok": Scenario(),
    "silent": Silent(),
    "ends-with-3": EndsWith(),
    "hangs": Hangs(),
    "hangs-at-once": Hangs(after=0),
    "hangs-slow-parse": Hangs(parse_s=LONG_S),
    "deaf": Hangs(deaf=(signal.SIGINT,)),
    "stone-deaf": Hangs(deaf=(signal.SIGINT, signal.SIGTERM)),
    "crashes": Dies(signal.SIGSEGV),
    "killed": Dies(signal.SIGKILL),
    "killed-half-way": Dies(signal.SIGKILL, after_parsed=1),
    "memory": LosesLaunches("memoryContext failed!"),
    "restore": LosesLaunches("Replay data restore failed. Skipping {number}"),
    "launch-fails": LosesLaunches("Kernel run on device {device} No. {number} time failed."),
    "second-launch-fails": LosesLaunches("Kernel run on device {device} No. {number} time failed.", keep=1),
    "no-duration": NoDuration(),
    "loses-table": LosesTable(),
    "empties-table": EmptiesTable(),
    "cannot-parse": CannotParse(),
    "lies-empty": Lies(None),
    "lies-rubbish": Lies(b"\x00\xff<<<<<<< not a table\n\x1b[31m,,,,\n"),
    "flood": Prints(b"step 1 of 1: all is well, nothing to see here, go on ...........\n" * 1600, 1000),
    "flood-marked": Prints(b"[INFO]  step of the program, which uses the same mark\n" * 1000, 20),
    "one-endless-line": Prints(b"x" * 1_000_000, 10),
    "garbage": Prints(b"\xff\xfe\x00\x1b]0;owned\x07\x1b[2J\r\x80 end of garbage\n", 3),
    "leaves-process": LeavesProcess(own_session=False),
    "leaves-daemon": LeavesProcess(own_session=True),
    "leaves-deaf-daemon": LeavesProcess(own_session=True, deaf=True),
    "leaves-stranger": LeavesStranger(),
    "twins": Twins(),
    "unreadable": Unreadable(),
    "linked-result": LinkedResult(),
    "closes-output": ClosesOutput(),
    "glues-lines": GluesLines(),
    "dribbles": Dribbles(),
    "permission": Refuses("--output path is writable by group or others, permission is not safe"),
    "soft-link": Refuses("--output path can not be a soft link"),
    "tmp-insecure": Refuses("Tmp output path maybe not secure, /x/tmp_dump already exist"),
    "chip": Refuses("Device profiling is not supported on current chip."),
    "simulator-libraries": Refuses("Failed to load simulator so, please check your LD_LIBRARY_PATH"),
    "no-home": Refuses("$ASCEND_HOME_PATH not found"),
    "unknown-error": Refuses("Something that no table knows went wrong"),
    "simulator-timeout": SimulatorTimeout(keep=False),
    "simulator-timeout-partial": SimulatorTimeout(keep=True),
    "simulates-nothing": SimulatesNothing(),
    "warns-permission": Says("WARN", "permission of the output path is not safe, it is writable by others"),
    "misses-indicators": Says("WARN", "Access profiling data file [DeviceProf3.bin] failed. "
                              "Some indicators of [L2Cache] failed to be collected"),
    "no-debug-lines": Says("WARN", "Failed to parse pc to code, maybe kernel missed debug_line"),
}  # fmt: skip
