"""Calls every operation of the OpenAPI document against the stack that scripts/run has started.

First a walk: each operation with values that exist in the stack, until it returns 2xx or 3xx. live.json holds the input
that an operation needs beyond its example, and the operations that cannot succeed here, each with the reason. Then
schemathesis: generated input with a session, with a service key and without a credential. Neither may get a 5xx, or a
status, header or body that the document does not describe.

In the walk each POST that knows Idempotency-Key is sent twice with one key: the second answer is the first, repeated.

Usage: live.py [--walk] [--seconds N]
  --walk      no schemathesis
  --seconds   how long schemathesis may take in all (default 180)
"""

import argparse
import base64
import datetime
import functools
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import uuid
import wave
from urllib.parse import parse_qsl, urlsplit

import requests
import schemathesis
from schemathesis.checks import CHECKS
from schemathesis.core.failures import FailureGroup

HERE = pathlib.Path(__file__).parent
API = os.environ["LUMIO_API_URL"]
STAND_IN = os.environ["LUMIO_STAND_IN_URL"]
CONFIG = json.loads((HERE / "live.json").read_text())
CHECK_NAMES = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
]
# Rounds of the walk: an operation may need what another one creates.
ROUNDS = 4
TIMEOUT = 30
# Seconds within which a live channel has a sample: statuses are read, and samples made, once a minute.
SAMPLE_TIMEOUT = 180
SEED = "20261123"
# Attributes of the scene by the kind of token that a rule requires.
TOKENS = {
    "personal_key": "developer_key",
    "popout_session": "popout",
    "system_key": "system_key",
    "extension_token": "extension_token",
}
# A picture of one pixel.
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--walk", action="store_true")
    parser.add_argument("--seconds", type=int, default=180)
    arguments = parser.parse_args()
    document = json.loads(program("openapi"))
    scene = Scene()
    walk = Walk(document, scene)
    walk.run()
    problems = walk.report()
    if not arguments.walk:
        for name, token in scene.callers():
            problems += fuzz(document, name, token, arguments.seconds // 3)
    print(f"    {len(problems)} problems")
    sys.exit(1 if problems else 0)


def tone():
    """Returns a tenth of a second of a WAV."""
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\x40" * 800)
    return content.getvalue()


def program(*arguments):
    command = [os.environ["LUMIO_API_PROGRAM"], *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()


class Scene:
    """The callers, and the objects that the demonstration has created."""

    def __init__(self):
        staff = self.person("staff")
        program("admin", "grant-admin", "--user", staff["user_id"])
        self.staff = self.session(staff["user_id"])
        self.owner_id = self.get(self.staff, "/v1/admin/users", search="creator_")[0]["id"]
        program("admin", "grant-admin", "--user", self.owner_id)
        program("admin", "create-developer", "--user", self.owner_id)
        self.account_id = self.get(self.session(self.owner_id), "/v1/users/me")["active_account_id"]
        self.renew()
        self.unlock()
        self.friend_id, self.friend_account = self.person("friend").values()
        self.spare_id, self.spare_account = self.person("spare").values()
        self.friend = self.session(self.friend_id)
        self.system_key = os.environ["LUMIO_SYSTEM_KEY"]
        self.make_keys()
        self.viewer_id = self.get(self.owner, "/v1/chat/messages")[0]["platform_user_id"]
        self.friend_name = self.get(self.friend, "/v1/users/me")["display_name"]
        role = self.get(self.owner, "/v1/roles")[-1]
        member = {"account_id": self.account_id, "role_id": role["id"]}
        member_id = self.person("member")["user_id"]
        self.member_id = self.post(self.staff, f"/v1/admin/users/{member_id}/memberships", member)["membership_id"]
        flags = self.get(self.staff, "/v1/admin/feature-flags")
        self.feature_id = next(flag["id"] for flag in flags if flag["key"].startswith("feature:"))
        self.platform_user()
        self.friend_login = self.new_login
        channels = self.get(self.owner, "/v1/connections/channel")
        channel = next(channel for channel in channels if channel["platform"] == "twitch")
        installs = self.get(self.owner, "/v1/extension-installs")
        install = next(install for install in installs if install["version"] == "1.0.0")
        self.install_id, self.extension_id = install["id"], install["extension_id"]
        self.channel_platform, self.channel_id = channel["platform"], channel["platform_channel_id"]
        self.go_live()

    def renew(self):
        """Opens a new session of the owner: some operations end the session that calls them."""
        self.owner = self.session(self.owner_id, "--account", self.account_id)

    def unlock(self):
        """Sets the largest plan and switches every feature on."""
        plans = self.get(self.staff, "/v1/admin/plans")
        plan = next(plan for plan in plans if plan["slug"] == "enterprise")
        account = f"/v1/admin/accounts/{self.account_id}"
        self.call("PUT", self.staff, f"{account}/plan", {"plan_id": plan["id"]})
        self.call("PATCH", self.staff, f"/v1/admin/users/{self.owner_id}", {"max_accounts_override": 5})
        flags = self.get(self.staff, "/v1/admin/feature-flags")
        for flag in (flag for flag in flags if not flag["key"].startswith("system:")):
            self.call("PUT", self.staff, f"{account}/feature-overrides", {"feature_id": flag["id"], "enabled": True})

    def go_live(self):
        """Puts the channel on air, and waits for the first sample of the public statistics."""
        started_at = datetime.datetime.now(datetime.UTC).isoformat()
        broadcast = {"title": "A walk", "category": "Chess", "viewers": 12, "started_at": started_at}
        broadcast |= {"platform": self.channel_platform, "id": self.channel_id}
        requests.post(f"{STAND_IN}/_control/on-air", json=broadcast, timeout=TIMEOUT).raise_for_status()
        path = f"{API}/v1/public-stats/channels/{self.channel_platform}/{self.channel_id}"
        for _ in range(SAMPLE_TIMEOUT):
            if requests.get(path, timeout=TIMEOUT).ok:
                return
            time.sleep(1)
        raise RuntimeError(f"the channel has no public statistics after {SAMPLE_TIMEOUT} s")

    def make_keys(self):
        scopes = ["read", "create", "edit", "publish", "analytics", "delete"]
        scopes = [f"extension-dev:{scope}" for scope in scopes]
        self.developer_key = self.post(self.owner, "/v1/api-keys", {"label": "tools", "permissions": scopes})["key"]
        permissions = [entry["key"] for entry in self.get(self.owner, "/v1/api-keys/permissions", kind="service")]
        service = {"label": "service", "permissions": permissions}
        self.service_key = self.post(self.owner, "/v1/service-keys", service)["key"]
        popout = self.post(self.owner, "/v1/tokens", {"label": "window", "permissions": ["chat:read"]})
        self.popout = self.post(None, "/v1/auth/popout/exchange", {"token": popout["token"]})["token"]

    def platform_user(self):
        """Creates a user of a platform who has not signed in yet."""
        login = f"walker_{os.urandom(4).hex()}"
        made = requests.post(f"{STAND_IN}/_control/users", json={"platform": "twitch", "login": login}, timeout=TIMEOUT)
        made = made.json()
        self.new_login, self.new_id, self.new_token = login, made["user"]["id"], made["access_token"]

    def grant(self):
        """Agrees on a platform's page."""
        platform = self.channel_platform
        page = self.post(self.owner, f"/v1/connections/channel/{platform}/authorize", {})["authorize_url"]
        agreed = requests.get(f"{page}&stand_in_user={self.channel_id}", timeout=TIMEOUT, allow_redirects=False)
        query = dict(parse_qsl(urlsplit(agreed.headers["location"]).query))
        self.grant_code, self.grant_state = query["code"], query["state"]

    def person(self, name):
        return json.loads(program("admin", "create-user", "--display-name", f"{name}-{os.urandom(4).hex()}"))

    def session(self, user, *options):
        return program("admin", "issue-session", "--user", user, *options)

    def callers(self):
        self.renew()
        return [("a session", self.owner), ("a service key", self.service_key), ("nothing", None)]

    def call(self, method, token, path, body=None, **query):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = requests.request(method, API + path, headers=headers, json=body, params=query, timeout=TIMEOUT)
        if answer.status_code >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json()["data"]

    def get(self, token, path, **query):
        return self.call("GET", token, path, **query)

    def post(self, token, path, body):
        return self.call("POST", token, path, body)


class Walk:
    """Calls each operation with real values. Ids in responses are kept for operations that need them."""

    def __init__(self, document, scene):
        self.document, self.scene = document, scene
        self.schema = schemathesis.openapi.from_dict(document)
        self.checks = CHECKS.get_by_names(CHECK_NAMES)
        self.known, self.reached, self.refused, self.failed = {}, {}, {}, {}

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield path, method.upper(), operation

    def order(self):
        """Orders operations: those that create first, those that delete last."""
        late = CONFIG["late"]
        rank = {"POST": 0, "GET": 1, "PUT": 2, "PATCH": 2, "DELETE": 3}

        def place(entry):
            path, method, operation = entry
            name = operation["operationId"]
            way = -1 if method == "DELETE" else 1
            return late.index(name) + 10 if name in late else rank[method], way * path.count("{"), way * len(path)

        return sorted(self.operations(), key=place)

    def run(self):
        for number in range(ROUNDS):
            for path, method, operation in self.order():
                name = operation["operationId"]
                is_end = method == "DELETE" or name in CONFIG["late"]
                is_done = name in self.reached and method != "GET"
                if name in CONFIG["unreached"] or is_done or (is_end and number < ROUNDS - 2):
                    continue
                self.try_once(path, method, operation, CONFIG["operations"].get(name, {}))

    def try_once(self, path, method, operation, special, again=True):
        name = operation["operationId"]
        try:
            for fresh in special.get("fresh", []):
                getattr(self.scene, fresh)()
            request = {
                "params": self.query(operation, special),
                "headers": self.headers(operation, special),
            }
            self.add_body(request, operation, special)
            values = {
                parameter["name"]: str(self.path_value(path, parameter["name"], special))
                for parameter in parameters_of(operation, "path")
            }
        except LookupError as missing:
            self.refused[name] = f"no value is known for {missing}"
            return
        if protocol_of(operation):
            request["headers"]["Idempotency-Key"] = str(uuid.uuid4())
        case = self.schema[path][method].Case(path_parameters=values)
        send = functools.partial(
            requests.request, method, API + case.formatted_path, timeout=TIMEOUT, allow_redirects=False, **request
        )
        answer = send()
        self.judge(case, answer, f"{method} {path}")
        if answer.status_code < 400:
            self.reached[name] = answer.status_code
            self.learn(path, method, answer)
            if protocol_of(operation):
                self.judge_repeated(case, answer, send(), operation)
        else:
            self.refused[name] = f"{answer.status_code} {answer.text[:200]}"
            if again and "Invalid or expired token" in answer.text:
                self.scene.renew()
                self.try_once(path, method, operation, special, again=False)

    def judge(self, case, answer, place):
        try:
            case.validate_response(answer, checks=self.checks)
        except FailureGroup as group:
            for failure in group.exceptions:
                self.failed[f"{place}: {answer.status_code} {type(failure).__name__}"] = str(failure)

    def judge_repeated(self, case, first, repeated, operation):
        """Checks the answer to a request that was sent once more with its key."""
        place = f"{case.method} {case.path} repeated"
        self.judge(case, repeated, place)
        if protocol_of(operation)["answer"] == "secret":
            is_right = repeated.status_code == 409 and repeated.json().get("message") == "Answer not repeatable"
        else:
            is_same = (repeated.status_code, repeated.content) == (first.status_code, first.content)
            is_right = is_same and repeated.headers.get("Idempotency-Replayed") == "true"
        if "Idempotency-Replayed" in first.headers or not is_right:
            self.failed[place] = f"{first.status_code} {first.text[:200]}\n{repeated.status_code} {repeated.text[:200]}"

    def query(self, operation, special):
        given = special.get("query", {})
        wanted = [p["name"] for p in parameters_of(operation, "query") if p.get("required") or p["name"] in given]
        return {name: self.value(name, given.get(name)) for name in wanted}

    def headers(self, operation, special):
        who = (operation.get("x-lumio-rule") or {}).get("who")
        token = self.value("as", "@" + special.get("as", TOKENS.get(who, "owner")))
        return {"Authorization": f"Bearer {token}", **special.get("headers", {})}

    def add_body(self, request, operation, special):
        content = operation.get("requestBody", {}).get("content", {})
        if not content:
            return
        media_type, described = next(iter(content.items()))
        if "body" in special:
            body = self.value("body", special["body"])
        else:
            body = self.filled(described.get("example"))
        if media_type == "multipart/form-data":
            request["files"] = {field: self.file(value) for field, value in body.items()}
        else:
            request["headers"]["Content-Type"] = media_type
            request["data"] = body if isinstance(body, str) else json.dumps(body)

    def filled(self, example):
        """Returns the example of the document with ids that exist."""
        if not isinstance(example, dict):
            return example
        return {
            name: self.value(name, None) if name in CONFIG["values"] and name.endswith("id") else entry
            for name, entry in example.items()
        }

    def file(self, value):
        """Returns a field of a form; `%bundle:` with an extension, `%picture` and `%sound` are files."""
        if value.startswith("%bundle:"):
            extension = self.value("id", value.removeprefix("%bundle:"))
            return "bundle.tar.gz", bundle(extension), "application/gzip"
        if value == "%picture":
            return "dot.png", base64.b64decode(PICTURE), "image/png"
        if value == "%sound":
            return "tone.wav", tone(), "audio/wav"
        return None, str(value)

    def path_value(self, path, name, special):
        given = special.get("path", {}).get(name)
        if given is not None:
            return self.value(name, given)
        collection = path.split("/{" + name + "}")[0]
        for entry in reversed(self.known.get(collection, [])):
            for key in (name, "id", "key", "slug", "version"):
                if entry.get(key) is not None:
                    return entry[key]
        return self.value(name, None)

    def value(self, name, given):
        """Returns a value as it is, `@name` from the scene, or `@/collection.key` from a response."""
        given = CONFIG["values"].get(name) if given is None else given
        if given is None:
            raise LookupError(name)
        if isinstance(given, dict):
            return {key: entry if entry is None else self.value(key, entry) for key, entry in given.items()}
        if isinstance(given, list):
            return [self.value(name, entry) for entry in given]
        if not isinstance(given, str) or not given.startswith("@"):
            return given
        if not given.startswith("@/"):
            if not hasattr(self.scene, given[1:]):
                raise LookupError(given)
            return getattr(self.scene, given[1:])
        collection, _, key = given[1:].rpartition(".")
        for entry in reversed(self.known.get(collection, [])):
            if entry.get(key) is not None:
                return entry[key]
        raise LookupError(given)

    def learn(self, path, method, answer):
        if "json" not in answer.headers.get("Content-Type", ""):
            return
        body = answer.json()
        if not isinstance(body, dict):
            return
        found = [body["data"]] if "data" in body else list(body.values())
        entries = [entry for part in found for entry in (part if isinstance(part, list) else [part])]
        entries = [entry for entry in entries if isinstance(entry, dict)]
        for entry in (entry for entry in entries if isinstance(entry.get("url"), str)):
            entry.setdefault("filename", entry["url"].rpartition("/")[2])
        collection = path.rpartition("/{")[0] if path.endswith("}") else path
        # Lists are newest first; the last known entry is used first.
        known = self.known.get(collection, [])
        self.known[collection] = list(reversed(entries)) + known if method == "GET" else known + entries
        if path == "/v1/extension-installs/{id}/token":
            self.scene.extension_token = entries[0]["token"]

    def report(self):
        names = [operation["operationId"] for _, _, operation in self.operations()]
        unreached = CONFIG["unreached"]
        print(f"    walk: {len(self.reached)} of {len(names)} operations were reached, {len(unreached)} have a reason")
        problems = [f"{place}: {text}" for place, text in self.failed.items()]
        missing = [name for name in names if name not in self.reached and name not in unreached]
        problems += [f"{name}: not reached: {self.refused.get(name)}" for name in missing]
        known = set(names)
        problems += [f"live.json: {name} is no operation" for name in unreached if name not in known]
        problems += [f"live.json: {name} is no operation" for name in CONFIG["operations"] if name not in known]
        for problem in problems:
            print("      " + problem.replace("\n", "\n        "))
        return problems


def protocol_of(operation):
    """Returns the protocol of an operation that knows Idempotency-Key, else None."""
    protocol = (operation.get("x-lumio-rule") or {}).get("idempotency")
    return protocol if protocol and protocol["kind"] != "exempt" else None


def parameters_of(operation, place):
    return [parameter for parameter in operation.get("parameters", []) if parameter.get("in") == place]


def bundle(extension_id):
    """Packs the extension of the demonstration as one of the developer."""
    source = HERE.parent.parent / "tests/fixtures/extensions/greeter"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for file in sorted(source.iterdir()):
            content = file.read_bytes()
            if file.name == "lumio.config.json":
                manifest = json.loads(content) | {"extensionId": extension_id, "version": "1.0.0"}
                content = json.dumps(manifest).encode()
            entry = tarfile.TarInfo(file.name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def fuzz(document, name, token, seconds):
    """Runs schemathesis and returns the problems that it found."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "openapi.json"
        place.write_text(json.dumps(document))
        command = [
            pathlib.Path(sys.executable).parent / "schemathesis", "run", place, "--url", API,
            "--checks", ",".join(CHECK_NAMES), "--phases", "examples,coverage,fuzzing", "--max-time", str(seconds),
            "--seed", SEED, "--continue-on-failure", "--max-redirects", "0", "--warnings", "off", "--no-color",
            "--generation-database", "none", "--suppress-health-check", "all", "--workers", "1",
        ]
        for excluded in CONFIG["not_fuzzed"]:
            command += ["--exclude-operation-id", excluded]
        if token:
            command += ["--header", f"Authorization: Bearer {token}"]
        print(f"    schemathesis with {name}, {seconds} s", flush=True)
        environment = os.environ | {"PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "media_types"}
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, timeout=seconds + 180, env=environment
        )
    if done.returncode == 0:
        return []
    print(done.stdout[-12000:] + done.stderr[-2000:])
    return [f"schemathesis with {name} ended with {done.returncode}"]


if __name__ == "__main__":
    main()
