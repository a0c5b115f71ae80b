"""On a terminal there is a bar, and Ctrl-C asks; elsewhere it only leaves, and says how to come back."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest

from tests.cli.running import SHEAF, Owner, Running, clean_environment, long_export

SOON = 60.0


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, owner: Owner, *arguments: str) -> None:
        self.shown = ""
        command = [*SHEAF, *arguments]
        environment = clean_environment({**owner.environment, "TERM": "xterm"})
        self._pid, self._end = pty.fork()
        if self._pid == 0:  # a copy of a process with threads: it does nothing but this
            os.execve(SHEAF[0], command, environment)

    def until(self, pattern: str) -> None:
        """Read until this is shown."""
        give_up_at = time.monotonic() + SOON
        while not re.search(pattern, self.shown):
            assert self._read(give_up_at), self.shown

    def _read(self, give_up_at: float) -> bool:
        """Take what is shown next; False once nobody holds the other end. A command that stands still is ended."""
        ready, _, _ = select.select([self._end], [], [], max(0.0, give_up_at - time.monotonic()))
        if not ready:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            pytest.fail(f"nothing more was shown in time:\n{self.shown}")
        try:
            piece = os.read(self._end, 65536)
        except OSError:
            return False
        self.shown += piece.decode(errors="replace")
        return bool(piece)

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def end(self) -> int:
        """Read to its end; the exit code."""
        give_up_at = time.monotonic() + SOON
        while self._read(give_up_at):
            pass
        os.close(self._end)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def test_a_terminal_gets_a_bar(server: Running):
    owner = server.owner("few")
    terminal = Terminal(owner, "export", "create", "--wait")

    code = terminal.end()

    assert code == 0
    assert "━" in terminal.shown
    assert "5/5" in terminal.shown
    assert owner.token not in terminal.shown


@pytest.mark.parametrize(
    ("typed", "code", "told", "ends"),
    [
        ("y\n", 5, r"was cancelled", True),
        ("\n", 130, r"The export goes on. Follow it again with: sheaf export wait", False),
        ("\x03", 130, r"The export goes on. Follow it again with: sheaf export wait", False),
    ],
    ids=["yes cancels", "no leaves", "a second one leaves"],
)
def test_ctrl_c_on_a_terminal_asks_whether_to_cancel(server: Running, typed, code, told, ends):
    with long_export(server) as (owner, export_id):
        terminal = Terminal(owner, "export", "wait", export_id)
        terminal.until("/150")
        terminal.type("\x03")
        terminal.until(r"Cancel export .* Otherwise it goes on")
        terminal.type(typed)

        assert terminal.end() == code
        assert re.search(told, terminal.shown)
        state = json.loads(owner.export("status", export_id, "--json").out)["state"]
        assert (state == "cancelled") is ends


def test_ctrl_c_without_a_terminal_leaves_the_export_alone_and_says_how_to_go_on(server):
    with long_export(server) as (owner, export_id):
        waiting = subprocess.Popen(
            [*SHEAF, "export", "wait", export_id],
            env=clean_environment(owner.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert waiting.stderr is not None
        first = waiting.stderr.readline()
        waiting.send_signal(signal.SIGINT)
        _, rest = waiting.communicate(timeout=SOON)
        status = owner.export("status", export_id)
        again = owner.export("wait", export_id, "--timeout", "0")

    assert first
    assert waiting.returncode == 130
    assert f"The export goes on. Follow it again with: sheaf export wait {export_id}" in rest
    assert "is processing" in status.out
    assert again.code == 6
