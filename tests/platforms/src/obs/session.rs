//! One connection to the stand-in, by the rules of the protocol.

use std::{sync::Arc, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::{io::AsyncReadExt, net::TcpStream, sync::broadcast::error::RecvError, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, accept_async,
    tungstenite::{Message, protocol::CloseFrame},
};

use super::{Order, Shared, close, requests};
use crate::identifier;

/// Subscription of a client that names none: every category of low volume.
const ALL_SUBSCRIPTIONS: u64 = (1 << 12) - 1;

/// Time after which a close frame is answered.
const CLOSE_DELAY: Duration = Duration::from_millis(100);

/// One connection.
struct Session {
    shared: Arc<Shared>,
    /// Salt and challenge; `None` without a password.
    challenge: Option<(String, String)>,
    password: String,
    is_identified: bool,
    subscriptions: u64,
}

/// Violation that closes the connection: code and text.
struct Violation(u16, String);

/// Holds a connection until one of the two ends it.
pub(super) async fn hold(stream: TcpStream, shared: Arc<Shared>) {
    let behaviour = shared.lock().behaviour.clone();
    if behaviour.refuses_upgrades {
        return;
    }
    // From here on no order is missed.
    let mut orders = shared.orders.subscribe();
    let Ok(mut socket) = accept_async(stream).await else { return };
    let password = shared.lock().password.clone();
    let challenge = password.is_some().then(|| (identifier::token(44), identifier::token(44)));
    let mut session = Session {
        shared: Arc::clone(&shared),
        challenge,
        password: password.unwrap_or_default(),
        is_identified: false,
        subscriptions: 0,
    };
    if !behaviour.says_no_hello {
        let hello = session.hello(behaviour.rpc_version.unwrap_or(1));
        if socket.send(Message::text(hello.to_string())).await.is_err() {
            return;
        }
    }
    loop {
        let out = tokio::select! {
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => session.receive(&text),
                Some(Ok(Message::Binary(_))) => {
                    Err(Violation(close::MESSAGE_DECODE_ERROR, "a binary frame in a session of JSON".into()))
                }
                Some(Ok(Message::Close(_))) => {
                    if ends_early(&mut socket).await {
                        let violation = "the connection ended before its close frame was answered";
                        shared.lock().violations.push(violation.to_owned());
                    }
                    break;
                }
                Some(Err(_)) | None => break,
                Some(Ok(_)) => continue,
            },
            order = orders.recv() => match order {
                Ok(Order::Event(intent, event)) => {
                    let is_wanted = session.is_identified && session.subscriptions & intent as u64 != 0;
                    Ok(is_wanted.then(|| json!({ "op": 5, "d": event })))
                }
                Ok(Order::Text(text)) => {
                    if socket.send(Message::text(text)).await.is_err() {
                        break;
                    }
                    continue;
                }
                Ok(Order::Close(code)) => {
                    end(&mut socket, code, "as ordered").await;
                    break;
                }
                Ok(Order::Cut) | Err(RecvError::Closed | RecvError::Lagged(_)) => break,
            },
        };
        match out {
            Ok(Some(message)) => {
                if socket.send(Message::text(message.to_string())).await.is_err() {
                    break;
                }
            }
            Ok(None) => {}
            Err(Violation(code, reason)) => {
                shared.lock().violations.push(format!("{code}: {reason}"));
                end(&mut socket, code, &reason).await;
                break;
            }
        }
    }
    if session.is_identified {
        shared.lock().sessions -= 1;
    }
}

async fn end(socket: &mut WebSocketStream<TcpStream>, code: u16, reason: &str) {
    let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
    if socket.close(Some(frame)).await.is_ok() {
        // The other side answers with its own close frame.
        let answered = async { while let Some(Ok(_)) = socket.next().await {} };
        drop(timeout(Duration::from_secs(1), answered).await);
    }
}

/// Answers a close frame. True when the other side has not waited for it: OBS counts such a connection as lost.
async fn ends_early(socket: &mut WebSocketStream<TcpStream>) -> bool {
    let has_ended = timeout(CLOSE_DELAY, socket.get_mut().read(&mut [0])).await.is_ok();
    drop(socket.flush().await);
    has_ended
}

impl Session {
    fn hello(&self, rpc_version: u64) -> Value {
        let mut hello = json!({
            "obsStudioVersion": "32.0.0", "obsWebSocketVersion": "5.7.3", "rpcVersion": rpc_version,
        });
        if let Some((salt, challenge)) = &self.challenge {
            hello["authentication"] = json!({ "challenge": challenge, "salt": salt });
        }
        json!({ "op": 0, "d": hello })
    }

