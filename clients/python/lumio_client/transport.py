"""Requests with credential and repeats, for blocking code and for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union
from urllib.parse import quote

import httpx

from .errors import error_of, seconds

TokenSource = Union[str, Callable[[bool], Union[str, None]]]
"""A credential, or a function that returns one. The function is called for each request with True when the server
refused the last credential, so that a cached one must be renewed."""
AsyncTokenSource = Union[TokenSource, Callable[[bool], Awaitable[Union[str, None]]]]

MAX_RETRY_WAIT = 30
"""Seconds that a repeat waits at most. A longer `Retry-After` is raised as an error."""


@dataclass(frozen=True)
class Body:
    """Body of a request."""

    kind: Literal["json", "form", "text"]
    media_type: str
    value: Any


def path_of(template: str, *values: str) -> str:
    """Fills the parameters of a path in their order."""
    for value in values:
        before, _, rest = template.partition("{")
        template = before + quote(value, safe="") + rest.partition("}")[2]
    return template


def content_of(body: Body | None) -> dict[str, Any]:
    """Arguments of httpx for a body. Bytes of a form are a file."""
    if body is None or body.value is None:
        return {}
    if body.kind == "json":
        return {"json": body.value, "headers": {"Content-Type": body.media_type}}
    if body.kind == "text":
        return {"content": str(body.value), "headers": {"Content-Type": body.media_type}}
    files = {name: (name, value) for name, value in body.value.items() if isinstance(value, bytes)}
    fields = {name: str(value) for name, value in body.value.items() if name not in files and value is not None}
    return {"files": files, "data": fields}


def request_of(
    client: httpx.Client | httpx.AsyncClient,
    method: str,
    path: str,
    query: Mapping[str, Any] | None,
    header: Mapping[str, Any] | None,
    body: Body | None,
) -> httpx.Request:
    content = content_of(body)
    given = {name: str(value) for name, value in (header or {}).items() if value is not None}
    content["headers"] = {**content.get("headers", {}), **given}
    params = {name: value for name, value in (query or {}).items() if value is not None}
    return client.build_request(method, path, params=params, **content)


class Attempts:
    """Repeats of one request. The API refuses with 401 and 429 before a request has an effect."""

    def __init__(self, can_renew: bool, retries: int) -> None:
        self.expired = False
        self._can_renew = can_renew
        self._retries = retries

    def pause(self, response: httpx.Response) -> float | None:
        """Returns the seconds before a repeat, or None when the response is the answer."""
        if response.status_code == 401 and self._can_renew and not self.expired:
            self.expired = True
            return 0
        wait = seconds(response.headers.get("Retry-After"))
        wait = 1 if wait is None else wait
        if response.status_code != 429 or self._retries == 0 or wait > MAX_RETRY_WAIT:
            return None
        self._retries -= 1
        return wait


def checked(response: httpx.Response) -> httpx.Response:
    """Raises the error of a refusal."""
    if response.status_code < 400:
        return response
    try:
        body = response.json()
    except ValueError:
        body = None
    raise error_of(response.status_code, response.headers, body)


class Transport:
    """Requests of blocking code."""

    def __init__(self, client: httpx.Client, token: TokenSource | None, retries: int = 2) -> None:
        self._client = client
        self._token = token
        self._retries = retries

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, Any] | None = None,
        body: Body | None = None,
    ) -> httpx.Response:
        attempts = Attempts(callable(self._token), self._retries)
        while True:
            request = request_of(self._client, method, path, query, header, body)
            token = self._token(attempts.expired) if callable(self._token) else self._token
            if token is not None:
                request.headers["Authorization"] = f"Bearer {token}"
            response = self._client.send(request)
            pause = attempts.pause(response)
            if pause is None:
                return response
            time.sleep(pause)

    def json(self, method: str, path: str, **request: Any) -> Any:
        return checked(self.send(method, path, **request)).json()

    def text(self, method: str, path: str, **request: Any) -> str:
        return checked(self.send(method, path, **request)).text

    def content(self, method: str, path: str, **request: Any) -> bytes:
        return checked(self.send(method, path, **request)).content

    def nothing(self, method: str, path: str, **request: Any) -> None:
        checked(self.send(method, path, **request))


class AsyncTransport:
    """Requests of asyncio."""

    def __init__(self, client: httpx.AsyncClient, token: AsyncTokenSource | None, retries: int = 2) -> None:
        self._client = client
        self._token = token
        self._retries = retries

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, Any] | None = None,
        body: Body | None = None,
    ) -> httpx.Response:
        attempts = Attempts(callable(self._token), self._retries)
        while True:
            request = request_of(self._client, method, path, query, header, body)
            token = await current_token(self._token, attempts.expired)
            if token is not None:
                request.headers["Authorization"] = f"Bearer {token}"
            response = await self._client.send(request)
            pause = attempts.pause(response)
            if pause is None:
                return response
            await asyncio.sleep(pause)

    async def json(self, method: str, path: str, **request: Any) -> Any:
        return checked(await self.send(method, path, **request)).json()

    async def text(self, method: str, path: str, **request: Any) -> str:
        return checked(await self.send(method, path, **request)).text

    async def content(self, method: str, path: str, **request: Any) -> bytes:
        return checked(await self.send(method, path, **request)).content

    async def nothing(self, method: str, path: str, **request: Any) -> None:
        checked(await self.send(method, path, **request))


async def current_token(source: AsyncTokenSource | None, expired: bool) -> str | None:
    if not callable(source):
        return source
    token = source(expired)
    return await token if inspect.isawaitable(token) else token
