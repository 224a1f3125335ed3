"""Sends a line to a chat of the account. Usage: send_chat.py [TEXT]"""

import os
import sys

from lumio_client import Client, LumioError

text = sys.argv[1] if len(sys.argv) > 1 else "Hello"
with Client(os.environ.get("LUMIO_URL", "http://localhost:8080"), os.environ["LUMIO_TOKEN"]) as client:
    try:
        result = client.rest.send_chat_to_platform(body={"platform": "twitch", "message": text})["data"]
    except LumioError as error:
        sys.exit(f"{error.code}: {error.message} (request {error.request_id})")
    print(result["platform"], f"sent {result.get('message_id')}" if result["sent"] else f"not sent: {result.get('error')}")
