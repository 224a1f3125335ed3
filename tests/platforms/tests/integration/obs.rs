//! The stand-in for OBS against the published protocol.

use base64::{Engine, prelude::BASE64_STANDARD};
use futures::{SinkExt, StreamExt};
use platforms_stand_in::obs::{ObsStandIn, Scene, close};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// A client without knowledge of the protocol.
struct Client(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Client {
    async fn connect(obs: &ObsStandIn) -> Self {
        Self(connect_async(format!("ws://{}/", obs.address())).await.unwrap().0)
    }

    /// Connects and identifies with these subscriptions.
    async fn identified(obs: &ObsStandIn, subscriptions: u64) -> Self {
        let mut client = Self::connect(obs).await;
        assert_eq!(client.message().await["op"], 0);
        client.send(1, json!({ "rpcVersion": 1, "eventSubscriptions": subscriptions })).await;
        assert_eq!(client.message().await, json!({ "op": 2, "d": { "negotiatedRpcVersion": 1 } }));
        client
    }

    async fn send(&mut self, op: u64, data: Value) {
        self.send_text(json!({ "op": op, "d": data }).to_string()).await;
    }

    async fn send_text(&mut self, text: String) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn message(&mut self) -> Value {
        match self.0.next().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text).unwrap(),
            other => panic!("no message: {other:?}"),
        }
    }

    /// Code of the close frame that comes next.
    async fn closed(&mut self) -> u16 {
        match self.0.next().await {
            Some(Ok(Message::Close(Some(frame)))) => frame.code.into(),
            other => panic!("no close frame: {other:?}"),
        }
    }

    /// Answer to a request: status code and data.
    async fn ask(&mut self, request_type: &str, data: Value) -> (u64, Value) {
        let mut request = json!({ "requestType": request_type, "requestId": "r" });
        if !data.is_null() {
            request["requestData"] = data;
        }
        self.send(6, request).await;
        loop {
            let message = self.message().await;
            if message["op"] == 7 {
                let answer = &message["d"];
                assert_eq!(
                    (&answer["requestType"], &answer["requestId"]),
                    (&json!(request_type), &json!("r"))
                );
                let status = &answer["requestStatus"];
                assert_eq!(status["result"], status["code"] == 100);
                return (status["code"].as_u64().unwrap(), answer["responseData"].clone());
            }
        }
    }

    /// Type and data of the next event.
    async fn event(&mut self) -> (String, Value) {
        let message = self.message().await;
        assert_eq!(message["op"], 5, "{message}");
        (message["d"]["eventType"].as_str().unwrap().to_owned(), message["d"]["eventData"].clone())
    }
}

/// Proof of a password for the challenge of a `Hello`.
fn proof(hello: &Value, password: &str) -> String {
    let hash = |text: String| BASE64_STANDARD.encode(Sha256::digest(text));
    let text = |key: &str| hello["d"]["authentication"][key].as_str().unwrap().to_owned();
    hash(hash(password.to_owned() + &text("salt")) + &text("challenge"))
}

#[tokio::test]
async fn obs_takes_the_right_password_only() {
    let obs = ObsStandIn::start(Some("secret")).await;
    for (password, code) in [(Some("secret"), None), (Some("other"), Some(4009)), (None, Some(4009))] {
        let mut client = Client::connect(&obs).await;
        let hello = client.message().await;
        let mut identify = json!({ "rpcVersion": 1 });
        if let Some(password) = password {
            identify["authentication"] = proof(&hello, password).into();
        }
        client.send(1, identify).await;
        match code {
            None => assert_eq!(client.message().await["op"], 2),
            Some(code) => assert_eq!(client.closed().await, code),
        }
    }
    obs.set_password(None);
    assert!(Client::connect(&obs).await.message().await["d"].get("authentication").is_none());
}

