//! Tips of StreamElements on their way through the inbox (reference/tips.md#tips).

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    inbox::storable,
    money::{is_currency, minor_units},
};
use shared::{Result, schema::webhook_inbox};

/// Name of the platform of tips in the inbox, and prefix of their events.
pub const STREAM_ELEMENTS: &str = "streamelements";
/// Type of the event of a tip.
pub const TIP: &str = "streamelements:tip";
/// Length of the id of a tip, in bytes (reference/tips.md#tips).
const MAX_ID_LENGTH: usize = 128;
/// Length of the name of a tipper, in characters (reference/tips.md#tips).
const MAX_NAME_LENGTH: usize = 200;
/// Length of the message of a tip, in characters (reference/tips.md#tips).
const MAX_MESSAGE_LENGTH: usize = 500;

/// Tip as Lumio stores it: the fields of the catalogue, and nothing else about the tipper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tip {
    /// Account whose token received the tip.
    pub account_id: Uuid,
    /// Id of the tip at StreamElements.
    pub tip_id: String,
    /// Name of the tipper.
    pub user_name: Option<String>,
    /// Minor units of the currency.
    pub amount: Option<i64>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// Message of the tipper.
    pub message: Option<String>,
    /// True for a tip that StreamElements emulates.
    #[serde(default)]
    pub is_test: bool,
    /// Time at which the tip began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
}

impl Tip {
    /// Tip in the payload of `channel.tips` or `channel.tips.moderation`. `None` for one that is not paid or
    /// not released by the moderation of the channel, and for a payload that is no tip.
    #[must_use]
    pub fn read(account_id: Uuid, payload: &Value) -> Option<Self> {
        let is = |key: &str, accepted: &str| payload[key].as_str().is_none_or(|state| state == accepted);
        let donation = &payload["donation"];
        if !donation.is_object() || !is("approved", "allowed") || !is("status", "success") {
            return None;
        }
        let tip_id = payload["_id"].as_str().filter(|id| is_id(id))?.to_owned();
        let currency = donation["currency"].as_str().filter(|text| is_currency(text));
        let amount = match &donation["amount"] {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) => Some(text.clone()),
            _ => None,
        };
        let time = |key: &str| DateTime::parse_from_rfc3339(payload[key].as_str()?).ok();
        Some(Self {
            account_id,
            tip_id,
            user_name: bounded(&donation["user"]["username"], MAX_NAME_LENGTH),
            amount: currency.and_then(|currency| minor_units(amount.as_deref()?, currency)),
            currency: currency.map(str::to_owned),
            message: bounded(&donation["message"], MAX_MESSAGE_LENGTH),
            is_test: [payload, donation].iter().any(|part| part["isMock"] == true),
            created_at: time("createdAt").map(|at| at.to_utc()),
        })
    }
}

/// Writes a tip to the inbox. Returns the delivery's id if the account has not received the tip before. The
/// caller adds the [`foundation::jobs::HandleDelivery`] job after its commit.
///
/// # Errors
/// A failure of the database.
pub async fn accept_tip(
    connection: &mut AsyncPgConnection,
    tip: &Tip,
    sent_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    Ok(insert_into(webhook_inbox::table)
        .values((
            webhook_inbox::id.eq(shared::id::new()),
            webhook_inbox::platform.eq(STREAM_ELEMENTS),
            webhook_inbox::delivery_id.eq(format!("{}:{}", tip.account_id, tip.tip_id)),
            webhook_inbox::event_type.eq(TIP),
            webhook_inbox::body.eq(storable(serde_json::to_value(tip)?)),
            webhook_inbox::sent_at.eq(sent_at),
            webhook_inbox::received_at.eq(now),
        ))
        .on_conflict((webhook_inbox::platform, webhook_inbox::delivery_id))
        .do_nothing()
        .returning(webhook_inbox::id)
        .get_result(connection)
        .await
        .optional()?)
}

fn is_id(id: &str) -> bool {
    (1..=MAX_ID_LENGTH).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Text without surrounding space, cut; `None` for an empty one.
fn bounded(value: &Value, max: usize) -> Option<String> {
    let text: String = value.as_str()?.trim().chars().take(max).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn payload() -> Value {
        json!({
            "donation": {
                "user": { "username": " Styler ", "geo": "ZZ", "email": "styler@example.com", "channel": "c" },
                "message": "hello", "amount": 4.2, "currency": "USD", "paymentMethod": "scheme",
            },
            "_id": "67b5f39d07ecd4c594e60f73", "channel": "c", "provider": "paypal", "approved": "allowed",
            "status": "success", "createdAt": "2025-02-19T15:07:09.302Z", "transactionId": "2YH79902JR1691017",
        })
    }

    #[test]
    fn tip_keeps_the_fields_of_the_catalogue_only() {
        let account = Uuid::from_u128(1);
        let tip = Tip::read(account, &payload()).unwrap();
        let expected = json!({
            "account_id": account, "tip_id": "67b5f39d07ecd4c594e60f73", "user_name": "Styler", "amount": 420,
            "currency": "USD", "message": "hello", "is_test": false, "created_at": "2025-02-19T15:07:09.302Z",
        });
        assert_eq!(serde_json::to_value(&tip).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Tip>(expected).unwrap(), tip);
    }

    #[test]
    fn tip_that_is_not_paid_or_not_released_is_none() {
        for (key, value) in [
            ("approved", json!("pending")),
            ("approved", json!("rejected")),
            ("status", json!("failed")),
            ("donation", json!(null)),
            ("_id", json!(null)),
            ("_id", json!("")),
            ("_id", json!("with space")),
            ("_id", json!("x".repeat(129))),
        ] {
            let mut other = payload();
            other[key] = value;
            assert_eq!(Tip::read(Uuid::nil(), &other), None, "{key}");
        }
        assert_eq!(Tip::read(Uuid::nil(), &json!([])), None);
    }

    #[test]
    fn tip_is_bounded_and_has_no_amount_without_a_currency() {
        let mut odd = payload();
        odd["donation"] = json!({ "user": { "username": "n".repeat(300) }, "message": "m".repeat(600),
            "amount": "12.5", "currency": "points", "isMock": true });
        let tip = Tip::read(Uuid::nil(), &odd).unwrap();
        assert_eq!((tip.amount, tip.currency, tip.is_test), (None, None, true));
        assert_eq!(tip.user_name.map(|name| name.len()), Some(MAX_NAME_LENGTH));
        assert_eq!(tip.message.map(|text| text.len()), Some(MAX_MESSAGE_LENGTH));
        odd["donation"] = json!({ "amount": "500", "currency": "JPY", "message": "  " });
        let tip = Tip::read(Uuid::nil(), &odd).unwrap();
        assert_eq!((tip.amount, tip.user_name, tip.message), (Some(500), None, None));
    }
}
