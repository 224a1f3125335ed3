"""Follows the events of the account, and goes on after the last one of the previous start.

Usage: follow_events.py [FILE [NUMBER]]: the file keeps the position; ends after a number of events.
"""

import asyncio
import os
import pathlib
import sys

from lumio_client import AsyncClient, Gap, channels, events, is_event


async def main(file: pathlib.Path, count: float) -> None:
    url = os.environ.get("LUMIO_URL", "http://localhost:8080")
    async with AsyncClient(url, os.environ["LUMIO_TOKEN"]) as client, client.socket() as socket:
        account_id = (await client.rest.my_permissions())["data"].get("account_id")
        assert account_id, "the credential belongs to no account"
        after = file.read_text() if file.exists() else None
        async with socket.subscribe(channels.events(account_id), after=after) as subscription:
            print("listening", flush=True)
            async for event in subscription:
                if isinstance(event, Gap):
                    print(f"events are missing ({event.reason}): reading the newest ones")
                    for newest in (await client.rest.events(limit=10))["data"]:
                        print("stored", newest["event_type"], newest["id"])
                    continue
                print(event["event_type"], event["id"], flush=True)
                if event["event_type"] == "event:new":
                    stored = event["data"]
                    if is_event(stored, events.EventTwitchRaid):
                        print(f"raid of {stored['data']['viewer_count']} viewers", flush=True)
                file.write_text(event["id"])
                count -= 1
                if count <= 0:
                    return


if __name__ == "__main__":
    position = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "position.txt")
    asyncio.run(main(position, float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")))
