"""Renders the Helm chart with Helm's own engine and checks the result: the schemas of Kubernetes and of the custom
resources, and the rules of this project for everything that runs."""

import copy
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import helm_python as helm
import jsonschema
import kubernetes_validate
import yaml

import facts
from facts import ROOT, Findings

SOURCE = ROOT / "deploy/helm/lumio"
# Links to alerts and dashboards are files here, as in a packed chart.
CHART = Path(tempfile.mkdtemp()) / "lumio"
SCHEMAS = ROOT / "deploy/helm/schemas"
# The oldest version that Chart.yaml accepts, and the newest that the validator knows.
VERSIONS = ["1.29", kubernetes_validate.latest_version()]
# Parts of the chart that need an operator: its definitions, and a kind of resource that only this part has.
OPERATORS = {"keda": ("keda.sh/v1alpha1", "ScaledObject"), "monitoring": ("monitoring.coreos.com/v1", "ServiceMonitor")}
# How the chart asks the cluster for definitions.
QUESTION = ".root.Capabilities.APIVersions.Has .api"
MINIMAL = {
    "publicUrl": "https://api.example.com",
    "secrets": {"existingSecret": "lumio"},
    "storage": {"url": "s3://files"},
}
# Values that the schema must refuse, over the minimal ones.
REFUSED = {
    "a secret as a value": {"config": {"LUMIO_JWT_SECRET": "x"}},
    "a platform's secret as a value": {"config": {"LUMIO_TWITCH_CLIENT_SECRET": "x"}},
    "a database URL as a value": {"config": {"LUMIO_TIMESCALEDB_URL": "postgres://u:p@h/d"}},
    "the URL of a replica as a value": {"config": {"LUMIO_DATABASE_REPLICA_URL": "postgres://u:p@h/d"}},
    "a variable that the chart sets": {"config": {"LUMIO_HTTP_BIND": "0.0.0.0:1"}},
    "an unknown value": {"replicaCount": 3},
    "a floating tag": {"image": {"repository": "lumio", "tag": "latest"}},
    "a grace period below the drain": {"api": {"terminationGracePeriodSeconds": 10}},
    "a volume that is not named": {"storage": {"url": "file:///var/lib/lumio/storage"}},
    "an unknown answer for an operator": {"keda": {"enabled": "yes"}},
    "a daemon with two ways of scaling": {"daemons": {"mail": {"fixed": "one copy is enough"}}},
    "no secret": {"secrets": {"existingSecret": ""}},
}
# Queues that scale no daemon, with the reason.
UNSCALED_QUEUES = {"sample_deletions": "a copy of history deletes fifty at a time, and few are ever there"}

findings = Findings("chart")
check = findings.check


def main():
    shutil.copytree(SOURCE, CHART)
    with_operators = chart_of_cluster([api for api, _ in OPERATORS.values()])
    for chart in (CHART, with_operators):
        lint(chart)
    for what, values in REFUSED.items():
        refuses(what, values)
    rendered = {"defaults": render(MINIMAL, with_operators), "defaults without operators": render(MINIMAL)}
    for example in sorted((ROOT / "deploy/helm/examples").glob("*.yaml")):
        rendered[example.name] = render(yaml.safe_load(example.read_text()))
    for name, documents in rendered.items():
        for document in documents:
            validate(name, document)
        policies(name, documents)
    finds_faults(rendered["defaults"])
    covers_the_procfile(rendered["defaults"])
    scales_by_existing_metrics(rendered["defaults"])
    uses_what_the_cluster_has()
    for part, (_, kind) in OPERATORS.items():
        asks = kinds(rendered["defaults"], kind) and not kinds(rendered["defaults without operators"], kind)
        check(asks, f"the default of {part}.enabled does not follow the cluster")
    small = rendered["small.yaml"]
    check(not kinds(small, "ScaledObject"), "small.yaml: KEDA is off and a ScaledObject is rendered")
    check(len(kinds(small, "HorizontalPodAutoscaler")) == 1, "small.yaml: the API has no HorizontalPodAutoscaler")
    check(len(kinds(rendered["production.yaml"], "ConfigMap")) > 3, "production.yaml: the dashboards are missing")
    count = sum(len(documents) for documents in rendered.values())
    findings.end(f"{count} resources of {len(rendered)} sets of values are valid for Kubernetes {' and '.join(VERSIONS)}")


def chart_of_cluster(apis):
    """Folder of the chart as it renders on a cluster with these definitions of operators. The library renders for a cluster
    without any and takes no others: in the copy a list answers the question."""
    folder = Path(tempfile.mkdtemp(dir=CHART.parent)) / "lumio"
    shutil.copytree(CHART, folder)
    helpers = folder / "templates/_helpers.tpl"
    text = helpers.read_text(encoding="utf-8")
    check(text.count(QUESTION) == 1, f"_helpers.tpl does not have once: {QUESTION}")
    answer = f"has .api (list {' '.join(json.dumps(api) for api in apis)})"
    helpers.write_text(text.replace(QUESTION, answer), encoding="utf-8")
    return folder


