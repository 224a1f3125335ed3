//! Orders of shops: events of the account that has connected the shop (reference/ingest.md#orders-of-shops).

use std::time::Duration;

use account_model::features;
use chrono::{DateTime, SubsecRound, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::events::id_of_source;
use live_model::{
    AccountEvent, EventRow, EventType, Pushed, RowBuffer, Triggers, announce,
    shop::{ORDER, SHOPIFY, ShopOrder},
    trigger,
};
use serde_json::{Map, Value};
use shared::{
    Error, Result,
    catalogue::Feature,
    schema::{integration_configs as configs, timeseries::events as stored},
};
use uuid::Uuid;

use super::{first_seen::event_first_seen, inbox::Delivery, outcome::Outcome, writer};
use crate::PlatformContext;
use live_model::inbox::SWEEP_WINDOW;

/// Maximum difference between a shop's own time of an order and that of the delivery; beyond it the
/// delivery's time is used.
const MAX_CLOCK_SKEW: chrono::Duration = chrono::Duration::hours(24);
/// Age from which an order is looked up in the stored rows, because the event log may no longer hold it.
const MAX_UNSTORED_AGE: chrono::Duration = chrono::Duration::minutes(10);
/// Minimum delay before the next attempt. Between the minimum and the maximum it is a quarter of the time
/// that the order has waited.
const INITIAL_BACKOFF: Duration = Duration::from_secs(2);
/// Maximum delay before the next attempt.
const MAX_BACKOFF: Duration = Duration::from_secs(120);

/// Outcome of an order's delivery.
pub(super) enum Ordered {
    /// Outcome, and the result of buffering the row.
    Done(Outcome, Option<Pushed>),
    /// Runs again after this time: the time-series database cannot report whether the order is stored.
    Later(Duration),
}

/// Publishes an order to the account, once: the order's id names the event, whichever delivery reports it.
pub(super) async fn order(
    context: &PlatformContext,
    events: &RowBuffer<EventRow>,
    delivery: &Delivery,
) -> Result<Ordered> {
    let order: ShopOrder = match serde_json::from_value(delivery.body.clone()) {
        Ok(order) => order,
        Err(error) => {
            tracing::warn!(inbox_id = %delivery.id, %error, "an order is not readable");
            return Ok(ignored("unreadable"));
        }
    };
    let mut connection = context.databases.postgres.get().await?;
    let Some(account_id) = account(&mut connection, &order.shop).await? else {
        return Ok(ignored("unconnected"));
    };
    for key in [Feature::Shopify.key().to_owned(), features::of_event(ORDER)] {
        if !features::accounts_without(&mut connection, &[account_id], &key).await?.is_empty() {
            return Ok(ignored("switched_off"));
        }
    }
    drop(connection);
    let source = format!("{}:order:{}", order.shop, order.order_id);
    let mut occurred_at = occurred_at(context, &order, &source, delivery.sent_at.trunc_subsecs(3)).await?;
    let platform_event_id = format!("{SHOPIFY}:{source}");
    // A shop may deliver an order again days later, when it is paid.
    let is_old = order.created_at.is_none_or(|at| at < context.clock.now() - MAX_UNSTORED_AGE);
    if is_old || delivery.is_reopened {
        match stored_at(context, account_id, &platform_event_id).await {
            // Its handlers may not have run.
            Ok(Some(at)) if delivery.is_reopened && delivery.may_trigger() => occurred_at = at,
            Ok(Some(_)) => return Ok(ignored("handled")),
            Ok(None) => {}
            Err(error) if is_away(&error) => return postpone(delivery, context.clock.now(), error),
            Err(error) => return Err(error),
        }
    }
    let event = AccountEvent {
        id: id_of_source(&format!("{account_id}:{SHOPIFY}:{source}"), occurred_at),
        account_id,
        event_type: ORDER.to_owned(),
        platform: Some(SHOPIFY.to_owned()),
        platform_user_id: order.user_id.clone(),
        username: None,
        display_name: order.user_name.clone(),
        avatar_url: None,
        amount: order.amount,
        currency: order.currency.clone(),
        message: None,
        data: data(&delivery.body),
        is_test: false,
        occurred_at,
    };
    if !delivery.is_reopened {
        announce(&context.events, &event).await?;
    }
    trigger(&context.jobs, &event, Triggers::Run { channel_id: None }).await?;
    let row = EventRow { event, platform_event_id };
    let outcome = Outcome { name: "handled", has_triggered: true };
    Ok(Ordered::Done(outcome, Some(events.push(&[row]).await?)))
}

const fn ignored(name: &'static str) -> Ordered {
    Ordered::Done(Outcome::without_triggers(name), None)
}

fn is_away(error: &Error) -> bool {
    match error {
        Error::Pool(_) => true,
        Error::Database(error) => writer::is_away(error),
        _ => false,
    }
}

/// Postpones an order while the database is away. Such an outage is longer than a job's attempts and not the
/// order's fault, so it waits for as long as the sweep adds its job; then it fails.
fn postpone(delivery: &Delivery, now: DateTime<Utc>, error: Error) -> Result<Ordered> {
    let waited = now - delivery.received_at;
    if waited >= SWEEP_WINDOW {
        return Err(error);
    }
    tracing::warn!(inbox_id = %delivery.id, %error, "an order waits for the time-series database");
    let pause = waited.to_std().unwrap_or_default() / 4;
    Ok(Ordered::Later(pause.clamp(INITIAL_BACKOFF, MAX_BACKOFF)))
}

/// Returns the time of the order: the shop's own, else that of the delivery. The first recorded time is kept,
/// because another delivery of the same order may state another.
async fn occurred_at(
    context: &PlatformContext,
    order: &ShopOrder,
    source: &str,
    sent_at: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let ordered_at = order.created_at.filter(|at| (*at - sent_at).abs() <= MAX_CLOCK_SKEW);
    event_first_seen(&context.redis, SHOPIFY, source, ordered_at.map_or(sent_at, |at| at.trunc_subsecs(3)))
        .await
}

/// Returns the time of the stored event, if there is one.
async fn stored_at(
    context: &PlatformContext,
    account_id: Uuid,
    platform_event_id: &str,
) -> Result<Option<DateTime<Utc>>> {
    let same = stored::account_id.eq(account_id).and(stored::platform_event_id.eq(platform_event_id));
    let of_same = stored::table.filter(same).select(stored::occurred_at);
    let mut connection = context.databases.timescaledb.get().await?;
    Ok(of_same.first(&mut *connection).await.optional()?)
}

/// Returns the account that has connected the shop now.
async fn account(connection: &mut AsyncPgConnection, shop: &str) -> Result<Option<Uuid>> {
    Ok(configs::table
        .filter(configs::integration.eq(SHOPIFY).and(configs::external_id.eq(shop)))
        .filter(configs::enabled)
        .select(configs::account_id)
        .first(connection)
        .await
        .optional()?)
}

/// Returns exactly the keys that the catalogue names.
fn data(body: &Value) -> Value {
    let empty = Map::new();
    let given = body.as_object().unwrap_or(&empty);
    let known = EventType::find(ORDER).and_then(|known| known.read(given).ok());
    known.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use diesel::result::{DatabaseErrorKind as Kind, Error as QueryError};

    use super::*;

    #[test]
    fn is_away_excludes_errors_of_a_responding_database() {
        let database_error = |kind, message: &str| {
            Error::Database(QueryError::DatabaseError(kind, Box::new(message.to_owned())))
        };
        assert!(is_away(&Error::Pool("timed out".to_owned())));
        assert!(is_away(&database_error(Kind::ClosedConnection, "connection closed")));
        assert!(is_away(&database_error(Kind::Unknown, "canceling statement due to statement timeout")));
        assert!(!is_away(&database_error(Kind::Unknown, "column \"platform_event_id\" does not exist")));
        assert!(!is_away(&Error::Database(QueryError::NotFound)));
    }
}
