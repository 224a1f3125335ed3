"""Checks compose.yaml, and reads it for play.py."""

import re

import yaml

import facts
from facts import ROOT, Findings

ONE_SHOT = "service_completed_successfully"
# The one variable that a person must write.
REQUIRED = {"LUMIO_PUBLIC_URL"}


def read():
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def own_services(compose):
    return {name: service for name, service in compose["services"].items() if service.get("image") == "lumio"}


def one_shots(compose):
    """Services that end before others begin."""
    names = set()
    for service in compose["services"].values():
        needed = service.get("depends_on", {}).items()
        names |= {name for name, condition in needed if condition["condition"] == ONE_SHOT}
    return names


def order(compose):
    """Names of the services, each after those that it needs."""
    ordered, waiting = [], dict(compose["services"])
    while waiting:
        ready = [name for name, service in waiting.items() if set(service.get("depends_on", {})) <= set(ordered)]
        assert ready, f"the dependencies of {sorted(waiting)} are a circle"
        ordered += sorted(ready)
        for name in ready:
            del waiting[name]
    return ordered


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text).group(1))


def main():
    compose, findings = read(), Findings("compose.yaml")
    check = findings.check
    own, ends = own_services(compose), one_shots(compose)
    order(compose)
    check(set(own) == {"secrets", "migrate", "system-key", "api", "worker"}, f"services of the image: {sorted(own)}")
    check([name for name in own if "build" in own[name]] == ["secrets"], "the image is built once, by the first service")
    check(ends == {"secrets", "migrate", "system-key"}, f"services that end: {sorted(ends)}")
    for name, service in compose["services"].items():
        is_one_shot = name in ends
        tag = service["image"].rpartition(":")[2] if ":" in service["image"] else None
        check(service["image"] == "lumio" or (tag and tag != "latest"), f"{name}: the image has no fixed version")
        check(is_one_shot != ("restart" in service), f"{name}: only services that stay are restarted")
        has_check = "test" in service.get("healthcheck", {})
        check(is_one_shot != has_check, f"{name}: only services that stay have a health check")
        published = service.get("ports", [])
        check(not published or name == "api", f"{name}: publishes {published}")
        for variable, value in service.get("environment", {}).items():
            is_secret = re.search(r"(SECRET|KEY|KEYS|PEM|PASSWORD)$", variable)
            check(not is_secret or value in ("", "${POSTGRES_PASSWORD:-}"), f"{name}: {variable} is a plain value")
    for name, service in own.items():
        check(service.get("read_only") is True, f"{name}: its root file system is writable")
        check(service.get("cap_drop") == ["ALL"], f"{name}: keeps capabilities")
        check("no-new-privileges:true" in service.get("security_opt", []), f"{name}: may gain privileges")
        check(name == "secrets" or "LUMIO_CONFIG_FILE" in service["environment"], f"{name}: does not read the secrets")
        program = service["command"][0]
        check(program in ("lumio-api", "lumio-worker"), f"{name}: runs {program}")
    for name, source in (("api", facts.API_DRAIN), ("worker", facts.WORKER_DRAIN)):
        grace, drain = seconds(own[name]["stop_grace_period"]), facts.drain_seconds(source)
        check(grace >= drain + 5, f"{name}: {grace} s of grace for a drain of {drain} s")
        probe = own[name]["healthcheck"]["test"]
        check(probe == ["CMD", own[name]["command"][0], "health"], f"{name}: the health check is {probe}")
    check(own["worker"]["command"] == ["lumio-worker", "all"], "the worker does not run every daemon")
    key = own["system-key"]["command"][-1]
    folder = key.rpartition("/")[0]
    check(own["worker"]["environment"]["LUMIO_SYSTEM_KEY_FILE"] == key, "the worker reads another file than the system key's")
    check(f"keys:{folder}" in own["system-key"]["volumes"], "the system key is not written into its volume")
    check(f"keys:{folder}:ro" in own["worker"]["volumes"], "the worker may write the system key")
    check(folder in facts.text("Dockerfile"), f"the image has no folder {folder}")
    required = set(re.findall(r"\$\{(\w+):\?", facts.text("compose.yaml")))
    check(required == REQUIRED, f"a person must set {sorted(required)}")
    volumes = {volume.split(":")[0] for service in compose["services"].values() for volume in service.get("volumes", [])}
    check(volumes == set(compose["volumes"]), "volumes that are declared and used differ")
    writers = [name for name, service in compose["services"].items() if "secrets:/var/lib/lumio/secrets" in service.get("volumes", [])]
    check(writers == ["secrets"], f"the volume of secrets is writable for {writers}")
    findings.end(f"{len(compose['services'])} services: {', '.join(order(compose))}")


if __name__ == "__main__":
    main()
