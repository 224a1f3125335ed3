"""Plays compose.yaml as a newcomer does: a .env with the public address, and nothing else. Then the services are healthy, no
secret was written by hand, and every service ends within its grace period. Usage: play.py FOLDER PROGRAMS ENGINE"""

import json
import subprocess
import sys

import facts
import stack as stacks


def main(folder, programs, engine):
    print("compose.yaml as processes:", flush=True)
    with stacks.started(folder, programs, engine, {"LUMIO_PUBLIC_URL": "https://api.lumio.example"}) as stack:
        health = json.loads(stack.get(8080, "/v1/health"))
        assert health["data"]["status"] == "healthy", health
        readiness = json.loads(stack.get(9101, "/ready"))
        assert readiness["data"]["status"] == "ready", readiness
        missing = stacks.eventually(lambda: not without_copy(stack), lambda: without_copy(stack))
        assert not missing, f"daemons without a copy: {missing}"
        sources = configuration(stack)
        for name in ("LUMIO_JWT_SECRET", "LUMIO_ENCRYPTION_KEYS", "PGPASSWORD"):
            assert sources[name]["source"] == "file" and sources[name]["value"] == "***", sources[name]
        assert sources["LUMIO_PUBLIC_URL"]["source"] == "environment" and sources["LUMIO_DATABASE_POOL"]["source"] == "default"
        assert all(variable["description"] for variable in sources.values())
        before = stack.path("/var/lib/lumio/secrets/lumio.env").read_bytes(), stack.path("/var/lib/lumio/keys/workers").read_bytes()
        # A second `docker compose up` changes nothing.
        for name in ("secrets", "migrate", "system-key"):
            stack.run(name, stack.compose["services"][name])
        after = stack.path("/var/lib/lumio/secrets/lumio.env").read_bytes(), stack.path("/var/lib/lumio/keys/workers").read_bytes()
        assert before == after, "the one-shot services make other secrets when they run again"
        readable = [path for path in stack.path("/var/lib/lumio").rglob("*") if path.is_file() and path.parent.name in ("secrets", "keys") and path.stat().st_mode & 0o077]
        assert not readable, f"others may read {readable}"
        logs = "".join(path.read_text(errors="replace") for path in stack.folder.glob("*.log"))
        for line in before[0].decode().splitlines():
            assert line.split("=", 1)[1] not in logs, f"a log shows {line.split('=')[0]}"
        assert before[1].decode().strip() not in logs, "a log shows the workers' key"
    print(f"compose.yaml as processes: {len(sources)} variables, no secret by hand, no secret in a log")


def without_copy(stack):
    """Daemons of which the API knows no working copy."""
    metrics = stack.get(9100, "/metrics").splitlines()
    working = [line for line in metrics if line.startswith("lumio_workers_working{") and line.endswith(" 1")]
    return [daemon for daemon in facts.daemons() if not any(f'daemon="{daemon}"' in line for line in working)]


def configuration(stack):
    environment = stack.environments["api"]
    printed = subprocess.run(["lumio-api", "config", "--json"], env=environment, check=True, capture_output=True, text=True)
    return {variable["name"]: variable for variable in json.loads(printed.stdout)}


main(*sys.argv[1:])
