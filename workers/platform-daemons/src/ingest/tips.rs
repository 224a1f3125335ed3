//! Tips of StreamElements: events of the account whose token received them (reference/tips.md#tips).

use diesel::{dsl::exists, prelude::*, select};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::tips::{STREAM_ELEMENTS, TIP, Tip};
use shared::{Result, catalogue::Feature, schema::se_tokens};
use uuid::Uuid;

use super::{inbox::Delivery, reports::Report};
use crate::PlatformContext;

/// Reads a tip: the tip's id names the event, whichever message reports it. The error is the outcome of a
/// delivery without an effect.
pub(super) async fn report(
    context: &PlatformContext,
    delivery: &Delivery,
) -> Result<std::result::Result<Report, &'static str>> {
    let tip: Tip = match serde_json::from_value(delivery.body.clone()) {
        Ok(tip) => tip,
        Err(error) => {
            tracing::warn!(inbox_id = %delivery.id, %error, "a tip is not readable");
            return Ok(Err("unreadable"));
        }
    };
    if !has_token(&mut *context.databases.postgres.get().await?, tip.account_id).await? {
        return Ok(Err("unconnected"));
    }
    Ok(Ok(Report {
        account_id: tip.account_id,
        service: STREAM_ELEMENTS,
        event_type: TIP,
        feature: Feature::Streamelements,
        source: format!("tip:{}", tip.tip_id),
        // A tip may wait for the moderation of its channel. It happens when it is released.
        occurred_at: None,
        begun_at: tip.created_at,
        user_id: None,
        user_name: tip.user_name,
        amount: tip.amount,
        currency: tip.currency,
        message: tip.message,
        is_test: tip.is_test,
    }))
}

/// True while the account has a token: what arrives after the last one was deleted has no effect.
async fn has_token(connection: &mut AsyncPgConnection, account: Uuid) -> Result<bool> {
    let tokens = se_tokens::table.filter(se_tokens::account_id.eq(account));
    Ok(select(exists(tokens)).get_result(connection).await?)
}