def merged(base, more):
    result = dict(base)
    for key, value in more.items():
        is_deep = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if is_deep else value
    return result


def lint(chart):
    report = helm.lint(str(chart), values=MINIMAL)
    for message in report["messages"]:
        # Severity 1 are recommendations, such as a picture.
        check(message["severity"] < 2, f"lint: {message['path']}: {message['error']}")


def render(values, folder=CHART):
    with helm.Chart.load(str(folder)) as chart:
        chart.validate_schema(values)
        texts = chart.render(values, name="lumio", namespace="lumio")
    documents = []
    for path, text in texts.items():
        if path.endswith(".yaml"):
            documents += [document for document in yaml.safe_load_all(text) if document]
    return documents


def refuses(what, values):
    try:
        with helm.Chart.load(str(CHART)) as chart:
            given = merged(MINIMAL, values)
            chart.validate_schema(chart.merge_values(given))
    except helm.errors.HelmError:
        return
    check(False, f"values.schema.json accepts {what}")


def validate(source, document):
    name = f"{source}: {document['kind']} {document['metadata']['name']}"
    own = SCHEMAS / f"{document['kind'].lower()}.json"
    if own.exists():
        for error in jsonschema.Draft7Validator(json.loads(own.read_text())).iter_errors(document):
            check(False, f"{name}: {error.json_path}: {error.message}")
        return
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            check(False, f"{name}, Kubernetes {version}: {error.message}")
        except kubernetes_validate.SchemaNotFoundError as error:
            check(False, f"{name}, Kubernetes {version}: {error.message}")


def kinds(documents, *names):
    return [document for document in documents if document["kind"] in names]


def pods(documents):
    """Each template of pods with its name and kind."""
    for document in kinds(documents, "Deployment", "Job"):
        yield document, document["spec"]["template"]


def policies(source, documents):
    for document, template in pods(documents):
        name = f"{source}: {document['kind']} {document['metadata']['name']}"
        pod = template["spec"]
        security = pod.get("securityContext", {})
        check(security.get("runAsNonRoot") is True and security.get("runAsUser", 0) > 0, f"{name}: may run as root")
        check(security.get("seccompProfile", {}).get("type") == "RuntimeDefault", f"{name}: has no seccomp profile")
        needs_token = "lumio/kubernetes-api" in template["metadata"]["labels"]
        check(pod.get("automountServiceAccountToken") is needs_token, f"{name}: token of the Kubernetes API")
        for kind in ("hostNetwork", "hostPID", "hostIPC"):
            check(not pod.get(kind), f"{name}: uses {kind}")
        check(not any("hostPath" in volume for volume in pod.get("volumes", [])), f"{name}: mounts a folder of the machine")
        for container in pod.get("initContainers", []) + pod["containers"]:
            container_policies(f"{name}: {container['name']}", container)
        if document["kind"] == "Deployment":
            deployment_policies(name, document, documents)
    for document in kinds(documents, "Secret", "ConfigMap"):
        is_dashboard = document["kind"] == "ConfigMap" and "grafana_dashboard" in document["metadata"]["labels"]
        check(is_dashboard, f"{source}: {document['kind']} {document['metadata']['name']} is rendered by the chart")
    selects_pods(source, documents)
    network(source, documents)
    monitors(source, documents)


def container_policies(name, container):
    image = container["image"]
    tag = image.rsplit("/", 1)[-1].partition(":")[2]
    check("@sha256:" in image or (tag and tag != "latest"), f"{name}: the image {image} has no fixed version")
    resources = container.get("resources", {})
    for kind in ("requests", "limits"):
        for amount in ("cpu", "memory"):
            check(amount in resources.get(kind, {}), f"{name}: no {kind} of {amount}")
    security = container.get("securityContext", {})
    check(security.get("readOnlyRootFilesystem") is True, f"{name}: its root file system is writable")
    check(security.get("allowPrivilegeEscalation") is False, f"{name}: may gain privileges")
    check(security.get("capabilities", {}).get("drop") == ["ALL"], f"{name}: keeps capabilities")
    for variable in container.get("env", []):
        is_secret = re.search(r"(^|_)(SECRET|KEY|KEYS|PEM|PASSWORD|TOKEN)$|^(DATABASE|REDIS|LUMIO_SMTP|LUMIO_(DATABASE|TIMESCALEDB)(_[A-Z]+)?)_URL$", variable["name"])
        check(not (is_secret and "value" in variable), f"{name}: {variable['name']} is a plain value")
        check("://" not in str(variable.get("value")) or "@" not in str(variable["value"]), f"{name}: {variable['name']} holds credentials")


