"""Runs both clients against the stack that scripts/run has started: their live programs and their examples. Then receives
webhooks of the stack."""

import json
import os
import pathlib
import secrets
import subprocess
import sys
import tempfile
import time

import webhooks
from lumio_client import Client

ROOT = pathlib.Path(__file__).parent.parent.parent
URL = os.environ["LUMIO_API_URL"]
TYPESCRIPT = pathlib.Path(os.environ["LUMIO_CLIENTS_TYPESCRIPT"]) / "dist"
PYTHON = ROOT / "clients/python"
TIMEOUT = 300


def main() -> None:
    session = session_of_the_creator()
    with Client(URL, session) as client:
        token = personal_key(client)
        environment = os.environ | {"LUMIO_URL": URL, "LUMIO_TOKEN": token, "LUMIO_SESSION": session}
        print(run(environment, "node", TYPESCRIPT / "test/live.js"), end="", flush=True)
        print(run(environment, sys.executable, "-m", "tests.live", folder=PYTHON), end="", flush=True)
        for language, command in (("TypeScript", typescript_example), ("Python", python_example)):
            play_examples(client, environment, command)
            print(f"    {language}: the examples work", flush=True)
        webhooks.receive(client, os.environ["LUMIO_EGRESS_TEST_HOSTS"].split(",")[0], lambda: raid(client, 6))


def program(*arguments: str) -> str:
    command = [os.environ["LUMIO_API_PROGRAM"], *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()


def session_of_the_creator() -> str:
    """Returns a session of the creator of the demonstration, with every feature."""
    staff = json.loads(program("admin", "create-user", "--display-name", f"staff-{secrets.token_hex(4)}"))
    program("admin", "grant-admin", "--user", staff["user_id"])
    with Client(URL, program("admin", "issue-session", "--user", staff["user_id"])) as client:
        owner_id = client.rest.admin_users(search="creator_")["data"][0]["id"]
        session = program("admin", "issue-session", "--user", owner_id)
        with Client(URL, session) as creator:
            account_id = creator.rest.me()["data"]["active_account_id"]
        for flag in client.rest.admin_feature_flags()["data"]:
            if not flag["key"].startswith("system:"):
                body = {"feature_id": flag["id"], "enabled": True}
                client.rest.admin_set_account_feature_override(account_id, body=body)
    return session


def personal_key(client: Client) -> str:
    known = [entry["key"] for entry in client.rest.api_key_assignable_permissions(kind="personal")["data"]]
    held = set(client.rest.my_permissions()["data"]["permissions"])
    permissions = [permission for permission in known if permission in held]
    return client.rest.create_user_api_key(body={"label": "clients", "permissions": permissions})["data"]["key"]


def run(environment, *command, folder=ROOT) -> str:
    command = [str(part) for part in command]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def typescript_example(name: str) -> list[str]:
    return ["node", str(TYPESCRIPT / f"examples/{name}.js")]


def python_example(name: str) -> list[str]:
    return [sys.executable, str(PYTHON / f"examples/{name.replace('-', '_')}.py")]


def play_examples(client: Client, environment, command) -> None:
    listed = run(environment, *command("list-connections"))
    for connection in client.rest.channel_connections()["data"]:
        assert connection["channel_name"] in listed, listed
    sent = run(environment, *command("send-chat"))
    assert "sent" in sent and "not sent" not in sent, sent
    name = f"scene-{secrets.token_hex(4)}"
    assert "/page#token=lm_overlay_" in run(environment, *command("create-overlay"), name)
    overlay = next(overlay for overlay in client.rest.overlays()["data"] if overlay["name"] == name)
    assert overlay["layer_count"] == 1
    follow(client, environment, command("follow-events"))


def follow(client: Client, environment, command) -> None:
    """An event of the time between two starts is read by the second one."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        first = Follower(environment, command, place, 1)
        raid(client, 7)
        assert "raid of 7 viewers" in first.output()
        raid(client, 8)
        second = Follower(environment, command, place, 2)
        raid(client, 9)
        output = second.output()
        assert "raid of 8 viewers" in output and "raid of 9 viewers" in output and "missing" not in output, output


def raid(client: Client, viewers: int) -> None:
    data = {"viewer_count": viewers, "from_broadcaster_name": "x", "from_broadcaster_id": "1"}
    client.rest.emit_event(body={"event_type": "twitch:raid", "is_test": False, "data": data})


class Follower:
    """A running example that follows events until it has had a number of them."""

    def __init__(self, environment, command, folder: pathlib.Path, count: int) -> None:
        self.log = folder / f"{count}.txt"
        command = [*command, str(folder / "position.txt"), str(count)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + TIMEOUT
        while "listening" not in self.log.read_text():
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"the example does not listen: {self.log.read_text()}")
            time.sleep(0.05)

    def output(self) -> str:
        self.process.wait(TIMEOUT)
        return self.log.read_text()


if __name__ == "__main__":
    main()
