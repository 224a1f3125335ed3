//! Payloads for every type of the catalogue.

use chrono::{DateTime, Utc};
use live_model::{EventType, Key, KeyKind};
use serde_json::{Map, Value, json};
use shared::clock::rfc3339;

use super::{
    cast::{Cast, Person},
    dice::Dice,
    words::{LINES, TITLES},
};

/// Payload of an event of the type that `person` causes at a time.
pub(super) fn payload(
    known: &EventType,
    person: &Person,
    cast: &Cast,
    at: DateTime<Utc>,
    dice: &mut Dice,
) -> Map<String, Value> {
    let other = cast.another(person, dice).clone();
    let mut payload = Map::new();
    for key in known.keys {
        payload.insert(key.name.to_owned(), value(known, key, (person, &other), at, dice));
    }
    payload
}

fn value(
    known: &EventType,
    key: &Key,
    (person, other): (&Person, &Person),
    at: DateTime<Utc>,
    dice: &mut Dice,
) -> Value {
    let is_of_another = ["recipient", "moderator", "broadcaster"].iter().any(|of| key.name.starts_with(of));
    let who = if is_of_another { other } else { person };
    match key.kind {
        KeyKind::UserId => json!(who.id),
        KeyKind::UserName => json!(who.name),
        KeyKind::Id => json!(format!("sim-{:08x}", dice.between(0, u64::from(u32::MAX)))),
        KeyKind::Text => json!(dice.pick(&TITLES)),
        KeyKind::Message if dice.happens(25) => Value::Null,
        KeyKind::Message => json!(dice.pick(&LINES)),
        KeyKind::Tier => json!(dice.pick(&["1000", "2000", "3000"])),
        KeyKind::Status => json!(status(known.name)),
        KeyKind::Time => json!(rfc3339(at)),
        KeyKind::Count => json!(count(key.name, dice)),
        KeyKind::Money => json!(dice.between(1, 100) * 50),
        KeyKind::Currency => json!(dice.pick(&["EUR", "USD", "GBP"])),
        KeyKind::Flag => json!(dice.happens(50)),
        KeyKind::List => {
            let choice = |number: u64, votes: u64| json!({ "id": format!("sim-{number}"), "title": format!("Choice {number}"), "votes": votes });
            Value::Array(
                (1..=dice.between(2, 4)).map(|number| choice(number, dice.between(0, 300))).collect(),
            )
        }
    }
}

fn status(event_type: &str) -> &'static str {
    match event_type.rsplit(':').next() {
        Some("reward") => "unfulfilled",
        Some("prediction_lock") => "locked",
        Some("prediction_end") => "resolved",
        Some("poll_end") => "completed",
        _ => "active",
    }
}

/// Number of a usual size.
fn count(key: &str, dice: &mut Dice) -> u64 {
    match key {
        "bits" | "reward_cost" | "value" => dice.between(1, 100) * 100,
        "viewer_count" => dice.between(5, 5000),
        "months" => dice.between(1, 60),
        "level" | "tier" => dice.between(1, 5),
        "amount_micros" => dice.between(1, 100) * 500_000,
        "duration_seconds" => dice.between(1, 6) * 30,
        "duration_ms" => dice.between(90_000, 300_000),
        _ => dice.between(1, 100),
    }
}
