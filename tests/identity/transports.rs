//! Transports of credentials: the places in a request where each kind is accepted
//! (reference/credentials.md#transports).

use api_core::token::TokenKind;
use lumio_tests::{Answer, Caller, SocketRequest, TestApp};
use reqwest::Method;
use serde_json::json;
use shared::id;

use super::text;

/// Kind of credential: the places that accept it, and the refusal where it is known but may not call.
struct Kind {
    name: &'static str,
    caller: Caller,
    /// `Authorization: Bearer`, `?token=`, the popout cookie.
    rest: [bool; 3],
    /// Header and query of a socket.
    socket: [bool; 2],
    may_call: bool,
}

async fn kinds(app: &TestApp) -> Vec<Kind> {
    let owner = app.owner().await;
    let account = owner.account_id;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let body = json!({ "token": popout.token() });
    let exchanged = app.anonymous().post("/v1/auth/popout/exchange", body).await;
    let popout_session = app.bearer(text(exchanged.data(), "/token"));
    let issued = owner.post("/v1/auth/ws-token", json!({})).await;
    let ws_token = app.bearer(text(issued.data(), "/ws_token"));
    let issued = popout_session.post("/v1/auth/popout/ws-token", json!({})).await;
    let popout_ws_token = app.bearer(text(issued.data(), "/ws_token"));
    let subject = id::new().to_string();
    let surface = |kind| app.surface_token(kind, account, &subject, None);
    let kind = |name, caller, rest, socket, may_call| Kind { name, caller, rest, socket, may_call };
    let (header, header_and_query) = ([true, false, false], [true, true, false]);
    vec![
        kind("session", owner.caller.clone(), header, [true, true], true),
        kind("personal key", app.personal_key(&owner, &["chat:read"]).await, header, [true, false], true),
        kind("service key", app.service_key(account, &["chat:read"]).await, header, [true, false], true),
        kind("system key", app.system_key().await, header, [true, false], false),
        kind("popout", popout, header_and_query, [true, true], true),
        kind("popout session", popout_session, [true, false, true], [true, true], true),
        kind("overlay", surface(TokenKind::Overlay).await, header_and_query, [true, true], false),
        kind("share", surface(TokenKind::Share).await, header_and_query, [true, true], false),
        kind("widget", surface(TokenKind::Widget).await, header, [true, true], false),
        kind("extension", surface(TokenKind::Extension).await, header, [true, true], false),
        kind("ws token", ws_token, [false; 3], [true, true], false),
        kind("popout ws token", popout_ws_token, [false; 3], [true, true], false),
    ]
}

#[tokio::test]
async fn transports_accept_each_credential_only_in_its_places() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let path = "/v1/tokens/me";
    let query = json!({ "query": "{ myPermissions { tokenType } }" });
    for kind in kinds(&app).await {
        let token = kind.caller.token();
        let by_query = format!("{path}?token={token}");
        let cookie = format!("service-popout-token={token}");
        let gql_by_query = format!("/v1/gql?token={token}");
        let with_cookie = |method, path| anonymous.request(method, path).header("cookie", cookie.clone());
        let asked = [
            (kind.caller.get(path).await, kind.caller.post("/v1/gql", query.clone()).await),
            (anonymous.get(&by_query).await, anonymous.post(&gql_by_query, query.clone()).await),
            (
                anonymous.send(with_cookie(Method::GET, path)).await,
                anonymous.send(with_cookie(Method::POST, "/v1/gql").json(&query)).await,
            ),
        ];
        for ((taken, (rest, graphql)), place) in
            kind.rest.iter().zip(asked).zip(["header", "query", "cookie"])
        {
            check(&kind, place, *taken, &rest);
            check(&kind, place, *taken, &graphql);
        }
        let requests =
            [SocketRequest::to(app.url()).bearer(token), SocketRequest::to(app.url()).query(token)];
        for (taken, request) in kind.socket.iter().zip(requests) {
            let answer = request.try_connect().await;
            assert_eq!(answer.is_ok(), *taken, "{}: {request:?}", kind.name);
            if let Err(refused) = answer {
                assert_eq!((refused.status, &refused.body["error"]), (401, &json!("UNAUTHORIZED")));
            }
        }
    }
}

#[track_caller]
fn check(kind: &Kind, place: &str, taken: bool, answer: &Answer) {
    let place = format!("{} in the {place}", kind.name);
    match (taken, kind.may_call) {
        (true, true) => {
            assert_eq!(
                (answer.status, answer.body["errors"].is_null()),
                (200, true),
                "{place}: {}",
                answer.text
            );
        }
        (true, false) => {
            let known = ("FORBIDDEN".to_owned(), "This token cannot call the API".to_owned());
            assert_eq!(answer.error(), known, "{place}");
        }
        (false, _) => {
            let unknown = ("UNAUTHORIZED".to_owned(), "Invalid or expired token".to_owned());
            assert_eq!(answer.error(), unknown, "{place}");
        }
    }
}

#[tokio::test]
async fn transports_prefer_the_header_to_the_query_to_the_cookie() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let other = app.popout(&owner, &["chat:read", "chat:write"]).await;
    let exchanged = app.anonymous().post("/v1/auth/popout/exchange", json!({ "token": other.token() })).await;
    let cookie = format!("service-popout-token={}", text(exchanged.data(), "/token"));
    let path = format!("/v1/tokens/me?token={}", popout.token());
    let asked = async |caller: &Caller, path: &str| {
        let answer = caller.send(caller.request(Method::GET, path).header("cookie", cookie.clone())).await;
        answer.data()["token_type"]
            .as_str()
            .map(str::to_owned)
            .zip(answer.data()["permissions"].as_array().map(Vec::len))
    };
    let (kind, held) = asked(&owner, &path).await.unwrap();
    assert!(kind == "session" && held > 100);
    assert_eq!(asked(&app.anonymous(), &path).await, Some(("popout".to_owned(), 1)));
    assert_eq!(asked(&app.anonymous(), "/v1/tokens/me").await, Some(("popout".to_owned(), 2)));
    // An invalid credential is not skipped in favor of a valid one.
    let wrong = app.bearer("nonsense");
    wrong.get(&path).await.refused("UNAUTHORIZED", "Invalid or expired token");
    let basic = app.anonymous().request(Method::GET, &path).header("authorization", "Basic eDp5");
    app.anonymous().send(basic).await.refused("UNAUTHORIZED", "Invalid or expired token");
}
