"""Schemas of the WebSocket protocol in the form of OpenAPI, and the tables that the client reads."""

import re


def as_openapi(document: dict) -> dict:
    schemas = {frame_name(name): schema for name, schema in document["components"]["schemas"].items() if name != "event"}
    for key, message in event_messages(document).items():
        schemas[event_name(key)] = event(message)
    for name, channel in channels(document).items():
        members = [{"$ref": f"#/components/schemas/{event_name(key)}"} for key in channel["messages"]]
        text = f"Event of `{channel['address']}`. {channel['description']}"
        schemas[channel_name(name)] = {"description": text, "oneOf": members}
    return {"openapi": "3.1.0", "info": {"title": "Lumio", "version": "0"}, "components": {"schemas": schemas}}


def tables(document: dict) -> str:
    codes = [(code["code"], code["reason"], code["reconnect"]) for code in document["x-lumio-close-codes"]]
    lines = ["\n\nCLOSE_CODES: list[tuple[int, str, bool]] = ["]
    lines += [f"    {code!r}," for code in codes]
    lines += ["]", '"""Code, reason, and whether a client connects again by itself."""', ""]
    lines += ["SOCKET_LIMITS: dict[str, int] = {"]
    lines += [f'    "{name}": {value},' for name, value in document["x-lumio-limits"].items()]
    return "\n".join([*lines, "}", '"""Limits of a socket."""', ""])


def constructors(document: dict) -> str:
    """Functions that make the name of a channel with the type of its events."""
    parts = ["from __future__ import annotations\n\nfrom ..channel import Channel\nfrom . import events as types"]
    for name, channel in channels(document).items():
        [parameter] = channel["parameters"]
        kind = f"Channel[types.{channel_name(name)}]"
        address = channel["address"]
        parts.append(
            f"def {name.replace('-', '_')}({parameter}: str) -> {kind}:\n"
            f'    """Channel `{address}`. {channel["description"]}"""\n'
            f'    return Channel(f"{address}")'
        )
    return "\n\n\n".join(parts)


def event_messages(document: dict) -> dict:
    messages = document["components"]["messages"]
    return {key: message for key, message in messages.items() if "allOf" in message["payload"]}


def channels(document: dict) -> dict:
    return {name: channel for name, channel in document["channels"].items() if name != "socket"}


def event(message: dict) -> dict:
    data = message["payload"]["allOf"][1]["properties"]["data"]
    properties = {
        "type": {"type": "string", "enum": ["event"]},
        "channel": {"type": "string"},
        "event_type": {"type": "string", "enum": [message["name"]]},
        "data": data,
        "id": {"type": "string", "description": "UUID of version 7; the position of a subscription."},
        "timestamp": {"type": "string"},
    }
    return {"type": "object", "description": message["summary"], "properties": properties, "required": list(properties)}


def camel(name: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name) if word)


def event_name(key: str) -> str:
    return f"{camel(key)}Event"


def channel_name(name: str) -> str:
    return f"{camel(name)}ChannelEvent"


def frame_name(name: str) -> str:
    """Frames have names in lower case, which would be those of other schemas."""
    return f"{camel(name)}Frame" if name[0].islower() else name
