"""Runs the commands of compose.yaml as processes of this machine: own folders instead of volumes, the servers of
scripts/stores instead of the containers of PostgreSQL and Redis."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import compose
from facts import ROOT

START_TIMEOUT = 120
ONE_SHOT_TIMEOUT = 300


class Stack:
    """Processes of a deployment in one folder."""

    def __init__(self, folder, programs, env_file):
        self.folder, self.programs = Path(folder), Path(programs)
        self.compose = compose.read()
        self.env_file = dict(env_file)
        self.processes, self.environments = {}, {}
        self.ports, last = {}, 18000
        for port in (8080, 9100, 9101):
            self.ports[port] = last = free_port(last + 1)
        self.stores = {}

    def start(self):
        """Starts the services in their order: waits for the end of one-shots and the health of the others."""
        ends = compose.one_shots(self.compose)
        for name in compose.order(self.compose):
            service = self.compose["services"][name]
            began = time.monotonic()
            if name in ("postgres", "redis"):
                self.start_stores(name)
            elif name in ends:
                self.run(name, service)
            else:
                self.serve(name, service)
            print(f"    {name}: {'ended' if name in ends else 'healthy'} after {time.monotonic() - began:.1f} s", flush=True)

    def start_stores(self, name):
        """The servers, emptied. PostgreSQL gets a role with the password that the service `secrets` has made up."""
        if not self.stores:
            printed = subprocess.run([ROOT / "scripts/stores", "up"], env=self.stores_env(), check=True, capture_output=True, text=True)
            self.stores = dict(line.split("=", 1) for line in printed.stdout.splitlines() if "=" in line)
            port = int(self.stores["REDIS_URL"].rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), timeout=10) as redis:
                redis.sendall(b"FLUSHALL\r\n")
                assert redis.recv(64).startswith(b"+OK")
        if name == "postgres":
            self.create_role()

    def create_role(self):
        given = self.compose["services"]["postgres"]["environment"]
        file = given["POSTGRES_PASSWORD_FILE"].replace("/run/lumio-secrets", "/var/lib/lumio/secrets")
        password = self.path(file).read_text()
        assert re.fullmatch(r"[0-9a-f]{64}", password), "the password was made up"
        # The server of scripts/stores has a role of the same name, so that these have names of their own.
        role, database = f"{given['POSTGRES_USER']}_played", f"{given['POSTGRES_DB']}_played"
        found = subprocess.run([ROOT / "scripts/stores", "find", "psql"], check=True, capture_output=True, text=True)
        for statement in (
            f"DROP DATABASE IF EXISTS {database}",
            f"DROP ROLE IF EXISTS {role}",
            f"CREATE ROLE {role} LOGIN SUPERUSER PASSWORD '{password}'",
            f"CREATE DATABASE {database} OWNER {role}",
        ):
            command = [found.stdout.strip(), "-q", "-v", "ON_ERROR_STOP=1", "-c", statement, self.stores["DATABASE_URL"]]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

    def stores_env(self):
        kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        return kept | {"LUMIO_DATA": str(self.folder), "LUMIO_TEST_SPEED": "1"}

    def path(self, inside):
        """Folder of this machine for a path inside of the containers."""
        return self.folder / "volumes" / Path(inside).relative_to("/var/lib/lumio")

    def environment(self, name, service):
        """What the container's process would see, with the addresses of this machine."""
        values = image_environment() | {name: str(value) for name, value in self.env_file.items()}
        for variable, value in service.get("environment", {}).items():
            values[variable] = self.interpolated(str(value))
        replaced = {variable: self.here(value) for variable, value in values.items()}
        return {"PATH": f"{self.programs}:{os.environ['PATH']}"} | replaced

    def interpolated(self, value):
        def of(match):
            variable, kind, text = match.group(1), match.group(2), match.group(3)
            found = self.env_file.get(variable, "")
            assert found or kind == "-", f"{variable} is not in .env: {text}"
            return str(found or text)

        return re.sub(r"\$\{(\w+):([-?])([^}]*)\}", of, value)

    def here(self, value):
        value = value.replace("file:///var/lib/lumio", f"file://{self.path('/var/lib/lumio')}")
        if value.startswith("/var/lib/lumio"):
            return str(self.path(value))
        value = re.sub(r"0\.0\.0\.0:(\d+)", lambda match: f"127.0.0.1:{self.ports[int(match.group(1))]}", value)
        value = re.sub(r"http://api:(\d+)", lambda match: f"http://127.0.0.1:{self.ports[int(match.group(1))]}", value)
        value = re.sub(r"http://localhost:8080", f"http://localhost:{self.ports[8080]}", value)
        if value == "redis://redis":
            return self.stores.get("REDIS_URL", value)
        found = re.fullmatch(r"postgres://(\w+)@postgres/(\w+)", value)
        if found and self.stores:
            port = re.search(r":(\d+)/", self.stores["DATABASE_URL"]).group(1)
            return f"postgres://{found.group(1)}_played@127.0.0.1:{port}/{found.group(2)}_played"
        return value

    def command(self, service):
        return [re.sub(r"/var/lib/lumio\S*", lambda match: str(self.path(match.group())), word) for word in service["command"]]

    def run(self, name, service):
        with (self.folder / f"{name}.log").open("w") as log:
            ended = subprocess.run(self.command(service), env=self.environment(name, service), cwd=ROOT, stdout=log, stderr=log, timeout=ONE_SHOT_TIMEOUT)
        if ended.returncode:
            raise SystemExit(f"{name} ended with {ended.returncode}:\n{self.log(name)}")

    def serve(self, name, service):
        environment = self.environments[name] = self.environment(name, service)
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(self.command(service), env=environment, cwd=ROOT, stdout=log, stderr=log)
        self.processes[name] = process
        test, end = service["healthcheck"]["test"][1:], time.monotonic() + START_TIMEOUT
        while subprocess.run(test, env=environment, capture_output=True).returncode:
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{name} does not become healthy:\n{self.log(name)}")
            time.sleep(0.2)
        if process.poll() is not None:
            raise SystemExit(f"{name} has ended, and something else answers at its address:\n{self.log(name)}")

    def log(self, name):
        return "".join((self.folder / f"{name}.log").read_text(errors="replace").splitlines(keepends=True)[-20:])

    def address(self, port):
        return f"127.0.0.1:{self.ports[port]}"

    def get(self, port, path):
        with urllib.request.urlopen(f"http://{self.address(port)}{path}", timeout=10) as response:
            return response.read().decode()

    def stop(self):
        """Stops the services as compose does. Returns what took longer than its grace period."""
        late = []
        for name, process in reversed(self.processes.items()):
            grace = compose.seconds(self.compose["services"][name]["stop_grace_period"])
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(grace)
            except subprocess.TimeoutExpired:
                late.append(f"{name} did not end within {grace} s")
                process.kill()
                process.wait()
            if process.returncode and not late:
                late.append(f"{name} ended with {process.returncode}:\n{self.log(name)}")
        self.processes.clear()
        if self.stores:
            subprocess.run([ROOT / "scripts/stores", "down"], env=self.stores_env(), check=False)
        return late


