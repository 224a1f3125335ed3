"""Runs a command while a real Prometheus scrapes every process of scripts/run, then sends it every query of the dashboards,
alerts and scalers. Ends with the status of the command, or 1 when a query has no answer. Usage: scrape.py COMMAND…"""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

import dashboards
import stack as stacks
from facts import ROOT

SCRAPE_SECONDS = 5
# Seconds between the points of a range. A panel shows a range too: a gauge without a value at its end is no fault.
STEP_SECONDS = 15
# Longest wait for a series after the command: longer than the slowest gauge, which is read every 30 s, and two scrapes.
SETTLE_SECONDS = 60


def main(*command):
    data = Path(os.environ["LUMIO_DATA"])
    # scripts/run writes it.
    targets = json.loads((data / "targets.json").read_text())[0]["targets"]
    prometheus = Prometheus(data / "prometheus", targets)
    try:
        status = subprocess.run(command).returncode
        failures = [] if status else prometheus.failures()
    finally:
        prometheus.stop()
    for failure in failures:
        print(f"dashboards and alerts: {failure}")
    sys.exit(status or bool(failures))


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()
    except OSError:
        return None


class Prometheus:
    """A Prometheus with the rules of the checkout."""

    def __init__(self, folder, targets):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        config = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
        config["global"] = {"scrape_interval": f"{SCRAPE_SECONDS}s", "evaluation_interval": f"{SCRAPE_SECONDS}s"}
        config["rule_files"] = [str(ROOT / "deploy/prometheus/alerts.yml")]
        config["scrape_configs"][0]["static_configs"][0]["targets"] = targets
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        self.folder, self.targets, self.began = folder, targets, time.time()
        port = stacks.free_port(19090)
        self.origin = f"http://127.0.0.1:{port}"
        command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"]
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise

    def wait(self):
        """Waits until every process is scraped."""
        problem = stacks.eventually(self.is_ready, lambda: f"Prometheus does not start: {(self.folder / 'log').read_text()[-2000:]}")
        problem = problem or stacks.eventually(lambda: not self.missing(), lambda: f"not scraped: {self.missing()}")
        if problem:
            raise SystemExit(problem)

    def is_ready(self):
        return "Ready" in (fetch(f"{self.origin}/-/ready") or "")

    def missing(self):
        found = json.loads(fetch(f"{self.origin}/api/v1/targets"))["data"]["activeTargets"]
        up = {target["labels"]["instance"] for target in found if target["health"] == "up"}
        return sorted(set(self.targets) - up)

    def query(self, expression):
        """Number of series since the beginning, or the error of Prometheus."""
        values = {"query": expression, "start": self.began, "end": time.time(), "step": STEP_SECONDS}
        answer = json.loads(fetch(f"{self.origin}/api/v1/query_range?{urllib.parse.urlencode(values)}"))
        if answer["status"] != "success":
            return 0, answer["error"]
        return len(answer["data"]["result"]), None

    def failures(self):
        """What has no answer, after a wait for series that come late."""
        queries = list(dashboards.queries())
        left, end = queries, time.monotonic() + SETTLE_SECONDS
        while True:
            left = [query for query in left if self.problem(*query)]
            if not left or time.monotonic() > end:
                break
            time.sleep(SCRAPE_SECONDS)
        found = [f"{place}: {self.problem(place, expression, is_needed)}: {expression}" for place, expression, is_needed in left]
        print(f"    Prometheus answered {len(queries) - len(left)} of {len(queries)} queries, from {len(self.targets)} processes")
        self.report_listed()
        return found

    def problem(self, place, expression, is_needed):
        """Why a query is no answer for a reader; None when it is one."""
        # The default would answer also when nothing exposes the metric.
        count, error = self.query(dashboards.without_default(expression))
        if error or count or not is_needed:
            return error
        if not dashboards.has_default(expression):
            return "no series"
        for name, selector in dashboards.selectors(expression):
            if name in dashboards.MAY_BE_EMPTY:
                continue
            count, error = self.query(selector)
            if error or not count:
                return error or f"no series, and none of {selector}"
        return None

    def report_listed(self):
        """Names what would need no place in the list, at least in this run."""
        present = [name for name in dashboards.MAY_BE_EMPTY if self.query(name)[0]]
        if present:
            print(f"    listed as perhaps empty, and with series here: {', '.join(present)}")

    def stop(self):
        self.process.terminate()
        self.process.wait()


main(*sys.argv[1:])