def deployment_policies(name, document, documents):
    pod = document["spec"]["template"]["spec"]
    is_api = document["metadata"]["labels"]["app.kubernetes.io/component"] == "api"
    main = pod["containers"][0]
    port = {item["name"]: item["containerPort"] for item in main["ports"]}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        target = main.get(probe, {}).get("httpGet")
        check(target, f"{name}: no {probe}")
        if target:
            check(target["port"] in port, f"{name}: {probe} uses the port {target['port']}")
            check(target["path"] in ({"http": ROUTES, "metrics": INTERNAL}[target["port"]]), f"{name}: {probe} uses {target['path']}")
    pre_stop = main.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", ["sleep", "0"])
    check(not is_api or int(pre_stop[1]) >= 1, f"{name}: requests arrive after SIGTERM without a preStop hook")
    drain = facts.drain_seconds(facts.API_DRAIN if is_api else facts.WORKER_DRAIN)
    needed = int(pre_stop[1]) + drain
    check(pod["terminationGracePeriodSeconds"] > needed, f"{name}: the grace period is not longer than {needed} s")
    budgets = [budget["metadata"]["name"] for budget in kinds(documents, "PodDisruptionBudget")]
    check(document["metadata"]["name"] in budgets, f"{name}: has no PodDisruptionBudget")
    scaled = [item["spec"]["scaleTargetRef"]["name"] for item in kinds(documents, "ScaledObject", "HorizontalPodAutoscaler")]
    is_scaled = document["metadata"]["name"] in scaled
    check(is_scaled != ("replicas" in document["spec"]), f"{name}: its number of copies has no or two owners")


# Routes that a probe may use: of the public listener, which the published document names, and of the internal one.
ROUTES = {"/v1", "/ready", "/v1/health"}
INTERNAL = {"/health", "/ready"}


def selects_pods(source, documents):
    """Services, budgets and policies select pods that exist."""
    labels = [template["metadata"]["labels"] for _, template in pods(documents)]
    for document in kinds(documents, "Service", "PodDisruptionBudget", "NetworkPolicy"):
        spec = document["spec"]
        selector = spec.get("podSelector", spec.get("selector", {}))
        selector = selector.get("matchLabels", selector)
        found = any(selector.items() <= label.items() for label in labels)
        check(found, f"{source}: {document['kind']} {document['metadata']['name']} selects nothing")


def network(source, documents):
    own = {policy["metadata"]["name"]: policy["spec"] for policy in kinds(documents, "NetworkPolicy")}
    everything = own.get("lumio", {})
    check(everything.get("policyTypes") == ["Ingress", "Egress"], f"{source}: no policy covers every pod")
    open_ports = {port["port"] for rule in everything.get("ingress", []) for port in rule.get("ports", [])}
    check(open_ports <= {9100, 9101}, f"{source}: every pod accepts {open_ports}")
    for name, spec in own.items():
        for rule in spec.get("egress", []):
            for target in rule.get("to", []):
                block = target.get("ipBlock", {})
                is_open = block.get("cidr") == "0.0.0.0/0" and "10.0.0.0/8" not in block.get("except", [])
                check(not is_open, f"{source}: {name} reaches private addresses")


def monitors(source, documents):
    for document in kinds(documents, "ServiceMonitor"):
        for endpoint in document["spec"]["endpoints"]:
            keeps_labels = endpoint.get("honorLabels") is True
            check(keeps_labels, f"{source}: ServiceMonitor {document['metadata']['name']}: the operator replaces the label service")


def uses_what_the_cluster_has():
    """`auto` renders the part of an operator where the cluster has its definitions; `true` and `false` do not ask."""
    charts = {"no operator": (CHART, [])}
    charts |= {api: (chart_of_cluster([api]), [api]) for api, _ in OPERATORS.values()}
    for cluster, (chart, apis) in charts.items():
        for part, (api, kind) in OPERATORS.items():
            for enabled in ("auto", True, False):
                documents = render(merged(MINIMAL, {part: {"enabled": enabled}}), chart)
                expected = api in apis if enabled == "auto" else enabled
                is_rendered = bool(kinds(documents, kind))
                check(is_rendered is expected, f"{part}.enabled={enabled}, cluster with {cluster}: {kind} is rendered: {is_rendered}")


