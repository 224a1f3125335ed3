"""Requests of a socket that wait for an answer."""

from __future__ import annotations

import asyncio
from typing import Any

REQUEST_TIMEOUT = 30


class RequestError(Exception):
    """Refusal of a call or broadcast, or an end of the connection before its answer.

    `code` is that of the server, `CONNECTION_LOST` (the outcome is unknown), `TIMEOUT` or `CLOSED`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Requests:
    """Pending requests. Those that were not sent survive the loss of a connection."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._unsent: dict[str, dict[str, Any]] = {}

    @property
    def is_empty(self) -> bool:
        return not self._answers

    def add(self, request_id: str, frame: dict[str, Any]) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        timer = loop.call_later(REQUEST_TIMEOUT, self.fail, request_id, "TIMEOUT", "No answer in time")
        answer.add_done_callback(lambda _: self._drop(request_id, timer))
        self._answers[request_id] = answer
        self._unsent[request_id] = {**frame, "request_id": request_id}
        return answer

    def send(self, outbox: asyncio.Queue[dict[str, Any]] | None) -> None:
        if outbox is None:
            return
        for frame in self._unsent.values():
            outbox.put_nowait(frame)
        self._unsent.clear()

    def answer(self, request_id: str, data: Any) -> None:
        answer = self._answers.get(request_id)
        if answer and not answer.done():
            answer.set_result(data)

    def fail(self, request_id: str, code: str, message: str) -> bool:
        """Returns False when no request has the id."""
        answer = self._answers.get(request_id)
        if answer and not answer.done():
            answer.set_exception(RequestError(code, message))
        return answer is not None

    def lost(self, code: str, message: str, *, every: bool) -> None:
        """Fails those that were sent, or every one."""
        for request_id in list(self._answers):
            if every or request_id not in self._unsent:
                self.fail(request_id, code, message)

    def _drop(self, request_id: str, timer: asyncio.TimerHandle) -> None:
        timer.cancel()
        self._answers.pop(request_id, None)
        self._unsent.pop(request_id, None)
