"""Socket that connects again by itself and resumes its subscriptions (docs/reference/realtime.md#resume)."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from typing_extensions import Self
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from .channel import Channel
from .closing import Backoff, Consequence, consequence, of_handshake
from .requests import Requests
from .subscription import Subscription
from .transport import AsyncTokenSource, current_token

E = TypeVar("E")
LOG = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT = 20
CLOSE_TIMEOUT = 3
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
PING_INTERVAL = 25
PING_TIMEOUT = 25
STABLE_SECONDS = 5
"""Time of an open connection after which the next pause is short again."""
MAX_FRAMES, WINDOW = 45, 10
"""Frames in a window: fewer than the 60 of the server, which also counts pings and pongs."""
TRANSIENT = ("INTERNAL_SERVER_ERROR", "RATE_LIMIT_EXCEEDED")
"""Refusals of a subscription that pass."""


@dataclass(frozen=True)
class SocketEnd:
    """Reason why a socket ended: its last close code, the status of the refused handshake, or 1000 for `close`."""

    code: int
    reason: str


class Socket:
    """Socket of a server. It connects with the first subscription; `async with` ends it."""

    def __init__(self, url: str, token: AsyncTokenSource | None = None, *, backoff: Backoff | None = None) -> None:
        self._address = "ws" + url.rstrip("/").removeprefix("http") + "/v1/ws"
        self._token = token
        self._backoff = backoff or Backoff()
        self._subscriptions: dict[str, Subscription[Any]] = {}
        self._requests = Requests()
        self._outbox: asyncio.Queue[dict[str, Any]] | None = None
        self._is_wanted = asyncio.Event()
        self._is_expired = False
        self._next_id = 0
        self._task: asyncio.Task[None] | None = None
        self._timers: set[asyncio.TimerHandle] = set()
        self.end: SocketEnd | None = None
        """Set when the socket has ended."""

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the socket; the iterators of its subscriptions stop."""
        for subscription in list(self._subscriptions.values()):
            subscription.close()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._finish(SocketEnd(1000, ""))

    def subscribe(self, channel: Channel[E], *, after: str | None = None) -> Subscription[E]:
        """Subscribes to a channel, after an event when one is given. A channel has one subscription."""
        if self.end or not self._task:
            raise RuntimeError("the socket has ended" if self.end else "the socket is used within `async with`")
        if channel.name in self._subscriptions:
            raise ValueError(f"there is a subscription to {channel.name}")
        subscription = Subscription(channel, after, self._request, self._unsubscribe)
        self._subscriptions[channel.name] = subscription
        self._request(subscription)
        self._is_wanted.set()
        return subscription

    async def call(self, install_id: str, function: str, args: Any = None) -> Any:
        """Calls a server function of an extension (docs/reference/realtime.md#calls)."""
        frame = {"type": "call", "channel": f"ext-storage:{install_id}", "function": function, "args": args}
        return await self._send_request(frame)

    async def set_storage(self, install_id: str, value: dict[str, Any]) -> Any:
        """Replaces the shared storage of an install."""
        return await self._send_request(
            {"type": "call", "channel": f"ext-storage:{install_id}", "storage_set": value}
        )

    async def broadcast(self, channel: Channel[Any], event_type: str, data: dict[str, Any]) -> None:
        """Publishes on a channel that takes the type from clients."""
        await self._send_request(
            {"type": "broadcast", "channel": channel.name, "event_type": event_type, "data": data}
        )

    async def _send_request(self, frame: dict[str, Any]) -> Any:
        if self.end or not self._task:
            raise RuntimeError("the socket is not open")
        answer = self._requests.add(self._id(), frame)
        self._requests.send(self._outbox)
        self._is_wanted.set()
        return await answer

    def _id(self) -> str:
        self._next_id += 1
        return f"r{self._next_id}"

    def _request(self, subscription: Subscription[Any]) -> None:
        if self._outbox is None or self._subscriptions.get(subscription.channel) is not subscription:
            return
        subscription.request_id = self._id()
        frame = {"type": "subscribe", "channel": subscription.channel, "request_id": subscription.request_id}
        if subscription.resume_after is not None:
            frame["after"] = subscription.resume_after
        self._outbox.put_nowait(frame)

    def _unsubscribe(self, subscription: Subscription[Any]) -> None:
        if self._subscriptions.pop(subscription.channel, None) and self._outbox is not None:
            self._outbox.put_nowait({"type": "unsubscribe", "channel": subscription.channel})

    async def _run(self) -> None:
        try:
            self._finish(await self._connect_repeatedly())
        except asyncio.CancelledError:
            raise
        except Exception as problem:
            LOG.exception("the socket failed")
            self._finish(SocketEnd(0, repr(problem)))

    async def _connect_repeatedly(self) -> SocketEnd:
        attempt = 0
        while True:
            if not self._subscriptions and self._requests.is_empty:
                self._is_wanted.clear()
                await self._is_wanted.wait()
            began = time.monotonic()
            next_step, end = await self._connect_once()
            if next_step == "end":
                return end
            if next_step == "renew":
                self._is_expired = True
            if time.monotonic() - began >= STABLE_SECONDS:
                attempt = 0
            if self._subscriptions or not self._requests.is_empty:
                await asyncio.sleep(self._backoff.pause(attempt))
            attempt += 1

    async def _connect_once(self) -> tuple[Consequence, SocketEnd]:
        """Connects and serves until the end of the connection. Returns what follows."""
        is_renewed, can_renew = self._is_expired, callable(self._token)
        try:
            token = await current_token(self._token, self._is_expired)
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            connection = await connect(
                self._address,
                additional_headers=headers,
                open_timeout=HANDSHAKE_TIMEOUT,
                ping_interval=PING_INTERVAL,
                ping_timeout=PING_TIMEOUT,
                close_timeout=CLOSE_TIMEOUT,
                max_size=MAX_MESSAGE_BYTES,
            )
        except InvalidStatus as refused:
            status = refused.response.status_code
            end = SocketEnd(status, "The handshake was refused")
            return of_handshake(status, can_renew, is_renewed), end
        except (OSError, asyncio.TimeoutError, InvalidHandshake, EOFError) as problem:
            LOG.debug("no connection: %r", problem)
            return "reconnect", SocketEnd(1006, repr(problem))
        end = await self._serve(connection)
        return consequence(end.code, end.reason, can_renew), end

    async def _serve(self, connection: ClientConnection) -> SocketEnd:
        outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        writer = asyncio.create_task(write(connection, outbox))
        try:
            async for message in connection:
                self._read(message, outbox)
        except ConnectionClosed:
            pass
        finally:
            self._outbox = None
            writer.cancel()
            for timer in self._timers:
                timer.cancel()
            self._timers.clear()
            self._requests.lost("CONNECTION_LOST", "The connection was lost before the answer", every=False)
            await asyncio.gather(writer, connection.close(), return_exceptions=True)
        return SocketEnd(connection.close_code or 1006, connection.close_reason or "")

    def _read(self, message: str | bytes, outbox: asyncio.Queue[dict[str, Any]]) -> None:
        try:
            self._receive(json.loads(message), outbox)
        except (KeyError, TypeError, ValueError) as problem:
            LOG.warning("a frame that no server sends: %r", problem)

    def _receive(self, frame: dict[str, Any], outbox: asyncio.Queue[dict[str, Any]]) -> None:
        kind = frame.get("type")
        if kind == "event":
            subscription = self._subscriptions.get(frame["channel"])
            if subscription:
                subscription.take(frame)
        elif kind == "connected":
            self._opened(outbox)
        elif kind == "subscribed":
            subscription = self._subscriptions.get(frame["channel"])
            if subscription and subscription.request_id == frame.get("request_id"):
                subscription.accept(frame.get("recovered"))
        elif kind == "unsubscribed" and "reason" in frame:
            # Without a reason the server could not restart the subscription; the refusal of the request follows.
            subscription = self._subscriptions.pop(frame["channel"], None)
            if subscription:
                subscription.end(frame["reason"], "The server ended the subscription")
        elif kind in ("result", "ack"):
            self._requests.answer(str(frame.get("request_id")), frame.get("data"))
        elif kind == "error":
            self._refused(str(frame.get("request_id", "")), frame["code"], frame["message"])

    def _opened(self, outbox: asyncio.Queue[dict[str, Any]]) -> None:
        self._outbox = outbox
        self._is_expired = False
        for subscription in self._subscriptions.values():
            if not subscription.is_overflowing:
                self._request(subscription)
        self._requests.send(outbox)

    def _refused(self, request_id: str, code: str, message: str) -> None:
        if self._requests.fail(request_id, code, message):
            return
        refused = [entry for entry in self._subscriptions.values() if entry.request_id == request_id]
        if not refused:
            LOG.warning("%s: %s", code, message)
            return
        subscription = refused[0]
        if code in TRANSIENT:
            pause = self._backoff.pause(subscription.attempt)
            subscription.attempt += 1
            self._timers.add(asyncio.get_running_loop().call_later(pause, self._request, subscription))
        else:
            del self._subscriptions[subscription.channel]
            subscription.end(code, message)

    def _finish(self, end: SocketEnd) -> None:
        if self.end:
            return
        self.end = end
        for subscription in self._subscriptions.values():
            subscription.end(str(end.code), end.reason)
        self._subscriptions.clear()
        self._requests.lost("CLOSED", "The socket has ended", every=True)


async def write(connection: ClientConnection, outbox: asyncio.Queue[dict[str, Any]]) -> None:
    """Sends frames in their order, and holds back those beyond the rate that the server allows."""
    sent: deque[float] = deque(maxlen=MAX_FRAMES)
    while True:
        frame = await outbox.get()
        if len(sent) == MAX_FRAMES:
            await asyncio.sleep(sent[0] + WINDOW - time.monotonic())
        sent.append(time.monotonic())
        await connection.send(json.dumps(frame))
