"""Starts compose.yaml as processes with a stand-in for the platforms, lets a real Prometheus scrape them while the tour is
played, and sends it every query of the dashboards, alerts and scalers. Usage: live.py FOLDER PROGRAMS ENGINE"""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

import dashboards
import stack as stacks
from facts import ROOT

SCRAPE_SECONDS = 2
# Longer than the slowest gauge, which housekeeping reads every 30 s, and two scrapes for every rate.
SETTLE_SECONDS = 40


def main(folder, programs, engine):
    stand_in = StandIn(programs)
    try:
        # The tour is for development: its stand-in has addresses of this machine.
        given = stand_in.environment() | {"LUMIO_ENV": "development", "LUMIO_PUBLIC_URL": "http://localhost:8080"}
        with stacks.started(folder, programs, engine, given) as stack:
            prometheus = Prometheus(stack)
            try:
                tour(stack, stand_in, programs)
                time.sleep(SETTLE_SECONDS)
                # Sockets, commands and requests once more, so that rates of the last minute are there.
                tour(stack, stand_in, programs)
                prometheus.wait_for_rules()
                failures = prometheus.answers()
            finally:
                prometheus.stop()
    finally:
        stand_in.stop()
    if failures:
        raise SystemExit("\n".join(failures))


class StandIn:
    """The stand-in for the platforms."""

    def __init__(self, programs):
        self.port = stacks.free_port(18900)
        self.origin = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen([f"{programs}/platforms-stand-in", "--port", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def environment(self):
        assert stacks.eventually(lambda: fetch(f"{self.origin}/_control/environment"), lambda: "no stand-in") is None
        return json.loads(fetch(f"{self.origin}/_control/environment"))

    def stop(self):
        self.process.terminate()
        self.process.wait()


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()
    except OSError:
        return None


def tour(stack, stand_in, programs):
    print("    the tour", flush=True)
    addresses = {
        "LUMIO_API_URL": f"http://{stack.address(8080)}",
        "LUMIO_METRICS_URL": f"http://{stack.address(9100)}",
        "LUMIO_STAND_IN_URL": stand_in.origin,
        "LUMIO_API_PROGRAM": f"{programs}/lumio-api",
    }
    environment = stack.environments["api"] | addresses | {"LUMIO_TEST_BROWSER": "0", "HOME": os.environ.get("HOME", "/root")}
    played = subprocess.run([f"{programs}/lumio-demo"], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if played.returncode:
        raise SystemExit(f"the tour failed:\n{played.stdout[-3000:]}{played.stderr[-2000:]}")


class Prometheus:
    """A Prometheus with the rules of the checkout."""

    def __init__(self, stack):
        self.folder = stack.folder / "prometheus"
        self.folder.mkdir()
        config = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
        config["global"] = {"scrape_interval": f"{SCRAPE_SECONDS}s", "evaluation_interval": f"{SCRAPE_SECONDS}s"}
        config["rule_files"] = [str(ROOT / "deploy/prometheus/alerts.yml")]
        targets = config["scrape_configs"][0]["static_configs"][0]["targets"]
        # The names of the services of compose.yaml are addresses of this machine here.
        here = [re.sub(r"^\w+:(\d+)$", lambda match: stack.address(int(match.group(1))), target) for target in targets]
        config["scrape_configs"][0]["static_configs"][0]["targets"] = here
        (self.folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        self.port = stacks.free_port(19090)
        self.origin = f"http://127.0.0.1:{self.port}"
        command = ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data", f"--web.listen-address=127.0.0.1:{self.port}"]
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        assert stacks.eventually(lambda: fetch(f"{self.origin}/-/ready"), lambda: "Prometheus does not start") is None
        problem = stacks.eventually(self.scrapes_all, lambda: fetch(f"{self.origin}/api/v1/targets"))
        assert problem is None, problem

    def scrapes_all(self):
        targets = json.loads(fetch(f"{self.origin}/api/v1/targets"))["data"]["activeTargets"]
        return len(targets) == 2 and all(target["health"] == "up" for target in targets)

    def wait_for_rules(self):
        problem = stacks.eventually(lambda: self.query("lumio:api_errors:ratio_rate5m")[0], lambda: "no ratio is recorded")
        assert problem is None, problem

    def query(self, expression):
        """Number of series, or the error of Prometheus."""
        answer = json.loads(fetch(f"{self.origin}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"))
        if answer["status"] != "success":
            return 0, answer["error"]
        return len(answer["data"]["result"]), None

    def answers(self):
        failures, asked, series = [], 0, 0
        for place, expression, is_needed in dashboards.queries():
            count, error = self.query(expression)
            asked, series = asked + 1, series + count
            if error or (is_needed and not count):
                failures.append(f"{place}: {error or 'no series'}: {expression}")
        print(f"    Prometheus answered {asked} queries with {series} series")
        return failures

    def stop(self):
        self.process.terminate()
        self.process.wait()


main(*sys.argv[1:])
