"""Programs checked in a worker process, since XLA may abort.

A worker takes lines from standard input, their words apart by tabs: a program, and the steps to leave out. It answers each with a line
of JSON, and says before each step which one begins. A step in which the worker dies or hangs is a failure of its program; another
worker does the program's other steps.
"""

import json
import os
import subprocess
import sys
import threading

RECYCLE = 60  # lines of one worker: what JAX compiled is never freed altogether
VERB = "work"  # of tests/outside/run, in a worker


# ---- in a worker ----


def tell(step):
    """Which step begins; "" when all are done."""
    if sys.argv[1:2] == [VERB]:
        print("at " + step, flush=True)


def serve(row_of):
    """Answers each line with row_of(program, steps to leave out), a dictionary."""
    for line in sys.stdin:
        program, *without = line.rstrip("\n").split("\t")
        print("row " + json.dumps(row_of(program, without)), flush=True)


# ---- outside ----


class Workers:
    """One worker at a time, with another in its place when it dies or is old.

    seconds     the limit of one program
    words       what `outside work` is given
    directory   where what the newest worker writes to standard error goes, in the file stderr
    """

    def __init__(self, directory, seconds, *words):
        self.directory, self.seconds, self.words, self.worker, self.age = directory, seconds, words, None, 0
        os.makedirs(directory, exist_ok=True)

    def _start(self):
        with open(os.path.join(self.directory, "stderr"), "w") as stderr:
            return subprocess.Popen([sys.executable, "-m", "outside", VERB, *self.words], text=True, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=stderr)

    def _ask(self, program, without):
        """The row that a worker gives, or {"died": in which step, "status": …}."""
        if self.worker is None or self.age >= RECYCLE:
            self.close()
            self.worker, self.age = self._start(), 0
        self.age += 1
        worker, step = self.worker, "start"
        timer = threading.Timer(self.seconds, worker.kill)
        timer.start()
        try:
            worker.stdin.write("\t".join([program, *without]) + "\n")
            worker.stdin.flush()
            for line in worker.stdout:
                if line.startswith("at "):
                    step = line[3:-1] or "end"
                if line.startswith("row "):
                    return json.loads(line[4:])
        except OSError:
            pass
        finally:
            timer.cancel()
        self.worker = None
        return {"died": step, "status": worker.wait()}

    def _died_in_xla(self):
        """Whether the trace that the worker left is one of XLA's checks."""
        with open(os.path.join(self.directory, "stderr")) as file:
            tail = file.read()[-20000:]
        trace = tail[tail.rfind("Check failure stack trace"):] if "Check failure stack trace" in tail else ""
        return " xla::" in trace

    def answer(self, program, without=()):
        """The row of a worker that lives, which is None if there is none, and the steps in which others died: {step: (what happened, whether
        in a check of XLA's own code)}."""
        died = {}
        while True:
            row = self._ask(program, [*without, *died])
            if "died" not in row:
                return row, died
            step = row["died"]
            again = step in died
            died[step] = f"the process ended with status {row['status']} ({self.seconds} s is the limit)", self._died_in_xla()
            if again or "to_jax" not in step:  # nothing but XLA may abort
                return None, died

    def close(self):
        if self.worker:
            self.worker.stdin.close()
            self.worker.wait()
            self.worker = None
