"""Checks dashboards, alerts and objectives against the metrics of the source, and lists their queries for scrape.py."""

import json
import re
import subprocess
from pathlib import Path

import yaml

import facts
from facts import ROOT, Findings

DASHBOARDS = ROOT / "deploy/grafana"
RULES = ROOT / "deploy/prometheus/alerts.yml"
TESTS = ROOT / "deploy/prometheus/alerts_test.yml"
RUNBOOKS = "docs/operators/runbooks.md"
SUFFIXES = ("_bucket", "_sum", "_count")
# The variables of a dashboard, as Grafana fills them in for a short range.
VARIABLES = {"$__rate_interval": "2m", "$env": ".*"}
# What a panel shows instead of nothing. It would answer also for a metric that nothing exposes.
DEFAULT = " or vector(0)"
# Metrics that may have no series in a stack that works, each with its reason.
MAY_BE_EMPTY = {
    "lumio_db_replica_age_seconds": "the stack has no replica",
    "lumio_jobs_redis_failures_total": "Redis does not fail",
    "lumio_mails_total": "the people of the demonstration have no address for mails",
    "lumio_runtime_fetches_total": "the extension of the demonstration fetches nothing",
    "lumio_runtime_refusals_total": "every handler of the demonstration may run",
    "lumio_source_channels_reading": "the channels of the demonstration get their chat by webhooks",
    "lumio_source_interruptions_total": "the channels of the demonstration get their chat by webhooks",
    "lumio_token_refreshes_total": "the tokens of the stand-in are valid for longer than a run",
    "lumio_usage_step_failures_total": "no step of the accounting fails",
    "lumio_webhook_endpoints_disabled_total": "the receiver of the demonstration is there",
    "lumio_youtube_quota_units_total": "the demonstration has no channel on YouTube",
}