#[tokio::test]
async fn obs_closes_with_the_code_of_each_violation() {
    let obs = ObsStandIn::start(None).await;
    let request = json!({ "requestType": "GetSceneList", "requestId": "1" });
    for (message, code) in [
        (json!({ "op": 6, "d": request }), close::NOT_IDENTIFIED),
        (json!({ "op": 3, "d": {} }), close::NOT_IDENTIFIED),
        (json!({ "op": 1 }), close::MISSING_DATA_FIELD),
        (json!({ "op": 1, "d": [] }), close::INVALID_DATA_FIELD_TYPE),
        (json!({ "op": 1, "d": {} }), close::MISSING_DATA_FIELD),
        (json!({ "op": 1, "d": { "rpcVersion": "1" } }), close::INVALID_DATA_FIELD_TYPE),
        (json!({ "op": 1, "d": { "rpcVersion": 2 } }), close::UNSUPPORTED_RPC_VERSION),
        (json!({ "op": 1, "d": { "rpcVersion": 1, "extra": 1 } }), close::UNKNOWN_REASON),
        (json!({ "op": 1, "d": { "rpcVersion": 1 }, "extra": 1 }), close::UNKNOWN_REASON),
        (json!({ "op": "1", "d": { "rpcVersion": 1 } }), close::UNKNOWN_OP_CODE),
    ] {
        let mut client = Client::connect(&obs).await;
        client.message().await;
        client.send_text(message.to_string()).await;
        assert_eq!(client.closed().await, code, "{message}");
    }
    for (op, data, code) in [
        (1, json!({ "rpcVersion": 1 }), close::ALREADY_IDENTIFIED),
        (0, json!({}), close::UNKNOWN_OP_CODE),
        (42, json!({}), close::UNKNOWN_OP_CODE),
        (6, json!({ "requestType": "GetSceneList" }), close::MISSING_DATA_FIELD),
        (6, json!({ "requestId": "1" }), close::MISSING_DATA_FIELD),
        (6, json!({ "requestType": 1, "requestId": "1" }), close::INVALID_DATA_FIELD_TYPE),
        (6, json!({ "requestType": "a", "requestId": "1", "request-type": "b" }), close::UNKNOWN_REASON),
        (3, json!({ "eventSubscriptions": -1 }), close::INVALID_DATA_FIELD_TYPE),
    ] {
        let mut client = Client::identified(&obs, 0).await;
        client.send(op, data.clone()).await;
        assert_eq!(client.closed().await, code, "{op} {data}");
    }
    let mut client = Client::connect(&obs).await;
    client.message().await;
    client.send_text("{".into()).await;
    assert_eq!(client.closed().await, close::MESSAGE_DECODE_ERROR);
    let mut client = Client::connect(&obs).await;
    client.message().await;
    client.0.send(Message::binary(vec![1])).await.unwrap();
    assert_eq!(client.closed().await, close::MESSAGE_DECODE_ERROR);
    assert_eq!(obs.violations().len(), 20);
    while obs.sessions() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn obs_answers_requests_and_changes_its_state() {
    let obs = ObsStandIn::start(None).await;
    let mut client = Client::identified(&obs, 0).await;
    let (code, scenes) = client.ask("GetSceneList", Value::Null).await;
    assert_eq!((code, &scenes["currentProgramSceneName"]), (100, &json!("Game")));
    let place =
        |index: usize| (&scenes["scenes"][index]["sceneName"], &scenes["scenes"][index]["sceneIndex"]);
    assert_eq!([place(0), place(1)], [(&json!("Break"), &json!(0)), (&json!("Game"), &json!(1))]);
    assert_eq!(
        client.ask("SetCurrentProgramScene", json!({ "sceneName": "Break" })).await,
        (100, Value::Null)
    );
    assert_eq!(obs.current_scene(), "Break");
    let item = json!({ "sceneName": "Game", "sourceName": "Screen" });
    assert_eq!(client.ask("GetSceneItemId", item).await, (100, json!({ "sceneItemId": 2 })));
    let hide = json!({ "sceneName": "Game", "sceneItemId": 2, "sceneItemEnabled": false });
    assert_eq!(client.ask("SetSceneItemEnabled", hide).await, (100, Value::Null));
    assert_eq!(
        (obs.is_visible("Game", "Screen"), obs.is_visible("Game", "Camera")),
        (Some(false), Some(true))
    );
    for (request_type, code) in [
        ("StopStream", 501),
        ("StartStream", 100),
        ("StartStream", 500),
        ("StopStream", 100),
        ("StopRecord", 501),
        ("StartRecord", 100),
        ("StartRecord", 500),
        ("StopRecord", 100),
        ("MakeCoffee", 204),
        ("SetCurrentProgramScene", 301),
    ] {
        assert_eq!(client.ask(request_type, Value::Null).await.0, code, "{request_type}");
    }
    for (request_type, data, code) in [
        ("SetCurrentProgramScene", json!({}), 300),
        ("SetCurrentProgramScene", json!({ "sceneName": "" }), 403),
        ("SetCurrentProgramScene", json!({ "sceneName": "None" }), 600),
        ("SetCurrentProgramScene", json!({ "sceneName": "Camera" }), 602),
        ("SetCurrentProgramScene", json!({ "sceneName": 1 }), 401),
        ("SetCurrentProgramScene", json!({ "sceneName": "Game", "scene": "Game" }), 400),
        ("StartStream", json!({ "sceneName": "Game" }), 400),
        ("GetSceneItemId", json!({ "sceneName": "Game", "sourceName": "None" }), 600),
        (
            "SetSceneItemEnabled",
            json!({ "sceneName": "Game", "sceneItemId": 9, "sceneItemEnabled": true }),
            600,
        ),
    ] {
        assert_eq!(client.ask(request_type, data.clone()).await.0, code, "{request_type} {data}");
    }
    obs.behave(|behaviour| behaviour.is_not_ready = true);
    assert_eq!(client.ask("GetSceneList", Value::Null).await.0, 207);
}

#[tokio::test]
async fn obs_sends_the_events_that_a_client_subscribed_to() {
    let obs = ObsStandIn::start(None).await;
    let (mut scenes, mut outputs) =
        (Client::identified(&obs, 4).await, Client::identified(&obs, 64 | 2).await);
    obs.switch_to("Break");
    obs.switch_to("Break");
    obs.rename_scene("Game", "Play");
    obs.add_scene(Scene::new("Later", &[]));
    obs.set_streaming(true);
    obs.set_recording(true);
    obs.set_paused(true);
    obs.change_collection(vec![Scene::new("Other", &[])]);
    let types = async |client: &mut Client, count: usize| {
        let mut types = Vec::new();
        for _ in 0..count {
            let (event_type, data) = client.event().await;
            types.push(match data["outputState"].as_str() {
                Some(state) => format!("{event_type} {}", state.rsplit('_').next().unwrap()),
                None => event_type,
            });
        }
        types
    };
    let expected = [
        "CurrentProgramSceneChanged",
        "SceneNameChanged",
        "SceneListChanged",
        "SceneCreated",
        "SceneRemoved",
        "SceneRemoved",
        "SceneRemoved",
        "SceneCreated",
        "CurrentProgramSceneChanged",
    ];
    assert_eq!(types(&mut scenes, 9).await, expected);
    let expected = [
        "StreamStateChanged STARTING",
        "StreamStateChanged STARTED",
        "RecordStateChanged STARTING",
        "RecordStateChanged STARTED",
        "RecordStateChanged PAUSED",
        "CurrentSceneCollectionChanging",
        "CurrentSceneCollectionChanged",
    ];
    assert_eq!(types(&mut outputs, 7).await, expected);
    // Events follow the latest subscription.
    scenes.send(3, json!({ "eventSubscriptions": 64 })).await;
    assert_eq!(scenes.message().await["op"], 2);
    obs.switch_to("Other");
    obs.set_streaming(false);
    assert_eq!(scenes.event().await.0, "StreamStateChanged");
}

#[tokio::test]
async fn obs_fails_as_it_is_ordered_to() {
    let obs = ObsStandIn::start(None).await;
    let mut client = Client::identified(&obs, 0).await;
    assert_eq!((obs.sessions(), obs.connections()), (1, 1));
    obs.close_all(close::SESSION_INVALIDATED);
    assert_eq!(client.closed().await, close::SESSION_INVALIDATED);
    let mut client = Client::identified(&obs, 0).await;
    obs.cut_all();
    assert!(matches!(client.0.next().await, Some(Err(_)) | None));
    obs.behave(|behaviour| behaviour.rpc_version = Some(2));
    assert_eq!(Client::connect(&obs).await.message().await["d"]["rpcVersion"], 2);
    obs.behave(|behaviour| behaviour.refuses_upgrades = true);
    assert!(connect_async(format!("ws://{}/", obs.address())).await.is_err());
    assert_eq!(obs.connections(), 4);
}
