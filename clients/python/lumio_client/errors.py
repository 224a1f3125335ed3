"""Refusals and failures of calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class LumioError(Exception):
    """Refusal or failure of a call (docs/reference/errors.md)."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        errors: list[dict[str, Any]] | None = None,
        data: Any = None,
    ) -> None:
        super().__init__(message)
        headers = headers or {}
        self.message = message
        self.status = status
        """HTTP status; 200 for a GraphQL operation with failed fields."""
        self.code = code
        """Code of the API, or `HTTP_{status}` when the body had none."""
        self.details: Mapping[str, Any] = details or {}
        self.request_id = headers.get("X-Request-Id")
        self.retry_after = seconds(headers.get("Retry-After"))
        """Seconds after which the call may be repeated."""
        self.errors = errors or []
        """Failed fields of a GraphQL operation."""
        self.data = data
        """Data of the fields of a GraphQL operation that did not fail."""


def error_of(status: int, headers: Mapping[str, str], body: Any) -> LumioError:
    """Reads any of the error bodies of the API."""
    fields = record(body)
    nested = record(fields.get("error"))
    if isinstance(nested.get("code"), str):
        # The developer API.
        details = {"fields": nested["fields"]} if "fields" in nested else {}
        message = str(nested.get("message"))
        return LumioError(message, status=status, code=nested["code"], details=details, headers=headers)
    if isinstance(fields.get("error_code"), str):
        return LumioError(str(fields.get("error")), status=status, code=fields["error_code"].upper(), headers=headers)
    if isinstance(fields.get("error"), str):
        details = record(fields.get("details"))
        message = str(fields.get("message"))
        return LumioError(message, status=status, code=fields["error"], details=details, headers=headers)
    return LumioError(f"The server answered {status}", status=status, code=f"HTTP_{status}", headers=headers)


def record(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def seconds(header: str | None) -> float | None:
    """Reads the header `Retry-After`, which the API sends in seconds."""
    try:
        return float(header) if header is not None else None
    except ValueError:
        return None
