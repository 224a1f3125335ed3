from __future__ import annotations

import asyncio
import random
import unittest
from collections.abc import Callable
from typing import Any

from lumio_client import AsyncTokenSource, Backoff, Gap, RequestError, Socket, SubscriptionEnded, TokenSource, channels
from lumio_client.socket import MAX_FRAMES
from lumio_client.subscription import MAX_WAITING

from .fake_server import FakeServer, Frame

ACCOUNT = "0190a000-0000-7000-8000-000000000001"
CHAT = channels.chat(ACCOUNT)
FAST = Backoff(base=0.004, max=0.02)


async def eventually(holds: Callable[[], bool]) -> None:
    """Waits until a condition holds; only a hang reaches the deadline."""
    for _ in range(6000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise TimeoutError


class SocketTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.server = await self.enterAsync(FakeServer())
        self.socket = await self.enterAsync(self.make())

    async def enterAsync(self, context: Any) -> Any:
        """As `enterAsyncContext`, which Python 3.10 has not."""
        entered = await context.__aenter__()
        self.addAsyncCleanup(context.__aexit__, None, None, None)
        return entered

    def make(self, token: AsyncTokenSource = "lm_token") -> Socket:
        return Socket(self.server.url, token, backoff=FAST)

    async def test_socket_loses_and_doubles_no_event_while_its_connections_are_cut_at_random(self) -> None:
        events = channels.events(ACCOUNT)
        starts = [self.server.publish(CHAT.name, "chat:message"), self.server.publish(events.name, "event:new")]
        first = self.socket.subscribe(CHAT, after=starts[0])
        second = self.socket.subscribe(events, after=starts[1])
        self.server.chaos = 0.05
        self.server.refuse = lambda: 503 if random.random() < 0.2 else 0

        async def publish() -> None:
            for number in range(400):
                self.server.publish(CHAT.name, "chat:message")
                if number % 3 == 0:
                    self.server.publish(events.name, "event:new")
                if number % 50 == 25:
                    self.server.cut()
                await asyncio.sleep(random.random() * 0.004)
            self.server.chaos = 0

        async def read(subscription: Any, count: int) -> list[str]:
            items = [await subscription.__anext__() for _ in range(count)]
            self.assertFalse([item for item in items if isinstance(item, Gap)])
            return [item["id"] for item in items]

        reading = asyncio.gather(publish(), read(first, 400), read(second, 134))
        _, first_ids, second_ids = await asyncio.wait_for(reading, 60)
        self.assertEqual(first_ids, self.server.ids(CHAT.name)[1:])
        self.assertEqual(second_ids, self.server.ids(events.name)[1:])
        self.assertGreater(self.server.upgrades, 10)
        cursors = {frame.get("after") for frame in self.server.received if frame.get("channel") == CHAT.name}
        self.assertGreater(len(cursors), 5)

    async def test_subscription_hands_a_gap_when_events_may_be_missing(self) -> None:
        async with self.socket.subscribe(CHAT) as subscription:
            self.server.cut()
            self.assertEqual(await anext(subscription), Gap(CHAT.name, None, "no_position"))
            last = self.server.publish(CHAT.name, "chat:message")
            event = await anext(subscription)
            assert not isinstance(event, Gap)
            self.assertEqual((event["id"], subscription.position), (last, last))
            self.server.logs[CHAT.name].clear()
            self.server.cut()
            self.assertEqual(await anext(subscription), Gap(CHAT.name, last, "expired"))
            self.assertIsNone(subscription.position)

    async def test_subscription_resumes_after_the_last_event_of_the_log(self) -> None:
        channel = channels.ext_storage(ACCOUNT)
        async with self.socket.subscribe(channel) as subscription:
            logged = self.server.publish(channel.name, "storage:updated")
            self.server.publish(channel.name, "ext:push", is_logged=False)
            await anext(subscription)
            await anext(subscription)
            self.assertEqual(subscription.position, logged)

    async def test_slow_iterator_gets_the_events_from_the_log(self) -> None:
        start = self.server.publish(CHAT.name, "chat:message")
        subscription = self.socket.subscribe(CHAT, after=start)
        await subscription.ready()
        count = MAX_WAITING + 500
        for _ in range(count):
            self.server.publish(CHAT.name, "chat:message")
        await eventually(lambda: subscription.is_overflowing)
        items = [await anext(subscription) for _ in range(100)]
        # There is room for it, but events before it are missing still.
        self.server.publish(CHAT.name, "chat:message")
        await asyncio.sleep(0.05)
        items += [await anext(subscription) for _ in range(count - 99)]
        ids = [item["id"] for item in items if not isinstance(item, Gap)]
        self.assertEqual(ids, self.server.ids(CHAT.name)[1:])

    async def test_close_codes_end_the_socket_renew_its_token_or_let_it_rest(self) -> None:
        for code, reason in ((4002, "token revoked"), (4008, "rate limit"), (4001, "token expired")):
            async with self.make() as socket:
                subscription = socket.subscribe(CHAT)
                await subscription.ready()
                await self.server.close(code, reason)
                with self.assertRaises(SubscriptionEnded) as caught:
                    await anext(subscription)
                self.assertEqual((caught.exception.code, caught.exception.message), (str(code), reason))
        asked: list[bool] = []

        async def token(expired: bool) -> str:
            asked.append(expired)
            return "lm_new" if expired else "lm_old"

        async with self.make(token) as socket:
            subscription = socket.subscribe(CHAT)
            await subscription.ready()
            self.server.publish(CHAT.name, "chat:message")
            await anext(subscription)
            await self.server.close(4001, "token expired")
            await eventually(lambda: self.server.tokens[-1] == "Bearer lm_new")
            self.server.publish(CHAT.name, "chat:message")
            self.assertNotIsInstance(await anext(subscription), Gap)
            self.assertEqual(asked, [False, True])
            subscription.close()
            upgrades = self.server.upgrades
            await self.server.close(4008, "no subscription")
            await asyncio.sleep(0.1)
            self.assertEqual(self.server.upgrades, upgrades)
            await socket.subscribe(CHAT).ready()

    async def test_refused_handshakes_end_the_socket_by_their_status(self) -> None:
        self.server.refuse = lambda: 401
        with self.assertRaises(SubscriptionEnded) as caught:
            await self.socket.subscribe(CHAT).ready()
        self.assertEqual(caught.exception.code, "401")
        statuses = [503, 429, 401]
        self.server.refuse = lambda: statuses.pop(0) if statuses else 0
        renewing: TokenSource = lambda expired: "lm_new" if expired else "lm_old"
        async with self.make(renewing) as socket:
            await socket.subscribe(CHAT).ready()
        self.assertEqual(self.server.tokens[-1], "Bearer lm_new")

    async def test_subscription_ends_by_refusals_and_reasons_and_repeats_what_passes(self) -> None:
        def refuse(code: str, times: int) -> Callable[[Frame], Frame | None]:
            left = [times]

            def answer(frame: Frame) -> Frame | None:
                if frame["type"] != "subscribe" or not left[0]:
                    return None
                left[0] -= 1
                return {"type": "error", "code": code, "message": "no", "request_id": frame["request_id"]}

            return answer

        self.server.special = refuse("UNAUTHORIZED", 1)
        with self.assertRaises(SubscriptionEnded):
            await self.socket.subscribe(CHAT).ready()
        self.server.special = refuse("INTERNAL_SERVER_ERROR", 3)
        subscription = self.socket.subscribe(CHAT)
        await subscription.ready()
        self.server.send({"type": "unsubscribed", "channel": CHAT.name, "reason": "permission_revoked"})
        with self.assertRaises(SubscriptionEnded) as caught:
            await anext(subscription)
        self.assertEqual(caught.exception.code, "permission_revoked")

    async def test_calls_and_broadcasts_are_answered_refused_or_lost_with_their_connection(self) -> None:
        self.assertEqual(await self.socket.call(ACCOUNT, "hello"), {"called": "hello"})
        editor = channels.overlay_editor(ACCOUNT)
        await self.socket.broadcast(editor, "presence:cursor", {"x": 1})

        def refuse(frame: Frame) -> Frame | None:
            if frame["type"] == "call":
                return {"type": "pong"}
            return {"type": "error", "code": "FORBIDDEN", "message": "no", "request_id": frame["request_id"]}

        self.server.special = refuse
        with self.assertRaises(RequestError) as caught:
            await self.socket.broadcast(editor, "presence:cursor", {})
        self.assertEqual(caught.exception.code, "FORBIDDEN")
        lost = asyncio.create_task(self.socket.call(ACCOUNT, "hello"))
        await eventually(lambda: sum(frame["type"] == "call" for frame in self.server.received) == 2)
        self.server.cut()
        with self.assertRaises(RequestError) as caught:
            await lost
        self.assertEqual(caught.exception.code, "CONNECTION_LOST")

    async def test_socket_sends_no_more_frames_than_the_server_allows(self) -> None:
        for number in range(60):
            self.socket.subscribe(channels.chat(f"0190a000-0000-7000-8000-{number:012}"))
        await eventually(lambda: len(self.server.received) == MAX_FRAMES)
        await asyncio.sleep(0.1)
        self.assertEqual(len(self.server.received), MAX_FRAMES)

    async def test_iterator_stops_when_the_subscription_or_the_socket_is_closed(self) -> None:
        subscription = self.socket.subscribe(CHAT)
        await subscription.ready()
        with self.assertRaises(ValueError):
            self.socket.subscribe(CHAT)
        asyncio.get_running_loop().call_later(0.01, subscription.close)
        self.assertEqual([item async for item in subscription], [])
        other = self.socket.subscribe(CHAT)
        await self.socket.close()
        self.assertEqual([item async for item in other], [])
