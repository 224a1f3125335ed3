"""Lists the channels of the account."""

import os

from lumio_client import Client

with Client(os.environ.get("LUMIO_URL", "http://localhost:8080"), os.environ["LUMIO_TOKEN"]) as client:
    for connection in client.rest.channel_connections()["data"]:
        state = "must be renewed" if connection["reconnect_required"] else "connected"
        print(connection["platform"], connection["channel_name"], state)
