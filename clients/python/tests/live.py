"""Plays against the stack that `scripts/clients --live` has started."""

from __future__ import annotations

import asyncio
import os
import random
from typing import Any
from unittest import mock

from websockets.asyncio.client import ClientConnection, connect

import lumio_client.socket
from lumio_client import (
    AsyncClient,
    Backoff,
    Client,
    Gap,
    LumioError,
    SubscriptionEnded,
    channels,
    events,
    is_event,
    pages,
)

EVENTS = 300
URL, TOKEN, SESSION = os.environ["LUMIO_URL"], os.environ["LUMIO_TOKEN"], os.environ["LUMIO_SESSION"]
connections: list[ClientConnection] = []


async def kept_connect(*arguments: Any, **options: Any) -> ClientConnection:
    """Connects as the client does, and keeps the connection so that it can be cut."""
    connection = await connect(*arguments, **options)
    connections.append(connection)
    return connection


def main() -> None:
    with Client(URL, TOKEN) as client:
        read_what_the_demonstration_left(client)
        refusals_are_errors(client)
    with mock.patch.object(lumio_client.socket, "connect", kept_connect):
        asyncio.run(sockets())
    print("    Python: REST, GraphQL and the socket answer as the documents say")


def read_what_the_demonstration_left(client: Client) -> None:
    rest = client.rest
    assert rest.health()["data"]["status"] == "healthy"
    credential = rest.my_permissions()["data"]
    assert credential["token_type"] == "user_api_key" and "chat:read" in credential["permissions"]
    names = {connection["channel_name"] for connection in rest.channel_connections()["data"]}
    answer = client.graphql("{ channelConnections { channelName } }")
    assert names == {connection["channelName"] for connection in answer["channelConnections"]}
    assert rest.chat_messages(limit=5)["data"], "no chat line"
    assert rest.roles()["data"] and rest.extension_installs()["data"] and rest.automations()["data"]
    stored = [event["id"] for page in pages(lambda number: rest.events(page=number, limit=2)) for event in page["data"]]
    assert len(stored) == len(set(stored)) == rest.events()["_meta"]["total"] > 0
    assert rest.graphql_schema().startswith("schema") or "type Query" in rest.graphql_schema()
    upload = rest.create_upload(body={"file": PICTURE, "purpose": "overlay_asset"})["data"]
    rest.delete_upload(upload["id"])


def refusals_are_errors(client: Client) -> None:
    for call, code in (
        (lambda: client.rest.overlay("0196b1a0-7c00-7000-8000-000000000001"), "NOT_FOUND"),
        (lambda: client.rest.events(limit=1000), "VALIDATION_ERROR"),
        (lambda: client.graphql("{ nothing }"), "GRAPHQL_VALIDATION_FAILED"),
    ):
        try:
            call()
        except LumioError as error:
            assert error.code == code, error
        else:
            raise AssertionError(f"no {code}")


async def sockets() -> None:
    async with AsyncClient(URL, TOKEN) as client:
        account_id = (await client.rest.my_permissions())["data"].get("account_id") or ""
        await socket_loses_nothing_while_it_is_cut(client, account_id)
    await gaps_and_revocations(account_id)


async def emit(client: AsyncClient, number: int) -> None:
    await client.rest.emit_event(body={"event_type": "custom:clients", "is_test": False, "data": {"number": number}})


async def socket_loses_nothing_while_it_is_cut(client: AsyncClient, account_id: str) -> None:
    async with client.socket(backoff=Backoff(base=0.02, max=0.2)) as socket:
        subscription = socket.subscribe(channels.events(account_id))
        await subscription.ready()
        # The first event gives the subscription a position.
        await emit(client, 0)
        numbers = [await number_of(subscription)]

        async def read() -> None:
            while len(numbers) < EVENTS:
                numbers.append(await number_of(subscription))

        reading = asyncio.create_task(read())
        for number in range(1, EVENTS):
            await emit(client, number)
            if random.random() < 0.08:
                connections[-1].transport.abort()
        await asyncio.wait_for(reading, 60)
        assert numbers == list(range(EVENTS)), numbers
        assert len(connections) > 3, "the socket was cut too rarely"


async def number_of(subscription: Any) -> int:
    """Number of the next event that this program has made."""
    while True:
        item = await subscription.__anext__()
        assert not isinstance(item, Gap), item
        if item["event_type"] == "event:new" and is_event(item["data"], events.EventCustom):
            return int(item["data"]["data"]["number"])


async def gaps_and_revocations(account_id: str) -> None:
    after = "0190a000-0000-7000-8000-000000000001"
    async with AsyncClient(URL, SESSION) as owner:
        created = (await owner.rest.create_user_api_key(body={"label": "short", "permissions": ["events:read"]}))["data"]
        async with AsyncClient(URL, created["key"]) as client, client.socket() as socket:
            subscription = socket.subscribe(channels.events(account_id), after=after)
            assert await anext(subscription) == Gap(f"events:{account_id}", after, "expired")
            try:
                await socket.subscribe(channels.chat(account_id)).ready()
            except SubscriptionEnded as ended:
                assert ended.code == "UNAUTHORIZED", ended
            else:
                raise AssertionError("a key without the permission listens")
            await owner.rest.delete_user_api_key(created["id"])
            try:
                await anext(subscription)
            except SubscriptionEnded as ended:
                assert (ended.code, ended.message) == ("4002", "token revoked"), ended
            else:
                raise AssertionError("a deleted key listens")


PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f8cf5000000386018059a3"
    "5a2c0000000049454e44ae426082"
)

if __name__ == "__main__":
    main()
