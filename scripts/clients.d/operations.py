"""Calls of every operation, for blocking code and for asyncio."""

import keyword
import re

import events

PREAMBLE = """
from __future__ import annotations

from typing import Any, Literal

from ..transport import AsyncTransport, Body, Transport, path_of
from . import models
"""
JSON, FORM = "application/json", "multipart/form-data"


def module(document: dict, known: set[str]) -> str:
    calls = [Call(path, method, operation, known) for path, method, operation in operations(document)]
    calls.sort(key=lambda call: call.name)
    names = [call.name for call in calls]
    assert len(names) == len(set(names)), "two operations have one name"
    parts = [PREAMBLE.strip()]
    for asynchronous in (False, True):
        kind = "AsyncTransport" if asynchronous else "Transport"
        name = "AsyncOperations" if asynchronous else "Operations"
        text = "Operations of the REST API by their names, for " + ("asyncio." if asynchronous else "blocking code.")
        head = f'class {name}:\n    """{text}"""\n\n    def __init__(self, transport: {kind}) -> None:\n        self._transport = transport'
        parts.append("\n\n".join([head, *(call.text(asynchronous) for call in calls)]))
    return "\n\n\n".join(parts)


def operations(document: dict):
    shared = document["components"].get("parameters", {})
    for path, item in document["paths"].items():
        for method, operation in item.items():
            given = operation.get("parameters", [])
            resolved = [shared[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p for p in given]
            yield path, method.upper(), {**operation, "parameters": resolved}


class Call:
    """One operation."""

    def __init__(self, path: str, method: str, operation: dict, known: set[str]) -> None:
        self.path, self.method, self.operation, self.known = path, method, operation, known
        self.name = snake(operation["operationId"])
        parameters = operation.get("parameters", [])
        self.places = {place: [p for p in parameters if p["in"] == place] for place in ("path", "query", "header")}
        assert all(p["in"] in self.places for p in parameters), f"{self.name}: unknown place of a parameter"

    def text(self, asynchronous: bool) -> str:
        keyword_only = self.body_argument() + self.named("query") + self.named("header")
        # Arguments without a default come first.
        keyword_only.sort(key=lambda argument: "=" in argument)
        arguments = ["self", *(f"{name_of(p)}: str" for p in self.places["path"])]
        arguments += ["*", *keyword_only] if keyword_only else []
        prefix, wait = ("async ", "await ") if asynchronous else ("", "")
        result, kind = self.result()
        given = ", ".join([f'"{self.method}"', self.address(), *self.given()])
        head = f"    {prefix}def {self.name}({', '.join(arguments)}) -> {result}:\n        {self.documentation()}\n"
        if result == "None":
            return f"{head}        {wait}self._transport.nothing({given})"
        return f"{head}        result: {result} = {wait}self._transport.{kind}({given})\n        return result"

    def documentation(self) -> str:
        summary = " ".join(self.operation["summary"].split()).replace("\\", "\\\\").replace('"', "'")
        return f'"""{summary}\n\n        `{self.method} {self.path}`\n        """'

    def address(self) -> str:
        if not self.places["path"]:
            return f'"{self.path}"'
        return f'path_of("{self.path}", {", ".join(name_of(p) for p in self.places["path"])})'

    def given(self) -> list[str]:
        given = []
        for place in ("query", "header"):
            if self.places[place]:
                values = ", ".join(f'"{p["name"]}": {name_of(p)}' for p in self.places[place])
                given.append(f"{place}={{{values}}}")
        media_type = self.media_type()
        if media_type:
            kind = "form" if media_type == FORM else "text" if "xml" in media_type else "json"
            given.append(f'body=Body("{kind}", "{media_type}", body)')
        return given

    def media_type(self) -> str | None:
        return next(iter(self.operation.get("requestBody", {}).get("content", {})), None)

    def body_argument(self) -> list[str]:
        media_type = self.media_type()
        if media_type is None:
            return []
        kind = self.type_of(self.operation["requestBody"]["content"][media_type]["schema"])
        return [f"body: {kind}" if self.operation["requestBody"].get("required") else f"body: {kind} | None = None"]

    def named(self, place: str) -> list[str]:
        arguments = []
        for parameter in self.places[place]:
            kind = self.type_of(parameter["schema"])
            is_required = parameter.get("required")
            arguments.append(f"{name_of(parameter)}: {kind}" + ("" if is_required else " | None = None"))
        return arguments

    def result(self) -> tuple[str, str]:
        """Returns the type of the result, and the method of the transport that returns it."""
        answers = self.operation["responses"]
        contents = [answer["content"] for status, answer in answers.items() if status[0] == "2" and answer.get("content")]
        if not contents:
            return "None", "nothing"
        media_types = {media_type for content in contents for media_type in content}
        if media_types == {JSON}:
            kinds = sorted({self.type_of(content[JSON]["schema"]) for content in contents})
            return " | ".join(kinds), "json"
        if all(media_type.startswith("text/") for media_type in media_types):
            return "str", "text"
        return "bytes", "content"

    def type_of(self, schema: dict) -> str:
        if "$ref" in schema:
            name = events.camel(schema["$ref"].rpartition("/")[2])
            assert name in self.known, f"{self.name}: no model {name}"
            return f"models.{name}"
        if "enum" in schema:
            return f"Literal[{', '.join(repr(value) for value in schema['enum'] if value is not None)}]"
        kinds = schema.get("type", "any")
        kinds = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
        names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
        return names.get(kinds[0], "Any")


def name_of(parameter: dict) -> str:
    name = snake(re.sub(r"\W", "_", parameter["name"]))
    return f"{name}_" if keyword.iskeyword(name) or name in ("self", "body") else name


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
