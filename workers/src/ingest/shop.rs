//! Orders of shops: an event of the account that has connected the shop (specification C B12.2).

use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Map, Value};
use shared::{
    Error, Result,
    catalogue::Feature,
    db::schema::{integration_configs as configs, timeseries::events as stored},
    events::id_of_source,
    features,
    ingest::{
        AccountEvent, EventRow, EventType, Pushed, RowBuffer, Triggers, announce,
        shop::{ORDER, SHOPIFY, ShopOrder},
        trigger,
    },
};
use uuid::Uuid;

use super::{handle::Outcome, inbox::Delivery, told::first_told, writer};
use crate::{Context, housekeeping::YOUNGER_THAN};

/// A shop's own time of an order is believed when it is this close to that of the delivery.
const BELIEVED: chrono::Duration = chrono::Duration::hours(24);
/// What was told so long ago is stored, and more has been told since than the event log remembers, perhaps.
const STORED_AFTER: chrono::Duration = chrono::Duration::minutes(10);
/// How long it is not asked again at least and at most. In between it is a quarter of the time that it has been away.
const INITIAL_BACKOFF: Duration = Duration::from_secs(2);
const MAX_BACKOFF: Duration = Duration::from_secs(120);

/// What a delivery of an order comes to.
pub(super) enum Ordered {
    /// The outcome, and what became of the row.
    Done(Outcome, Option<Pushed>),
    /// It shall come again after this time: the time-series database cannot tell whether it is stored.
    Later(Duration),
}

/// Tells the account of an order, once: the order's id names the event, whichever delivery told of it.
pub(super) async fn order(
    context: &Context,
    events: &RowBuffer<EventRow>,
    delivery: &Delivery,
) -> Result<Ordered> {
    let order: ShopOrder = match serde_json::from_value(delivery.body.clone()) {
        Ok(order) => order,
        Err(error) => {
            tracing::warn!(inbox_id = %delivery.id, %error, "an order is not readable");
            return Ok(left("unreadable"));
        }
    };
    let mut connection = context.databases.postgres.get().await?;
    let Some(account_id) = account(&mut connection, &order.shop).await? else {
        return Ok(left("unconnected"));
    };
    for key in [Feature::Shopify.key().to_owned(), features::of_event(ORDER)] {
        if !features::accounts_without(&mut connection, &[account_id], &key).await?.is_empty() {
            return Ok(left("switched_off"));
        }
    }
    drop(connection);
    let source = format!("{}:order:{}", order.shop, order.order_id);
    let mut occurred_at = occurred_at(context, &order, &source, delivery.sent_at.trunc_subsecs(3)).await?;
    let platform_event_id = format!("{SHOPIFY}:{source}");
    // A shop may tell of an order again days later, when it is paid.
    let is_old = order.created_at.is_none_or(|at| at < context.clock.now() - STORED_AFTER);
    if is_old || delivery.is_reopened {
        match stored_at(context, account_id, &platform_event_id).await {
            // Its handlers may not have run.
            Ok(Some(at)) if delivery.is_reopened && delivery.may_trigger() => occurred_at = at,
            Ok(Some(_)) => return Ok(left("handled")),
            Ok(None) => {}
            Err(error) if is_away(&error) => return put_off(delivery, context.clock.now(), error),
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

const fn left(name: &'static str) -> Ordered {
    Ordered::Done(Outcome::without_triggers(name), None)
}

fn is_away(error: &Error) -> bool {
    match error {
        Error::Pool(_) => true,
        Error::Database(error) => writer::is_away(error),
        _ => false,
    }
}

/// Such an outage is longer than a job's attempts, and none of the order's fault. So an order waits for as long as the
/// sweep sees to its job; then it fails.
fn put_off(delivery: &Delivery, now: DateTime<Utc>, error: Error) -> Result<Ordered> {
    let waited = now - delivery.received_at;
    if waited >= YOUNGER_THAN {
        return Err(error);
    }
    tracing::warn!(inbox_id = %delivery.id, %error, "an order waits for the time-series database");
    let pause = waited.to_std().unwrap_or_default() / 4;
    Ok(Ordered::Later(pause.clamp(INITIAL_BACKOFF, MAX_BACKOFF)))
}

/// When it was ordered: as the shop says, else when the delivery was sent. What was taken for it first stands, because
/// another delivery of the same order may say more or less.
async fn occurred_at(
    context: &Context,
    order: &ShopOrder,
    source: &str,
    sent_at: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let said = order.created_at.filter(|at| (*at - sent_at).abs() <= BELIEVED);
    first_told(&context.redis, SHOPIFY, source, said.map_or(sent_at, |at| at.trunc_subsecs(3))).await
}

/// When it occurred, if it is stored.
async fn stored_at(
    context: &Context,
    account_id: Uuid,
    platform_event_id: &str,
) -> Result<Option<DateTime<Utc>>> {
    let same = stored::account_id.eq(account_id).and(stored::platform_event_id.eq(platform_event_id));
    let of_same = stored::table.filter(same).select(stored::occurred_at);
    let mut connection = context.databases.timescaledb.get().await?;
    Ok(of_same.first(&mut *connection).await.optional()?)
}

/// The account whose shop it is at this moment.
async fn account(connection: &mut AsyncPgConnection, shop: &str) -> Result<Option<Uuid>> {
    Ok(configs::table
        .filter(configs::integration.eq(SHOPIFY).and(configs::external_id.eq(shop)))
        .filter(configs::enabled)
        .select(configs::account_id)
        .first(connection)
        .await
        .optional()?)
}

/// Exactly the keys that the catalogue names.
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
    fn a_database_that_answers_is_not_away() {
        let told = |kind, message: &str| {
            Error::Database(QueryError::DatabaseError(kind, Box::new(message.to_owned())))
        };
        assert!(is_away(&Error::Pool("timed out".to_owned())));
        assert!(is_away(&told(Kind::ClosedConnection, "connection closed")));
        assert!(is_away(&told(Kind::Unknown, "canceling statement due to statement timeout")));
        assert!(!is_away(&told(Kind::Unknown, "column \"platform_event_id\" does not exist")));
        assert!(!is_away(&Error::Database(QueryError::NotFound)));
    }
}
