"""The clients of a server."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import httpx
from typing_extensions import Self

from .closing import Backoff
from .errors import LumioError, error_of
from .generated.operations import AsyncOperations, Operations
from .socket import Socket
from .transport import AsyncTokenSource, AsyncTransport, Body, TokenSource, Transport

TIMEOUT = httpx.Timeout(30)
GRAPHQL_TYPES = {"Accept": "application/graphql-response+json, application/json"}


class Client:
    """Client for blocking code. `rest` has a method for each operation of the API."""

    def __init__(
        self,
        url: str,
        token: TokenSource | None = None,
        *,
        retries: int = 2,
        http: httpx.Client | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._http = http or httpx.Client(base_url=self._url, timeout=TIMEOUT, follow_redirects=True)
        self._transport = Transport(self._http, token, retries)
        self.rest = Operations(self._transport)

    def graphql(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """Executes a GraphQL document and returns its data.

        Raises LumioError when the server refused the document or a field failed; `data` has the other fields.
        """
        return data_of(self._transport.send("POST", "/v1/gql", header=GRAPHQL_TYPES, body=document(query, variables)))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """Client for asyncio. `rest` has a method for each operation of the API, `socket` opens a WebSocket."""

    def __init__(
        self,
        url: str,
        token: AsyncTokenSource | None = None,
        *,
        retries: int = 2,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._http = http or httpx.AsyncClient(base_url=self._url, timeout=TIMEOUT, follow_redirects=True)
        self._transport = AsyncTransport(self._http, token, retries)
        self.rest = AsyncOperations(self._transport)

    async def graphql(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """As `Client.graphql`."""
        body = document(query, variables)
        return data_of(await self._transport.send("POST", "/v1/gql", header=GRAPHQL_TYPES, body=body))

    def socket(self, *, backoff: Backoff | None = None) -> Socket:
        """Makes a socket, which `async with` opens and ends. It connects with the first subscription."""
        return Socket(self._url, self._token, backoff=backoff)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def document(query: str, variables: dict[str, Any] | None) -> Body:
    return Body("json", "application/json", {"query": query, "variables": variables or {}})


def data_of(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) or ("errors" not in body and body.get("data") is None):
        raise error_of(response.status_code, response.headers, body)
    errors = body.get("errors") or []
    if not errors:
        data: dict[str, Any] = body["data"]
        return data
    extensions = errors[0].get("extensions") or {}
    raise LumioError(
        str(errors[0].get("message")),
        status=response.status_code,
        code=str(extensions.get("code", f"HTTP_{response.status_code}")),
        details=extensions.get("details"),
        headers=response.headers,
        errors=errors,
        data=body.get("data"),
    )
