//! The gateway of StreamElements against the published protocol (<https://docs.streamelements.com/websockets>), without
//! Lumio's client.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use platforms_stand_in::{
    StandIn,
    stream_elements::{Channel, MODERATION, NewToken, TIPS, tip},
};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message},
};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

fn address(stand_in: &StandIn) -> String {
    format!("{}/streamelements/gateway", stand_in.url().replacen("http", "ws", 1))
}

async fn connect(address: &str) -> Socket {
    connect_async(address).await.unwrap().0
}

/// Next JSON message; `None` at the end of the connection.
async fn next(socket: &mut Socket) -> Option<Value> {
    loop {
        match socket.next().await?.ok()? {
            Message::Text(text) => return Some(serde_json::from_str(&text).unwrap()),
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

async fn welcomed(stand_in: &StandIn) -> Socket {
    let mut socket = connect(&address(stand_in)).await;
    let welcome = next(&mut socket).await.unwrap();
    assert_eq!(welcome["type"], "welcome");
    assert!(welcome["data"]["client_id"].is_string() && welcome["ts"].is_string());
    socket
}

async fn ask(socket: &mut Socket, request: &Value) -> Value {
    socket.send(Message::text(request.to_string())).await.unwrap();
    next(socket).await.unwrap()
}

fn subscribe(topic: &str, room: &str, token: &str, token_type: &str) -> Value {
    json!({ "type": "subscribe", "nonce": "n",
        "data": { "topic": topic, "room": room, "token": token, "token_type": token_type } })
}

/// Code and text of a refusal.
fn refusal(response: &Value) -> (&str, &str) {
    assert_eq!(response["type"], "response");
    (response["error"].as_str().unwrap_or_default(), response["data"]["message"].as_str().unwrap_or_default())
}

async fn stage() -> (StandIn, Channel, String) {
    let stand_in = StandIn::start().await;
    let channel = stand_in.stream_elements_channel("ada");
    let token = stand_in.stream_elements_token(&channel, &NewToken::jwt());
    (stand_in, channel, token)
}

#[tokio::test]
async fn stream_elements_reports_the_tips_of_subscribed_rooms() {
    let (stand_in, channel, token) = stage().await;
    let mut socket = welcomed(&stand_in).await;
    let response = ask(&mut socket, &subscribe(TIPS, &channel.id, &token, "jwt")).await;
    assert_eq!((&response["type"], &response["nonce"]), (&json!("response"), &json!("n")));
    let data = json!({ "message": "successfully subscribed to topic", "topic": TIPS, "room": channel.id });
    assert_eq!((&response["data"], response.get("error")), (&data, None));

    let payload = tip(&channel, "Styler", &json!(4.2), "USD", "");
    assert_eq!(stand_in.send_stream_elements(&channel, TIPS, &payload, 1), 1);
    let message = next(&mut socket).await.unwrap();
    assert_eq!((&message["topic"], &message["room"]), (&json!(TIPS), &json!(channel.id)));
    assert_eq!((&message["type"], &message["data"]), (&json!("message"), &payload));
    assert_eq!(stand_in.send_stream_elements(&channel, MODERATION, &payload, 1), 0, "not subscribed");

    let unsubscribe = json!({ "type": "unsubscribe", "data": { "topic": TIPS } });
    let response = ask(&mut socket, &unsubscribe).await;
    assert_eq!((response.get("nonce"), response.get("error")), (None, None));
    assert_eq!(stand_in.send_stream_elements(&channel, TIPS, &payload, 1), 0);
    let response = ask(&mut socket, &unsubscribe).await;
    assert_eq!(refusal(&response), ("err_bad_request", "not subscribed to the topic"));
}

#[tokio::test]
async fn stream_elements_refuses_requests_that_are_not_published() {
    let (stand_in, channel, token) = stage().await;
    let mut socket = welcomed(&stand_in).await;
    let good = subscribe(TIPS, &channel.id, &token, "jwt");
    let with = |pointer: &str, value: Value| {
        let mut request = good.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        request.pointer_mut(parent).unwrap()[name] = value;
        request
    };
    for (request, code, message) in [
        (json!([]), "err_bad_request", "the request is not a JSON object"),
        (json!({}), "invalid_message_type", "unknown type ``"),
        (with("/type", json!("authenticate")), "invalid_message_type", "unknown type `authenticate`"),
        (with("/topic", json!(TIPS)), "err_bad_request", "unknown field `topic`"),
        (with("/data/channel", json!("c")), "err_bad_request", "unknown field `channel`"),
        (with("/data/topic", json!(null)), "err_bad_request", "topic must be a string"),
        (with("/data/topic", json!("channel.tip")), "err_bad_request", "invalid topic"),
        (with("/data/token_type", json!("oauth")), "err_bad_request", "token_type must be jwt or apikey"),
        (with("/nonce", json!(1)), "err_bad_request", "nonce must be a string"),
        (json!({ "type": "subscribe", "data": {} }), "err_bad_request", "topic is required"),
        (json!({ "type": "subscribe", "data": { "topic": TIPS } }), "err_bad_request", "token is required"),
        (with("/type", json!("unsubscribe")), "err_bad_request", "unknown field `token`"),
        (
            json!({ "type": "unsubscribe", "data": { "topic": TIPS, "room": channel.id } }),
            "err_bad_request",
            "not subscribed to the topic",
        ),
    ] {
        let response = ask(&mut socket, &request).await;
        assert_eq!(refusal(&response), (code, message), "{request}");
    }
    socket.send(Message::text("{")).await.unwrap();
    let response = next(&mut socket).await.unwrap();
    assert_eq!(refusal(&response).0, "err_bad_request");
    assert_eq!(stand_in.stream_elements_subscriptions(), []);
}

#[tokio::test]
async fn stream_elements_refuses_tokens_without_the_right() {
    let (stand_in, channel, token) = stage().await;
    let other = stand_in.stream_elements_channel("bob");
    let weak = stand_in.stream_elements_token(&channel, &NewToken::jwt().with_scopes(&["tips:moderation"]));
    let overlay = stand_in.stream_elements_token(&channel, &NewToken::api_key(&["tips:read"]));
    let revoked = stand_in.stream_elements_token(&channel, &NewToken::jwt());
    stand_in.revoke_stream_elements_token(&revoked);
    let mut socket = welcomed(&stand_in).await;
    for (topic, room, token, token_type, message) in [
        (TIPS, &channel.id, "unknown", "jwt", "authentication failed"),
        (TIPS, &channel.id, &*revoked, "jwt", "authentication failed"),
        (TIPS, &channel.id, &*token, "apikey", "authentication failed"),
        (TIPS, &channel.id, &*overlay, "jwt", "authentication failed"),
        (TIPS, &channel.id, &*weak, "jwt", "permission denied"),
        (MODERATION, &channel.id, &*overlay, "apikey", "permission denied"),
        (TIPS, &other.id, &*token, "jwt", "permission denied"),
        (TIPS, &String::new(), &*token, "jwt", "permission denied"),
    ] {
        let response = ask(&mut socket, &subscribe(topic, room, token, token_type)).await;
        assert_eq!(refusal(&response), ("err_unauthorized", message), "{topic} {room} {token_type}");
    }
    let response = ask(&mut socket, &subscribe(TIPS, &channel.id, &overlay, "apikey")).await;
    assert_eq!(response.get("error"), None);
    let response = ask(&mut socket, &subscribe(MODERATION, &channel.id, &weak, "jwt")).await;
    assert_eq!(response.get("error"), None);
}

#[tokio::test]
async fn stream_elements_has_subscriptions_of_several_tokens_on_one_connection() {
    let (stand_in, channel, token) = stage().await;
    let other = stand_in.stream_elements_channel("bob");
    let overlay = stand_in.stream_elements_token(&other, &NewToken::api_key(&["tips:read"]));
    let second = stand_in.stream_elements_token(&channel, &NewToken::jwt());
    let mut socket = welcomed(&stand_in).await;
    let refused = Some("err_unauthorized");
    for (nonce, room, token, token_type, error) in [
        ("1", &channel.id, &*token, "jwt", None),
        ("2", &channel.id, "unknown", "jwt", refused),
        ("3", &other.id, &*overlay, "apikey", None),
        ("4", &other.id, &*token, "jwt", refused),
        ("5", &channel.id, &*second, "jwt", None),
    ] {
        let mut request = subscribe(TIPS, room, token, token_type);
        request["nonce"] = json!(nonce);
        let response = ask(&mut socket, &request).await;
        assert_eq!((&response["nonce"], response["error"].as_str()), (&json!(nonce), error));
    }
    let of = |channel: &Channel| (TIPS.to_owned(), channel.id.clone());
    assert_eq!(stand_in.stream_elements_subscriptions(), [of(&channel), of(&other)]);
    for channel in [&channel, &other] {
        let payload = tip(channel, "Styler", &json!(5), "EUR", "hi");
        assert_eq!(stand_in.send_stream_elements(channel, TIPS, &payload, 1), 1);
        let message = next(&mut socket).await.unwrap();
        assert_eq!((&message["room"], &message["data"]), (&json!(channel.id), &payload));
    }
    let unsubscribe = json!({ "type": "unsubscribe", "data": { "topic": TIPS, "room": channel.id } });
    assert_eq!(ask(&mut socket, &unsubscribe).await.get("error"), None);
    assert_eq!(stand_in.stream_elements_subscriptions(), [of(&other)]);
    let counts = stand_in.change_stream_elements(|gateway| (gateway.subscribed, gateway.unsubscribed));
    assert_eq!(counts, (3, 1));
}

#[tokio::test]
async fn stream_elements_refuses_connections_while_it_drains_or_is_busy() {
    let (stand_in, _, _) = stage().await;
    let status = async |address: &str| match connect_async(address).await {
        Err(Error::Http(answer)) => {
            let retry_after =
                answer.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
            (answer.status().as_u16(), retry_after)
        }
        other => panic!("{other:?}"),
    };
    stand_in.change_stream_elements(|gateway| gateway.busy = 1);
    assert_eq!(status(&address(&stand_in)).await, (429, Some("2".to_owned())));
    stand_in.change_stream_elements(|gateway| gateway.is_draining = true);
    assert_eq!(status(&address(&stand_in)).await, (502, None));
    stand_in.change_stream_elements(|gateway| gateway.is_draining = false);
    assert_eq!(status(&format!("{}?token=x", address(&stand_in))).await.0, 400);
    welcomed(&stand_in).await;
}

#[tokio::test]
async fn stream_elements_moves_a_connection_once_with_its_subscriptions() {
    let (stand_in, channel, token) = stage().await;
    let mut socket = welcomed(&stand_in).await;
    ask(&mut socket, &subscribe(TIPS, &channel.id, &token, "jwt")).await;
    stand_in.move_stream_elements();
    let reconnect = next(&mut socket).await.unwrap();
    assert_eq!(reconnect["type"], "reconnect");
    let moved = format!(
        "{}?reconnect_token={}",
        address(&stand_in),
        reconnect["data"]["reconnect_token"].as_str().unwrap()
    );
    let mut second = connect(&moved).await;
    assert_eq!(next(&mut second).await.unwrap()["type"], "welcome");
    drop(socket);
    let payload = tip(&channel, "Styler", &json!(5), "EUR", "hi");
    stand_in.send_stream_elements(&channel, TIPS, &payload, 1);
    assert_eq!(next(&mut second).await.unwrap()["data"], payload);
    for used in [moved, format!("{}?reconnect_token=forged", address(&stand_in))] {
        assert_eq!(next(&mut connect(&used).await).await, None, "closed without a welcome");
    }
}

#[tokio::test]
async fn stream_elements_pings_and_ends_a_connection_without_pongs() {
    let (stand_in, _, _) = stage().await;
    stand_in.change_stream_elements(|gateway| {
        gateway.ping_interval = Duration::from_millis(50);
        gateway.pong_timeout = Duration::from_millis(200);
    });
    let mut socket = welcomed(&stand_in).await;
    let ping = socket.next().await.unwrap().unwrap();
    assert!(ping.is_ping(), "{ping:?}");
    // A socket that is not read answers no ping.
    tokio::time::sleep(Duration::from_millis(600)).await;
    while stand_in.stream_elements_connections() > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn stream_elements_api_names_the_channel_of_a_token() {
    let (stand_in, channel, token) = stage().await;
    let overlay = stand_in.stream_elements_token(&channel, &NewToken::api_key(&["tips:read"]));
    let client = foundation::http::client().unwrap();
    let get = async |authorization: &str| {
        let address = format!("{}/streamelements/api/kappa/v2/channels/me", stand_in.url());
        let answer = client.get(address).header("authorization", authorization).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap()["_id"].clone())
    };
    for accepted in [format!("Bearer {token}"), format!("apikey {overlay}")] {
        assert_eq!(get(&accepted).await, (200, json!(channel.id)));
    }
    for refused in
        [format!("apikey {token}"), format!("Bearer {overlay}"), overlay.clone(), "Bearer x".to_owned()]
    {
        assert_eq!(get(&refused).await, (401, Value::Null), "{refused}");
    }
    stand_in.change_stream_elements(|gateway| gateway.is_api_silent = true);
    let authorization = format!("apikey {overlay}");
    let mut call = std::pin::pin!(get(&authorization));
    let early = tokio::time::timeout(Duration::from_millis(200), &mut call).await;
    assert!(early.is_err(), "{early:?}");
    stand_in.change_stream_elements(|gateway| gateway.is_api_silent = false);
    assert_eq!(call.await, (200, json!(channel.id)));
}
