"""Server with the log and the answers of the real one, which cuts connections at any moment."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from typing_extensions import Self
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

Frame = dict[str, Any]


class FakeServer:
    def __init__(self) -> None:
        self.logs: dict[str, list[tuple[str, str]]] = {}
        self.received: list[Frame] = []
        self.tokens: list[str | None] = []
        self.upgrades = 0
        self.refuse: Callable[[], int] = lambda: 0
        """Status for the next upgrade; 0 accepts."""
        self.chaos = 0.0
        """Likelihood that a connection is cut before a frame is sent."""
        self.special: Callable[[Frame], Frame | None] = lambda _: None
        """Answer to a frame in place of the usual one."""
        self._connections: dict[ServerConnection, set[str]] = {}
        self._server: Server | None = None
        self._last_id = 0

    async def __aenter__(self) -> Self:
        self._server = await serve(self._accept, "127.0.0.1", 0, process_request=self._process)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self.cut()
        self._server.close()
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        assert self._server
        return f"http://127.0.0.1:{next(iter(self._server.sockets)).getsockname()[1]}"

    def publish(self, channel: str, event_type: str, *, is_logged: bool = True) -> str:
        self._last_id += 1
        event_id = f"01900000-0000-7000-8000-{self._last_id:012}"
        frame = {"type": "event", "channel": channel, "event_type": event_type, "data": {}, "id": event_id}
        text = json.dumps(frame | {"timestamp": "now"})
        if is_logged:
            self.logs.setdefault(channel, []).append((event_id, text))
        for connection, channels in list(self._connections.items()):
            if channel in channels:
                self._send(connection, text)
        return event_id

    def ids(self, channel: str) -> list[str]:
        return [event_id for event_id, _ in self.logs[channel]]

    def send(self, frame: Frame) -> None:
        for connection in list(self._connections):
            self._send(connection, json.dumps(frame))

    async def close(self, code: int, reason: str) -> None:
        await asyncio.gather(*(connection.close(code, reason) for connection in list(self._connections)))

    def cut(self) -> None:
        for connection in list(self._connections):
            connection.transport.abort()

    def _process(self, connection: ServerConnection, request: Request) -> Response | None:
        self.upgrades += 1
        status = self.refuse()
        if status:
            return connection.respond(HTTPStatus(status), "refused")
        self.tokens.append(request.headers.get("Authorization"))
        return None

    async def _accept(self, connection: ServerConnection) -> None:
        self._connections[connection] = set()
        hello = {"type": "connected", "session_id": "s", "heartbeat_interval_ms": 30_000, "server_time": "now"}
        self._send(connection, json.dumps(hello))
        try:
            async for message in connection:
                self._answer(connection, json.loads(message))
        except ConnectionClosed:
            pass
        finally:
            del self._connections[connection]

    def _answer(self, connection: ServerConnection, frame: Frame) -> None:
        self.received.append(frame)
        kind, channel, request_id = frame["type"], frame.get("channel", ""), frame.get("request_id")
        special = self.special(frame)
        if special:
            self._send(connection, json.dumps(special))
        elif kind == "subscribe":
            self._subscribe(connection, frame)
        elif kind == "unsubscribe":
            self._connections[connection].discard(channel)
            self._send(connection, json.dumps({"type": "unsubscribed", "channel": channel}))
        elif kind == "broadcast":
            self._send(connection, json.dumps({"type": "ack", "request_id": request_id}))
        elif kind == "call":
            data = {"called": frame.get("function")}
            self._send(connection, json.dumps({"type": "result", "request_id": request_id, "data": data}))

    def _subscribe(self, connection: ServerConnection, frame: Frame) -> None:
        channel, after = frame["channel"], frame.get("after")
        log = self.logs.setdefault(channel, [])
        ids = [event_id for event_id, _ in log]
        answer = {"type": "subscribed", "channel": channel, "request_id": frame["request_id"]}
        if after is not None:
            answer["recovered"] = after in ids
        self._connections[connection].add(channel)
        self._send(connection, json.dumps(answer))
        if after in ids:
            for _, text in log[ids.index(after) + 1 :]:
                self._send(connection, text)

    def _send(self, connection: ServerConnection, text: str) -> None:
        if connection.transport.is_closing():
            return
        if random.random() < self.chaos:
            connection.transport.abort()
        elif connection in self._connections:
            try:
                # Frames keep their order: nothing waits between the log and the transport.
                connection.protocol.send_text(text.encode())
                connection.transport.writelines(connection.protocol.data_to_send())
            except Exception:
                connection.transport.abort()
