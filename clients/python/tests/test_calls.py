from __future__ import annotations

import json
import unittest
from typing import Any

import httpx

from lumio_client import AsyncClient, Backoff, Client, LumioError, TokenSource, events, is_event, pages
from lumio_client.closing import consequence, of_handshake
from lumio_client.transport import path_of


class Answers:
    """Answers in order, and the requests that got them."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        return self.answers.pop(0)

    def client(self, token: TokenSource = "lm_1") -> Client:
        http = httpx.Client(base_url="https://api.test", transport=httpx.MockTransport(self))
        return Client("https://api.test/", token, http=http)


def answer(body: Any, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


class CallsTest(unittest.TestCase):
    def test_operations_return_bodies_and_raise_any_error_body(self) -> None:
        answers = Answers(
            answer({"data": [], "_links": {"self": "/"}}),
            answer({"error": "VALIDATION_ERROR", "message": "no", "details": {"a": 1}}, 400, X_Request_Id="r-1"),
            answer({"error": {"code": "extension_not_found", "message": "none", "fields": ["a"]}}, 404),
            answer({"error": "Account creation is off", "error_code": "account_creation_disabled"}, 403),
            httpx.Response(502, text="<html>"),
        )
        client = answers.client()
        self.assertEqual(client.rest.channel_connections()["data"], [])
        self.assertEqual(answers.requests[0].headers["Authorization"], "Bearer lm_1")
        self.assertEqual(str(answers.requests[0].url), "https://api.test/v1/connections/channel")
        found = []
        for _ in range(4):
            with self.assertRaises(LumioError) as caught:
                client.rest.channel_connections()
            error = caught.exception
            found.append((error.code, error.status, error.message, dict(error.details), error.request_id))
        self.assertEqual(
            found,
            [
                ("VALIDATION_ERROR", 400, "no", {"a": 1}, "r-1"),
                ("extension_not_found", 404, "none", {"fields": ["a"]}, None),
                ("ACCOUNT_CREATION_DISABLED", 403, "Account creation is off", {}, None),
                ("HTTP_502", 502, "The server answered 502", {}, None),
            ],
        )

    def test_requests_are_repeated_after_429_and_with_a_renewed_token_after_401(self) -> None:
        answers = Answers(
            answer({"error": "UNAUTHORIZED", "message": "no"}, 401),
            answer({"error": "RATE_LIMIT_EXCEEDED", "message": "no"}, 429, Retry_After="0"),
            answer({"data": {}}, 201),
            answer({"error": "REFRESH_COOLDOWN", "message": "no"}, 429, Retry_After="600"),
        )
        client = answers.client(lambda expired: "lm_new" if expired else "lm_old")
        client.rest.create_overlay(body={"name": "Scene"})
        tokens = [request.headers["Authorization"] for request in answers.requests]
        self.assertEqual(tokens, ["Bearer lm_old", "Bearer lm_new", "Bearer lm_new"])
        self.assertEqual([json.loads(request.content) for request in answers.requests], [{"name": "Scene"}] * 3)
        with self.assertRaises(LumioError) as caught:
            client.rest.me()
        self.assertEqual(caught.exception.retry_after, 600)

    def test_parameters_forms_texts_and_empty_answers(self) -> None:
        answers = Answers(answer({"data": {}}, 201), httpx.Response(204), httpx.Response(200, text="type Query"))
        client = answers.client()
        client.rest.create_upload(body={"file": b"x", "purpose": "overlay_asset"})
        self.assertIn(b'name="purpose"\r\n\r\noverlay_asset', answers.requests[0].content)
        client.rest.delete_overlay("a/b")
        self.assertEqual(answers.requests[1].url.raw_path, b"/v1/overlays/a%2Fb")
        self.assertEqual(client.rest.graphql_schema(), "type Query")
        self.assertEqual(path_of("/v1/{a}/x/{b}", "{b}", "é"), "/v1/%7Bb%7D/x/%C3%A9")

    def test_pages_reads_every_page(self) -> None:
        def page(number: int) -> httpx.Response:
            return answer({"data": [{"id": f"e{number}"}], "_links": {}, "_meta": {"page": number, "pages": 3}})

        answers = Answers(page(1), page(2), page(3))
        client = answers.client()
        read = pages(lambda number: client.rest.events(page=number, limit=1))
        self.assertEqual([event["id"] for body in read for event in body["data"]], ["e1", "e2", "e3"])
        self.assertEqual(str(answers.requests[2].url), "https://api.test/v1/events?page=3&limit=1")

    def test_graphql_returns_data_and_raises_the_first_of_its_errors(self) -> None:
        problem = {"message": "no", "extensions": {"code": "FORBIDDEN", "details": {"a": 1}}}
        answers = Answers(
            answer({"data": {"me": {"id": "u"}}}),
            answer({"data": {"me": None}, "errors": [problem]}),
            answer({"error": "UNAUTHORIZED", "message": "no"}, 401),
        )
        client = answers.client()
        self.assertEqual(client.graphql("{ me { id } }"), {"me": {"id": "u"}})
        with self.assertRaises(LumioError) as caught:
            client.graphql("{ me { id } }", {"a": 1})
        error = caught.exception
        self.assertEqual((error.code, error.status, error.data, error.details), ("FORBIDDEN", 200, {"me": None}, {"a": 1}))
        with self.assertRaises(LumioError) as caught:
            client.graphql("{ me { id } }")
        self.assertEqual(caught.exception.code, "UNAUTHORIZED")


class AsyncCallsTest(unittest.IsolatedAsyncioTestCase):
    async def test_operations_are_awaited(self) -> None:
        answers = Answers(
            answer({"error": "UNAUTHORIZED", "message": "no"}, 401),
            answer({"data": [], "_links": {"self": "/"}}),
            answer({"data": {"me": {"id": "u"}}}),
        )

        async def token(expired: bool) -> str:
            return "lm_new" if expired else "lm_old"

        http = httpx.AsyncClient(base_url="https://api.test", transport=httpx.MockTransport(answers))
        async with AsyncClient("https://api.test", token, http=http) as client:
            self.assertEqual((await client.rest.channel_connections())["data"], [])
            self.assertEqual(await client.graphql("{ me { id } }"), {"me": {"id": "u"}})
        self.assertEqual(answers.requests[1].headers["Authorization"], "Bearer lm_new")


class ClosingTest(unittest.TestCase):
    def test_pause_is_any_time_up_to_a_ceiling_that_doubles_to_30_seconds(self) -> None:
        backoff = Backoff(random=lambda: 1)
        self.assertEqual([backoff.pause(attempt) for attempt in (0, 1, 2, 3, 4, 5, 40)], [1, 2, 4, 8, 16, 30, 30])
        self.assertEqual(Backoff(random=lambda: 0).pause(3), 0)

    def test_consequence_follows_the_published_close_codes_and_codes_of_proxies_reconnect(self) -> None:
        for code in (1000, 1001, 1005, 1006, 1011, 1012, 4003):
            self.assertEqual(consequence(code, "", False), "reconnect")
        for code in (1002, 1003, 1007, 1009, 4002):
            self.assertEqual(consequence(code, "", True), "end")
        self.assertEqual([consequence(4001, "", False), consequence(4001, "", True)], ["end", "renew"])
        self.assertEqual(consequence(4008, "rate limit", False), "end")
        self.assertEqual(consequence(4008, "no subscription", False), "rest")

    def test_handshake_is_repeated_unless_the_server_refuses_the_client(self) -> None:
        for status in (None, 408, 429, 500, 503):
            self.assertEqual(of_handshake(status, False, False), "reconnect")
        for status in (400, 403, 404):
            self.assertEqual(of_handshake(status, True, False), "end")
        self.assertEqual([of_handshake(401, True, False), of_handshake(401, True, True)], ["renew", "end"])


class EventsTest(unittest.TestCase):
    def test_is_event_compares_the_type_with_the_class(self) -> None:
        self.assertTrue(is_event({"event_type": "twitch:raid"}, events.EventTwitchRaid))
        self.assertFalse(is_event({"event_type": "kick:raid"}, events.EventTwitchRaid))
        self.assertTrue(is_event({"event_type": "custom:goal"}, events.EventCustom))
        self.assertFalse(is_event({"event_type": "kick:raid"}, events.EventCustom))
