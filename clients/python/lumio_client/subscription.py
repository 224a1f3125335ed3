"""A subscription across connections, as an iterator of its events."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Generic, TypeVar, Union, cast

from typing_extensions import Self

from .channel import Channel, Gap, SubscriptionEnded, is_position

E = TypeVar("E")

MAX_KNOWN_IDS = 1000
"""Number of latest ids that are known, so that a repeated event is dropped."""
MAX_WAITING = 1000
"""Number of events that wait for the iterator. Later ones are left to the log of the server."""


class Subscription(AsyncIterator[Union[E, Gap]], Generic[E]):
    """Iterator of the events of a channel: each once and in order, or a `Gap`.

    Raises SubscriptionEnded when the server ended it. An iterator that is slow gets the events later, from the log of
    the server.
    """

    def __init__(
        self, channel: Channel[E], after: str | None, restart: Callable[[Any], None], leave: Callable[[Any], None]
    ) -> None:
        self.channel = channel.name
        self.position = after
        """Id of the last event that the iterator returned, for `after` of a later subscription."""
        self.request_id: str | None = None
        """Request whose answer is awaited. Events that arrive before it are of an earlier subscription."""
        self.attempt = 0
        """Attempts since the server accepted the subscription."""
        self._received = after
        self._is_accepted = False
        self._is_overflowing = False
        self._known: dict[str, None] = {}
        self._waiting: deque[E | Gap] = deque()
        self._end: SubscriptionEnded | None = None
        self._is_closed = False
        self._changed = asyncio.Event()
        self._accepted = asyncio.Event()
        self._restart = restart
        self._leave = leave

    async def ready(self) -> None:
        """Waits until the server has accepted the subscription; raises SubscriptionEnded when it ends before."""
        await self._accepted.wait()
        if self._end and not self._is_accepted:
            raise self._end

    def close(self) -> None:
        """Ends the subscription; its iterator stops."""
        if not self._is_closed:
            self._is_closed = True
            self._leave(self)
            self._wake()

    async def __aenter__(self) -> Self:
        await self.ready()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> E | Gap:
        while not self._waiting or self._is_closed:
            if self._is_closed:
                raise StopAsyncIteration
            if self._end:
                raise self._end
            self._changed.clear()
            await self._changed.wait()
        item = self._waiting.popleft()
        self.position = None if isinstance(item, Gap) else self._position_after(item, self.position)
        if self._is_overflowing and len(self._waiting) <= MAX_WAITING // 2:
            self._is_overflowing = False
            self._restart(self)
        return item

    @property
    def resume_after(self) -> str | None:
        """Id of the last event that arrived."""
        return self._received

    @property
    def is_overflowing(self) -> bool:
        """True while events are left to the log of the server."""
        return self._is_overflowing

    def accept(self, recovered: bool | None) -> None:
        """The server has accepted the subscription. Without a position to resume after, events may be missing."""
        self.request_id = None
        self.attempt = 0
        if recovered is False:
            self._add_gap(Gap(self.channel, self._received, "expired"))
        elif recovered is None and self._is_accepted:
            self._add_gap(Gap(self.channel, self._received, "no_position"))
        self._is_accepted = True
        self._accepted.set()

    def take(self, frame: dict[str, Any]) -> None:
        """Takes an event, unless it is of an earlier subscription to the channel."""
        if self.request_id is not None or self._is_overflowing or frame["id"] in self._known:
            return
        event = cast(E, frame)
        position = self._position_after(event, self._received)
        # Without a position the rest could not be read later.
        if len(self._waiting) >= MAX_WAITING and self._received is not None:
            self._is_overflowing = True
            return
        self._known[frame["id"]] = None
        if len(self._known) > MAX_KNOWN_IDS:
            del self._known[next(iter(self._known))]
        self._received = position
        self._waiting.append(event)
        self._wake()

    def end(self, code: str, message: str) -> None:
        """Ends the subscription for good."""
        self._end = self._end or SubscriptionEnded(self.channel, code, message)
        self._wake()

    def _add_gap(self, gap: Gap) -> None:
        # An event before the gap is no position any more.
        self._received = None
        self._waiting.append(gap)
        self._wake()

    def _position_after(self, event: E, before: str | None) -> str | None:
        frame = cast("dict[str, Any]", event)
        return frame["id"] if is_position(self.channel, frame["event_type"]) else before

    def _wake(self) -> None:
        self._changed.set()
        if self._end or self._is_closed:
            self._accepted.set()
