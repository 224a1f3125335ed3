"""What follows a closed connection, and the pauses between attempts."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .generated.events import CLOSE_CODES

Consequence = Literal["reconnect", "renew", "rest", "end"]
"""`reconnect`: after a pause. `renew`: after a pause, with a renewed credential. `rest`: wait for the next
subscription. `end`: the socket has ended."""

TOKEN_EXPIRED = 4001


@dataclass(frozen=True)
class Backoff:
    """Pauses between attempts, in seconds."""

    base: float = 1
    """Ceiling of the first pause."""
    max: float = 30
    """Largest ceiling."""
    random: Callable[[], float] = random.random
    """Returns a number from 0 to 1."""

    def pause(self, attempt: int) -> float:
        """Pause before an attempt, counted from 0: any time up to a ceiling that doubles (full jitter)."""
        ceiling: float = min(self.max, self.base * 2 ** min(attempt, 30))
        return self.random() * ceiling


def consequence(code: int, reason: str, can_renew: bool) -> Consequence:
    """Consequence of a close code (docs/reference/realtime.md#close-codes). Codes that are no server's reconnect."""
    if code == TOKEN_EXPIRED:
        return "renew" if can_renew else "end"
    if reason == "no subscription":
        return "rest"
    # Only this client closes with 1000. From another party it is a proxy that ended the connection.
    if code == 1000:
        return "reconnect"
    known = [entry for entry in CLOSE_CODES if entry[0] == code]
    exact = [entry for entry in known if entry[1] == reason] or known
    return "reconnect" if not exact or exact[0][2] else "end"


def of_handshake(status: int | None, can_renew: bool, is_renewed: bool) -> Consequence:
    """Consequence of a refused handshake. Without a status the server was not reached."""
    if status == 401:
        return "renew" if can_renew and not is_renewed else "end"
    if status is None or status in (408, 429) or status >= 500:
        return "reconnect"
    return "end"
