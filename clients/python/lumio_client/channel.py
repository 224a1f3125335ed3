"""Names of channels with the types of their events, and what a subscription hands out beside events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar, cast, get_args, get_type_hints

from typing_extensions import TypeGuard

E = TypeVar("E")

UNLOGGED = frozenset({"ext:push", "presence:join", "presence:leave", "presence:cursor", "presence:selection"})
"""Types that the server publishes past its log: no position to resume after (docs/reference/realtime.md#resume)."""
ANY_POSITION = ("overlay:", "widget:")
"""Channels that resume after any event, also one that no log holds (docs/reference/realtime.md#relayed-events)."""


@dataclass(frozen=True)
class Channel(Generic[E]):
    """Name of a channel. `E` is the type of its events. The functions of `lumio_client.channels` make them."""

    name: str


@dataclass(frozen=True)
class Gap:
    """Events between `after` and now may be missing and do not follow: read the state over REST."""

    channel: str
    after: str | None
    """Id of the last event before the gap; None when the subscription had none."""
    reason: Literal["expired", "no_position"]
    """`expired`: the server no longer holds that event. `no_position`: there was no event to resume after."""
    recovered: Literal[False] = False


class SubscriptionEnded(Exception):
    """No event follows. `code` is that of a refusal, the reason of the server, or the close code of the socket."""

    def __init__(self, channel: str, code: str, message: str) -> None:
        super().__init__(f"{channel}: {code}: {message}")
        self.channel = channel
        self.code = code
        self.message = message


def is_position(channel: str, event_type: str) -> bool:
    """True when a subscription can be resumed after an event of the type."""
    return event_type not in UNLOGGED or channel.startswith(ANY_POSITION)


def is_event(event: Mapping[str, object], kind: type[E]) -> TypeGuard[E]:
    """True for an event of a class of `lumio_client.events` or `lumio_client.models`.

    Events of accounts have types of their own, so type checkers cannot conclude the class from `event_type` alone.
    """
    name = cast(str, event["event_type"])
    types = types_of(cast(Any, kind))
    return name in types or (not types and name.startswith("custom:"))


@cache
def types_of(kind: Any) -> tuple[str, ...]:
    """Event types of a class; empty for those that an account defined."""
    return get_args(get_type_hints(kind)["event_type"])