def image_environment():
    """Variables that the image sets, in its last stage."""
    stage = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2].replace("\\\n", " ")
    words = [word for line in stage.splitlines() if line.startswith("ENV ") for word in line.split()[1:]]
    return dict(word.split("=", 1) for word in words)


@contextlib.contextmanager
def started(folder, programs, engine, env_file):
    """A stack that is stopped at the end, in an emptied folder."""
    shutil.rmtree(folder, ignore_errors=True)
    stack = Stack(folder, programs, env_file)
    for name in ("storage", "keys", "secrets", "engine"):
        stack.path(f"/var/lib/lumio/{name}").mkdir(parents=True, mode=0o700)
    shutil.copy(Path(engine) / "engine.wasm", stack.path("/var/lib/lumio/engine"))
    # The machine code of an engine that was compiled before.
    if (Path(engine) / "cache").exists():
        shutil.copytree(Path(engine) / "cache", stack.path("/var/lib/lumio/engine/cache"))
    try:
        stack.start()
        yield stack
    except BaseException:
        stack.stop()
        raise
    late = stack.stop()
    if late:
        raise SystemExit("\n".join(late))


def eventually(holds, otherwise, timeout=60):
    """Waits until something holds. Returns None, or what the second function returns when it never does."""
    end = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > end:
            return otherwise()
        time.sleep(0.5)
    return None


def free_port(port):
    """First port from `port` upwards that no process listens on."""
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                port += 1
