//! Events that a service beside the platforms reports to one account: orders of shops and tips. Each has an id
//! of its own, so that it becomes one event, whichever delivery reports it.

use std::time::Duration;

use account_model::features;
use chrono::{DateTime, SubsecRound, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::events::id_of_source;
use live_model::{
    AccountEvent, EventRow, EventType, Pushed, RowBuffer, Triggers, announce, inbox::SWEEP_WINDOW, trigger,
};
use serde_json::{Map, Value};
use shared::{Error, Result, catalogue::Feature, schema::timeseries::events as stored};
use uuid::Uuid;

use super::{first_seen::event_first_seen, inbox::Delivery, outcome::Outcome, starts::Starts, writer};
use crate::PlatformContext;

/// Maximum difference between a service's own time of an event and that of the delivery; beyond it the
/// delivery's time is used.
const MAX_CLOCK_SKEW: chrono::Duration = chrono::Duration::hours(24);
/// Age from which an event is looked up in the stored rows, because the event log may no longer hold it.
const MAX_UNSTORED_AGE: chrono::Duration = chrono::Duration::minutes(10);
/// Minimum delay before the next attempt. Between the minimum and the maximum it is a quarter of the time
/// that the event has waited.
const INITIAL_BACKOFF: Duration = Duration::from_secs(2);
/// Maximum delay before the next attempt.
const MAX_BACKOFF: Duration = Duration::from_secs(120);

/// Reported event.
pub(super) struct Report {
    pub account_id: Uuid,
    /// Name of the service.
    pub service: &'static str,
    pub event_type: &'static str,
    /// Flag of the service.
    pub feature: Feature,
    /// Name of the event at the service.
    pub source: String,
    /// Time of the event by the service's clock; `None` to take that of the delivery.
    pub occurred_at: Option<DateTime<Utc>>,
    /// Earliest time at which another delivery may have reported the event; `None` when that is unknown.
    pub begun_at: Option<DateTime<Utc>>,
    pub user_id: Option<String>,
    pub user_name: Option<String>,
    pub amount: Option<i64>,
    pub currency: Option<String>,
    pub message: Option<String>,
    pub is_test: bool,
}

/// Outcome of the delivery of a report.
pub(super) enum Reported {
    /// Outcome, and the result of buffering the row.
    Done(Outcome, Option<Pushed>),
    /// Runs again after this time: the time-series database cannot report whether the event is stored.
    Later(Duration),
}

/// Publishes a reported event to its account, once.
pub(super) async fn publish_once(
    context: &PlatformContext,
    events: &RowBuffer<EventRow>,
    starts: &Starts,
    delivery: &Delivery,
    report: Report,
) -> Result<Reported> {
    if is_switched_off(context, &report).await? {
        return Ok(ignored("switched_off"));
    }
    let mut occurred_at = occurred_at(context, &report, delivery.sent_at.trunc_subsecs(3)).await?;
    let platform_event_id = format!("{}:{}", report.service, report.source);
    // A service may report an event again days later: an order when it is paid, a tip when it is released.
    let is_old = report.begun_at.is_none_or(|at| at < context.clock.now() - MAX_UNSTORED_AGE);
    if is_old || delivery.is_reopened {
        match stored_at(context, report.account_id, &platform_event_id).await {
            // Its handlers may not have run.
            Ok(Some(at)) if delivery.is_reopened && delivery.may_trigger() => occurred_at = at,
            Ok(Some(_)) => return Ok(ignored("handled")),
            Ok(None) => {}
            Err(error) if is_away(&error) => return postpone(delivery, context.clock.now(), error),
            Err(error) => return Err(error),
        }
    }
    let event = report.event(&delivery.body, occurred_at);
    if !delivery.is_reopened {
        announce(&context.events, &event).await?;
    }
    trigger(&context.jobs, &event, Triggers::Run { channel_id: None }).await?;
    starts.by_event(&event, None, false).await?;
    let row = EventRow::new(event, platform_event_id);
    let outcome = Outcome { name: "handled", has_triggered: true };
    Ok(Reported::Done(outcome, Some(events.push(&[row]).await?)))
}

impl Report {
    fn event(self, body: &Value, occurred_at: DateTime<Utc>) -> AccountEvent {
        let Self { account_id, service, event_type, source, .. } = self;
        AccountEvent {
            id: id_of_source(&format!("{account_id}:{service}:{source}"), occurred_at),
            account_id,
            event_type: event_type.to_owned(),
            platform: Some(service.to_owned()),
            platform_user_id: self.user_id,
            username: None,
            display_name: self.user_name,
            avatar_url: None,
            amount: self.amount,
            currency: self.currency,
            message: self.message,
            data: data(event_type, body),
            is_test: self.is_test,
            occurred_at,
        }
    }
}

const fn ignored(name: &'static str) -> Reported {
    Reported::Done(Outcome::without_triggers(name), None)
}

/// True when the account has the service or the type of events switched off.
async fn is_switched_off(context: &PlatformContext, report: &Report) -> Result<bool> {
    let event = features::of_event(report.event_type);
    let keys = [report.feature.key(), &event];
    let mut connection = context.databases.postgres.get().await?;
    Ok(!features::switched_off(&mut connection, &[report.account_id], &keys).await?.is_empty())
}

fn is_away(error: &Error) -> bool {
    match error {
        Error::Pool(_) => true,
        Error::Database(error) => writer::is_away(error),
        _ => false,
    }
}

/// Postpones a report while the database is away. Such an outage is longer than a job's attempts and not the
/// report's fault, so it waits for as long as the sweep adds its job; then it fails.
fn postpone(delivery: &Delivery, now: DateTime<Utc>, error: Error) -> Result<Reported> {
    let waited = now - delivery.received_at;
    if waited >= SWEEP_WINDOW {
        return Err(error);
    }
    tracing::warn!(inbox_id = %delivery.id, %error, "a report waits for the time-series database");
    let pause = waited.to_std().unwrap_or_default() / 4;
    Ok(Reported::Later(pause.clamp(INITIAL_BACKOFF, MAX_BACKOFF)))
}

/// Returns the time of the event: the service's own, else that of the delivery. The first recorded time is
/// kept, because another delivery of the same event may state another.
async fn occurred_at(
    context: &PlatformContext,
    report: &Report,
    sent_at: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let own = report.occurred_at.filter(|at| (*at - sent_at).abs() <= MAX_CLOCK_SKEW);
    let at = own.map_or(sent_at, |at| at.trunc_subsecs(3));
    event_first_seen(&context.redis, report.service, &report.source, at).await
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

/// Returns exactly the keys that the catalogue names.
fn data(event_type: &str, body: &Value) -> Value {
    let empty = Map::new();
    let given = body.as_object().unwrap_or(&empty);
    let known = EventType::find(event_type).and_then(|known| known.read(given).ok());
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
