"""Typed client of Lumio: REST operations, GraphQL, and the WebSocket with resume."""

from .channel import Channel, Gap, SubscriptionEnded, is_event
from .client import AsyncClient, Client
from .closing import Backoff
from .errors import LumioError
from .generated import channels, events, models
from .pages import async_pages, pages
from .requests import RequestError
from .socket import Socket, SocketEnd
from .subscription import Subscription
from .transport import AsyncTokenSource, TokenSource

__all__ = [
    "AsyncClient",
    "AsyncTokenSource",
    "Backoff",
    "Channel",
    "Client",
    "Gap",
    "LumioError",
    "RequestError",
    "Socket",
    "SocketEnd",
    "Subscription",
    "SubscriptionEnded",
    "TokenSource",
    "async_pages",
    "channels",
    "events",
    "is_event",
    "models",
    "pages",
]