def covers_the_procfile(documents):
    deployed = {document["metadata"]["labels"]["app.kubernetes.io/component"]: document for document in kinds(documents, "Deployment")}
    scaled = {document["spec"]["scaleTargetRef"]["name"] for document in kinds(documents, "ScaledObject")}
    check("lumio-api" in scaled, "the API has no ScaledObject")
    expected = facts.daemons()
    for daemon in expected:
        document = deployed.pop(daemon, None)
        check(document, f"the daemon {daemon} of the Procfile has no Deployment: add it to daemons of values.yaml")
        if document:
            command = document["spec"]["template"]["spec"]["containers"][0]["command"]
            check(command == ["lumio-worker", daemon], f"the Deployment of {daemon} runs {command}")
            reason = document["metadata"].get("annotations", {}).get("lumio/scaling")
            is_scaled = document["metadata"]["name"] in scaled
            check(is_scaled or reason, f"{daemon} has neither a ScaledObject nor a reason")
    check(list(deployed) == ["api"], f"Deployments that no line of the Procfile starts: {sorted(deployed)}")


def scales_by_existing_metrics(documents):
    names, queues = facts.metrics(), facts.queues()
    used = set()
    for document in kinds(documents, "ScaledObject"):
        name, spec = document["metadata"]["name"], document["spec"]
        check(spec["minReplicaCount"] <= spec["maxReplicaCount"], f"{name}: the minimum is above the maximum")
        check(spec["fallback"]["replicas"] <= spec["maxReplicaCount"], f"{name}: the fallback is above the maximum")
        for trigger in spec["triggers"]:
            query = trigger["metadata"].get("query", "")
            for metric in re.findall(r"\b(?:lumio|http)_[a-z_]+\b", query):
                check(metric in names, f"{name}: no process has the metric {metric}")
            for listed in re.findall(r'queue=~"([^"]*)"', query):
                used |= set(listed.split("|"))
    check(used <= queues, f"queues that do not exist: {sorted(used - queues)}")
    missing = queues - used - set(UNSCALED_QUEUES)
    check(not missing, f"queues whose length scales no daemon: {sorted(missing)}")
    check(set(UNSCALED_QUEUES) <= queues - used, "UNSCALED_QUEUES names queues that are scaled or gone")


def routes_exist():
    """The probes' routes are in the published document, if the program is built."""
    program = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if not program or not program.exists():
        return
    paths = json.loads(subprocess.run([program, "openapi"], check=True, capture_output=True).stdout)["paths"]
    for route in ROUTES:
        check(route in paths, f"a probe uses {route}, which the API does not serve")


def api_pod(documents):
    return kinds(documents, "Deployment")[0]["spec"]["template"]["spec"]


def api_container(documents):
    return api_pod(documents)["containers"][0]


# Changes of the rendered API that the rules must find.
FAULTS = {
    "limits": lambda documents: api_container(documents).pop("resources"),
    "probe": lambda documents: api_container(documents).pop("livenessProbe"),
    "route of a probe": lambda documents: api_container(documents)["readinessProbe"]["httpGet"].update(path="/healthz"),
    "hook": lambda documents: api_container(documents).pop("lifecycle"),
    "grace period": lambda documents: api_pod(documents).update(terminationGracePeriodSeconds=20),
    "root file system": lambda documents: api_container(documents)["securityContext"].update(readOnlyRootFilesystem=False),
    "capabilities": lambda documents: api_container(documents)["securityContext"].pop("capabilities"),
    "user": lambda documents: api_pod(documents)["securityContext"].update(runAsUser=0),
    "token": lambda documents: api_pod(documents).update(automountServiceAccountToken=True),
    "floating tag": lambda documents: api_container(documents).update(image="lumio:latest"),
    "no tag": lambda documents: api_container(documents).update(image="registry:5000/lumio"),
    "secret": lambda documents: api_container(documents)["env"].append({"name": "LUMIO_JWT_SECRET", "value": "x"}),
    "password": lambda documents: api_container(documents)["env"].append({"name": "X", "value": "postgres://u:p@h/d"}),
    "folder": lambda documents: api_pod(documents)["volumes"].append({"name": "x", "hostPath": {"path": "/"}}),
    "rendered Secret": lambda documents: documents.append({"kind": "Secret", "metadata": {"name": "x"}}),
    "budget": lambda documents: documents.remove(kinds(documents, "PodDisruptionBudget")[0]),
    "copies": lambda documents: kinds(documents, "Deployment")[0]["spec"].update(replicas=3),
    "selector": lambda documents: kinds(documents, "Service")[0]["spec"]["selector"].update(x="y"),
    "labels of the target": lambda documents: kinds(documents, "ServiceMonitor")[0]["spec"]["endpoints"][0].update(honorLabels=False),
    "egress": lambda documents: kinds(documents, "NetworkPolicy")[1]["spec"]["egress"][0]["to"][0]["ipBlock"].pop("except"),
}


def finds_faults(documents):
    for fault, change in FAULTS.items():
        changed, before = copy.deepcopy(documents), len(findings.found)
        change(changed)
        policies("changed", changed)
        found = len(findings.found) - before
        del findings.found[before:]
        check(found, f"the rules do not find the fault: {fault}")


routes_exist()
try:
    main()
finally:
    shutil.rmtree(CHART.parent)