def dashboard_queries():
    for path in sorted(DASHBOARDS.glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel["targets"]:
                expression = target["expr"]
                for variable, value in VARIABLES.items():
                    expression = expression.replace(variable, value)
                yield f"{path.name}: {panel['title']}", expression


def rules():
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        yield from group["rules"]


def queries():
    """Each query with its place, and whether a working stack must answer it. An alert answers nothing there."""
    for place, expression in dashboard_queries():
        yield place, expression, True
    for rule in rules():
        name = rule.get("record", rule.get("alert"))
        yield f"alerts.yml: {name}", rule["expr"], "record" in rule
        if "record" in rule:
            yield f"alerts.yml: {name} as recorded", name, True
    values = yaml.safe_load((ROOT / "deploy/helm/lumio/values.yaml").read_text())
    for daemon, scaling in values["daemons"].items():
        if "query" in scaling:
            # No series means that there is nothing to do.
            yield f"values.yaml: {daemon}", scaling["query"].replace("$selector", ""), False
        for queue in scaling.get("queues", []):
            yield f"values.yaml: {daemon}", f'max by (queue) (lumio_queue_jobs{{queue="{queue}",state="ready"}})', True


def has_default(expression):
    return DEFAULT in expression


def without_default(expression):
    return expression.replace(DEFAULT, "")


def selectors(expression):
    """Each metric of an expression with any value of the labels that are selected: what the panel needs to show anything."""
    for name, matchers in re.findall(r"\b((?:lumio|http|rate_limit|process)_\w+)(?:\{([^}]*)\})?", expression):
        labels = sorted(set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", matchers)))
        yield name, name + "{" + ",".join(f'{label}!=""' for label in labels) + "}"


def check_empty(findings):
    """The list of metrics without a series holds only what a dashboard needs."""
    shown = set()
    for _, expression in dashboard_queries():
        if has_default(expression):
            shown |= {name for name, _ in selectors(expression)}
    for name in MAY_BE_EMPTY:
        findings.check(name in shown, f"MAY_BE_EMPTY: no dashboard has a default for {name}")


def metrics_of(expression):
    for name in re.findall(r"\b(?:lumio|http|rate_limit|process)_[a-z0-9_]+\b(?=[{\[) ]|$)", re.sub(r'"[^"]*"', '""', expression)):
        for suffix in SUFFIXES:
            if name.endswith(suffix) and name.removesuffix(suffix) not in ("",):
                yield name, name.removesuffix(suffix)
                break
        else:
            yield name, name


def check_metrics(findings):
    known = facts.metrics()
    for place, expression, _ in queries():
        for name, family in metrics_of(expression):
            # The library of metrics has those of the process.
            found = name.startswith("process_") or name in known or family in known
            findings.check(found, f"{place}: no process has the metric {name}")


def check_dashboards(findings):
    seen = set()
    for path in sorted(DASHBOARDS.glob("*.json")):
        document = json.loads(path.read_text())
        findings.check(document["uid"] not in seen, f"{path.name}: its uid is taken")
        seen.add(document["uid"])
        ids = [panel["id"] for panel in document["panels"]]
        findings.check(len(ids) == len(set(ids)), f"{path.name}: two panels have one id")
        for panel in document["panels"]:
            findings.check(panel["targets"], f"{path.name}: {panel['title']} has no query")
            for target in panel["targets"]:
                findings.check('env=~"$env"' in target["expr"], f"{path.name}: {panel['title']} ignores the environment")
                findings.check(target["datasource"]["uid"] == "${datasource}", f"{path.name}: {panel['title']} names a data source")
    findings.check(len(seen) >= 5, "a dashboard is missing")


def check_alerts(findings):
    tests = yaml.safe_load(TESTS.read_text())["tests"]
    cases = [case for test in tests for case in test["alert_rule_test"]]
    runbooks = ROOT / RUNBOOKS
    headings = set()
    if runbooks.exists():
        for heading in re.findall(r"^#+ (.+)$", runbooks.read_text(encoding="utf-8"), re.M):
            headings.add(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"))
    names = []
    for rule in rules():
        if "alert" not in rule:
            continue
        name = rule["alert"]
        names.append(name)
        own = [case for case in cases if case["alertname"] == name]
        findings.check(any(case["exp_alerts"] for case in own), f"{name}: no test lets it fire")
        findings.check(any(not case["exp_alerts"] for case in own), f"{name}: no test keeps it silent")
        findings.check(rule["labels"]["severity"] in ("critical", "warning"), f"{name}: severity")
        for annotation in ("summary", "description", "runbook_url"):
            findings.check(rule["annotations"].get(annotation), f"{name}: no {annotation}")
        expected = f"{RUNBOOKS}#{name.lower()}"
        findings.check(rule["annotations"]["runbook_url"] == expected, f"{name}: its runbook is not {expected}")
        findings.check(name.lower() in headings, f"{name}: {RUNBOOKS} has no section of that name")
    findings.check(len(names) == len(set(names)), "two alerts have one name")
    stale = headings_of_alerts(runbooks) - set(names) if runbooks.exists() else set()
    findings.check(not stale, f"{RUNBOOKS} has sections of alerts that do not exist: {sorted(stale)}")
    return names


def headings_of_alerts(path: Path):
    """Headings that have the form of an alert's name: at least two words in one."""
    return set(re.findall(r"^#+ ((?:[A-Z][a-z]+){2,})$", path.read_text(encoding="utf-8"), re.M))


def check_objectives(findings):
    text = facts.text("docs/reference/slo.md")
    for rule in rules():
        name = rule.get("record", rule.get("alert"))
        is_objective = "record" in rule or "Budget" in name
        short = re.sub(r":ratio_rate\w+$", "", name)
        findings.check(not is_objective or short in text, f"docs/reference/slo.md does not name {short}")


def main():
    findings = Findings("dashboards and alerts")
    check_metrics(findings)
    check_empty(findings)
    check_dashboards(findings)
    names = check_alerts(findings)
    check_objectives(findings)
    subprocess.run(["promtool", "check", "config", "prometheus.yml"], cwd=RULES.parent, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["promtool", "test", "rules", TESTS.name], cwd=RULES.parent, check=True, stdout=subprocess.DEVNULL)
    count = len(list(dashboard_queries()))
    findings.end(f"{count} queries of dashboards and {len(names)} alerts, each tested to fire and to be silent")


if __name__ == "__main__":
    main()
