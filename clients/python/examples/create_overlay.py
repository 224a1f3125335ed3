"""Creates an overlay with a text, and prints the address for OBS. Usage: create_overlay.py [NAME]"""

import os
import sys

from lumio_client import Client, models

name = sys.argv[1] if len(sys.argv) > 1 else "Scene"
title: models.OverlayLayerInput = {
    "type": "text",
    "name": "Title",
    "width": 800,
    "height": 100,
    "config": {"text": "Starting soon"},
}
with Client(os.environ.get("LUMIO_URL", "http://localhost:8080"), os.environ["LUMIO_TOKEN"]) as client:
    overlay = client.rest.create_overlay(body={"name": name})["data"]
    client.rest.update_overlay_layers(overlay["id"], body={"version": overlay["version"], "layers": [title]})
    print(overlay["name"], client.rest.overlay_token(overlay["id"])["data"]["url"])
