"""Receives outbound webhooks of an account, and verifies them with the Python library of Standard Webhooks."""

import contextlib
import http.server
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from lumio_client import Client
from standardwebhooks import Webhook
from standardwebhooks.exceptions import WebhookVerificationError

EVENT = "twitch:raid"
TEST = "webhook.test"
TIMEOUT = 60
Delivery = tuple[dict[str, str], str]


class Receiver(http.server.ThreadingHTTPServer):
    """Accepts deliveries and keeps them."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.deliveries: queue.Queue[Delivery] = queue.Queue()
        super().__init__((host, int(port)), Handler)


class Handler(http.server.BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.send_response(204)
        self.end_headers()
        self.server.deliveries.put((dict(self.headers.items()), body))

    def log_message(self, format: str, *arguments: Any) -> None:
        """The deliveries are reported by the program."""


@contextlib.contextmanager
def started(address: str) -> Iterator[Receiver]:
    with Receiver(address) as receiver:
        serving = threading.Thread(target=receiver.serve_forever)
        serving.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            serving.join()


def receive(client: Client, address: str, emit: Callable[[], None]) -> None:
    """Makes an endpoint at an address that the deployment may reach. `emit` publishes an event of the type EVENT."""
    with started(address) as receiver:
        body = {"url": f"http://{address}/lumio", "description": "clients", "event_types": [EVENT]}
        endpoint = client.rest.create_webhook_endpoint(body=body)["data"]
        client.rest.test_webhook_endpoint(endpoint["id"])
        verify(receiver, endpoint["secret"], TEST)
        emit()
        verify(receiver, endpoint["secret"], EVENT)
        # For a day after the rotation both secrets sign.
        secret = client.rest.rotate_webhook_secret(endpoint["id"])["data"]["secret"]
        emit()
        verify(receiver, endpoint["secret"], EVENT, secret)
        client.rest.delete_webhook_endpoint(endpoint["id"])
    print("    webhooks: the library of Standard Webhooks accepts every delivery", flush=True)


def verify(receiver: Receiver, secret: str, event_type: str, *further: str) -> None:
    """The library accepts the next delivery for each secret. It refuses a changed body, and another secret."""
    headers, body = receiver.deliveries.get(timeout=TIMEOUT)
    for accepted in (secret, *further):
        payload = Webhook(accepted).verify(body, headers)
        assert payload["type"] == event_type, payload
    for refused, text in ((secret, body + " "), (f"{secret[:-8]}AAAAAAA=", body)):
        try:
            Webhook(refused).verify(text, headers)
        except WebhookVerificationError:
            continue
        raise AssertionError(f"a forged delivery of {event_type} is accepted")
