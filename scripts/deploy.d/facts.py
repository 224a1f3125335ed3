"""What the checkout says about its processes: daemons, queues, drain times and metrics."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def procfile():
    """Commands by name of the process."""
    lines = [line.split(": ", 1) for line in text("Procfile").splitlines() if line.strip()]
    return {name: command.split() for name, command in lines}


def daemons():
    """Names of the daemons that the Procfile starts."""
    return sorted(command[1] for command in procfile().values() if command[0] == "lumio-worker")


def drain_seconds(path):
    """Longest drain of a program, from its source."""
    found = re.search(r"const DRAIN_TIMEOUT: Duration = Duration::from_secs\((\d+)\)", text(path))
    return int(found.group(1))


API_DRAIN = "api/server/src/server.rs"
WORKER_DRAIN = "workers/src/supervisor.rs"


def queues():
    """Names of all queues, from the source."""
    block = re.search(r"pub const QUEUES: \[&str; \d+\] = \[(.*?)\];", text("shared/foundation/src/jobs/mod.rs"), re.S)
    jobs = "\n".join(path.read_text() for path in sorted((ROOT / "shared/foundation/src/jobs").glob("*.rs")))
    names = set(re.findall(r"const QUEUE: &'static str = \"(\w+)\"", jobs))
    assert len(names) == len(re.findall(r"::QUEUE", block.group(1))), "every queue of the list is a job's"
    return names


def metrics():
    """Names of the metrics that the product registers, from its source."""
    names = set()
    for folder in ("shared", "api", "workers"):
        for path in (ROOT / folder).rglob("*.rs"):
            names |= set(re.findall(r'"((?:lumio|http|rate_limit)_[a-z0-9_]+)"', path.read_text(encoding="utf-8")))
    return names


class Findings:
    """Findings of one check. They are collected, so that a run shows all of them."""

    def __init__(self, subject):
        self.subject, self.found = subject, []

    def check(self, holds, problem):
        if not holds:
            self.found.append(problem)

    def end(self, summary):
        for problem in self.found:
            print(f"{self.subject}: {problem}")
        if self.found:
            raise SystemExit(1)
        print(f"{self.subject}: {summary}")
