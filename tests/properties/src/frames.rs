//! Frames of the WebSocket protocol: bytes into messages, messages into requests.

use std::collections::BTreeMap;

use realtime::{
    frames::{Decoder, Received},
    protocol::{Call, ClientFrame, MAX_MESSAGE_BYTES, Verb, text_frame},
};
use serde_json::{Value, json, value::RawValue};

/// The header of a frame and its mask.
const MAX_HEADER_LENGTH: usize = 14;

/// The first byte is the number of bytes that arrive at a time; 0 makes the rest the text of a message.
pub fn check(input: &[u8]) {
    let Some((&step, bytes)) = input.split_first() else { return };
    if step == 0 {
        if let Ok(text) = std::str::from_utf8(bytes) {
            is_read_or_refused(text);
        }
        return;
    }
    let whole_input = decoded(bytes, bytes.len().max(1));
    let (piecewise, whole) = (decoded(bytes, step.into()), &whole_input);
    assert_eq!(piecewise.len(), whole.len(), "{piecewise:?} and {whole:?}");
    for (one, other) in piecewise.iter().zip(whole) {
        // A frame that breaks two rules is refused for the first that is checked.
        let are_refusals = matches!((one, other), (Received::Violation(_), Received::Violation(_)));
        assert!(
            are_refusals || one == other,
            "how the bytes arrive changes what they say: {one:?}, {other:?}"
        );
    }
    for received in whole_input {
        if let Received::Text(text) = received {
            assert!(text.len() <= MAX_MESSAGE_BYTES, "a message of {} bytes", text.len());
            is_read_or_refused(&text);
        }
    }
}

/// Every message up to the first that is not allowed.
fn decoded(bytes: &[u8], step: usize) -> Vec<Received> {
    let (mut decoder, mut all) = (Decoder::new(), Vec::new());
    for chunk in bytes.chunks(step) {
        decoder.feed(chunk);
        while let Some(received) = decoder.decode() {
            let is_last = matches!(received, Received::Violation(_) | Received::Closed);
            all.push(received);
            if is_last {
                return all;
            }
        }
        let most = 2 * MAX_MESSAGE_BYTES + MAX_HEADER_LENGTH;
        assert!(decoder.buffered() <= most, "{} bytes wait", decoder.buffered());
    }
    all
}

/// A parsed frame parses the same when it is written again; any other gets an error frame.
fn is_read_or_refused(text: &str) {
    match ClientFrame::parse(text) {
        Ok(frame) => {
            let again = written(&frame);
            let read = ClientFrame::parse(&again).unwrap_or_else(|refusal| panic!("{again}: {refusal:?}"));
            assert_eq!(meaning(&read), meaning(&frame), "{text}");
        }
        Err(refusal) => {
            let answer = serde_json::to_string(&refusal.frame()).expect("a refusal has a JSON form");
            assert!(text_frame(&answer).len() > answer.len());
            // As text: a request's id is echoed as it was written, also where it names no character.
            let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&answer).expect("an object");
            assert_eq!(fields["type"].get(), "\"error\"");
            assert!(fields["message"].get().len() > 2, "{answer}");
        }
    }
}

fn written(frame: &ClientFrame) -> String {
    let raw =
        |text: &RawValue| serde_json::from_str::<Box<RawValue>>(text.get()).expect("JSON as it was read");
    let mut fields: Vec<(&str, Box<RawValue>)> = Vec::new();
    let mut add =
        |name, value: Value| fields.push((name, serde_json::value::to_raw_value(&value).expect("JSON")));
    match &frame.verb {
        Verb::Subscribe { channel, after } => {
            add("type", json!("subscribe"));
            add("channel", json!(channel));
            if let Some(after) = after {
                add("after", json!(after));
            }
        }
        Verb::Unsubscribe { channel } => {
            add("type", json!("unsubscribe"));
            add("channel", json!(channel));
        }
        Verb::Broadcast { channel, event_type, data } => {
            add("type", json!("broadcast"));
            add("channel", json!(channel));
            add("event_type", json!(event_type));
            add("data", data.clone());
        }
        Verb::Call { channel, call } => {
            add("type", json!("call"));
            add("channel", json!(channel));
            match call {
                Call::Function { name, args } => {
                    add("function", json!(name));
                    add("args", args.clone());
                }
                Call::StorageSet { value } => add("storage_set", value.clone()),
            }
        }
        Verb::Ping { ts } => {
            add("type", json!("ping"));
            if let Some(ts) = ts {
                fields.push(("ts", raw(ts)));
            }
        }
    }
    if let Some(request_id) = &frame.request_id {
        fields.push(("request_id", raw(request_id)));
    }
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// A frame in a form that can be compared.
fn meaning(frame: &ClientFrame) -> String {
    let verb = match &frame.verb {
        Verb::Broadcast { channel, event_type, data } => {
            format!("broadcast {channel:?} {event_type:?} {}", without_fractions(data))
        }
        Verb::Call { channel, call: Call::Function { name, args } } => {
            format!("call {channel:?} {name:?} {}", without_fractions(args))
        }
        Verb::Call { channel, call: Call::StorageSet { value } } => {
            format!("set {channel:?} {}", without_fractions(value))
        }
        other => format!("{other:?}"),
    };
    format!("{:?} {verb}", frame.request_id.as_deref().map(RawValue::get))
}

/// The last digit of a fraction is not kept when JSON is read.
fn without_fractions(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => json!("a fraction"),
        Value::Array(items) => items.iter().map(without_fractions).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), without_fractions(value))).collect()
        }
        other => other.clone(),
    }
}