    fn receive(&mut self, text: &str) -> Result<Option<Value>, Violation> {
        let message: Value = serde_json::from_str(text)
            .map_err(|error| Violation(close::MESSAGE_DECODE_ERROR, error.to_string()))?;
        known(&message, &["op", "d"])?;
        let op = message["op"]
            .as_u64()
            .ok_or_else(|| Violation(close::UNKNOWN_OP_CODE, format!("op {}", message["op"])))?;
        let data = &message["d"];
        if data.is_null() {
            return Err(Violation(close::MISSING_DATA_FIELD, "`d` is missing".into()));
        }
        if !data.is_object() {
            return Err(Violation(close::INVALID_DATA_FIELD_TYPE, "`d` is not an object".into()));
        }
        if !self.is_identified && op != 1 {
            return Err(Violation(close::NOT_IDENTIFIED, format!("op {op} before Identify")));
        }
        match op {
            1 => self.identify(data),
            3 => self.reidentify(data),
            6 => self.request(data),
            _ => Err(Violation(close::UNKNOWN_OP_CODE, format!("op {op}"))),
        }
    }

    fn identify(&mut self, data: &Value) -> Result<Option<Value>, Violation> {
        if self.is_identified {
            return Err(Violation(close::ALREADY_IDENTIFIED, "Identify came twice".into()));
        }
        known(data, &["rpcVersion", "authentication", "eventSubscriptions"])?;
        if let Some((salt, challenge)) = &self.challenge {
            let hash = |text: String| BASE64_STANDARD.encode(Sha256::digest(text));
            let secret = hash(format!("{}{salt}", self.password));
            if data["authentication"] != hash(format!("{secret}{challenge}")) {
                return Err(Violation(close::AUTHENTICATION_FAILED, "Authentication failed.".into()));
            }
        } else if data.get("authentication").is_some() {
            return Err(Violation(close::UNKNOWN_REASON, "authentication without a challenge".into()));
        }
        match number(data, "rpcVersion")? {
            None => return Err(Violation(close::MISSING_DATA_FIELD, "rpcVersion is missing".into())),
            Some(1) => {}
            Some(other) => return Err(Violation(close::UNSUPPORTED_RPC_VERSION, format!("version {other}"))),
        }
        self.subscriptions = number(data, "eventSubscriptions")?.unwrap_or(ALL_SUBSCRIPTIONS);
        self.is_identified = true;
        self.shared.lock().sessions += 1;
        Ok(Some(json!({ "op": 2, "d": { "negotiatedRpcVersion": 1 } })))
    }

    fn reidentify(&mut self, data: &Value) -> Result<Option<Value>, Violation> {
        known(data, &["eventSubscriptions"])?;
        self.subscriptions = number(data, "eventSubscriptions")?.unwrap_or(ALL_SUBSCRIPTIONS);
        Ok(Some(json!({ "op": 2, "d": { "negotiatedRpcVersion": 1 } })))
    }

    fn request(&self, data: &Value) -> Result<Option<Value>, Violation> {
        known(data, &["requestType", "requestId", "requestData"])?;
        let id = text(data, "requestId")?;
        let request_type = text(data, "requestType")?;
        if data.get("requestData").is_some_and(|given| !given.is_object()) {
            return Err(Violation(close::INVALID_DATA_FIELD_TYPE, "requestData is not an object".into()));
        }
        self.shared.lock().requests.push(request_type.to_owned());
        if self.shared.lock().behaviour.is_silent {
            return Ok(None);
        }
        let mut response = json!({ "requestType": request_type, "requestId": id });
        match requests::answer(&self.shared, request_type, data.get("requestData")) {
            Ok(answer) => {
                response["requestStatus"] = json!({ "result": true, "code": 100 });
                if !answer.is_null() {
                    response["responseData"] = answer;
                }
            }
            Err(requests::Refused(code, comment)) => {
                response["requestStatus"] = json!({ "result": false, "code": code });
                if !comment.is_empty() {
                    response["requestStatus"]["comment"] = comment.into();
                }
            }
        }
        Ok(Some(json!({ "op": 7, "d": response })))
    }
}

/// Refuses fields that the protocol does not name.
fn known(object: &Value, names: &[&str]) -> Result<(), Violation> {
    let fields = object
        .as_object()
        .ok_or_else(|| Violation(close::MESSAGE_DECODE_ERROR, "the message is not an object".into()))?;
    match fields.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(Violation(close::UNKNOWN_REASON, format!("unknown field {name}"))),
        None => Ok(()),
    }
}

fn text<'a>(data: &'a Value, name: &str) -> Result<&'a str, Violation> {
    let value =
        data.get(name).ok_or_else(|| Violation(close::MISSING_DATA_FIELD, format!("{name} is missing")))?;
    value.as_str().ok_or_else(|| Violation(close::INVALID_DATA_FIELD_TYPE, format!("{name} is no string")))
}

fn number(data: &Value, name: &str) -> Result<Option<u64>, Violation> {
    let wrong = || Violation(close::INVALID_DATA_FIELD_TYPE, format!("{name} is no unsigned number"));
    data.get(name).map(|value| value.as_u64().ok_or_else(wrong)).transpose()
}
