//! Deliveries of an endpoint: their log, tests and replays (reference/webhooks.md#log).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
};
use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{
    audit::{self, Entry},
    trace::current_headers,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::AccountPermission,
    id::{self, AccountId},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use webhook_model::event_types::{MAX_LENGTH, TEST, is_delivered};

use crate::{readable::Readable, stored};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&WEBHOOK_DELIVERIES, &TEST_WEBHOOK_ENDPOINT, &REPLAY_WEBHOOK_DELIVERY];

/// Maximum number of tests and replays of an endpoint that wait (reference/webhooks.md#tests-and-replays).
const MAX_WAITING_IMMEDIATE: i64 = 20;
/// Time within which a test or replay is tried (reference/webhooks.md#tests-and-replays).
const IMMEDIATE_TTL: TimeDelta = TimeDelta::hours(1);

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookDeliveryStatus {
    /// Waits for an attempt.
    Pending,
    /// The receiver has answered 2xx.
    Delivered,
    /// No further attempt is made.
    Failed,
}

/// Delivery of an event to a webhook endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct WebhookDelivery {
    /// Identifier: the `webhook-id` of every attempt.
    pub id: Uuid,
    /// Endpoint.
    pub endpoint_id: Uuid,
    /// Event or chat message; of a test the delivery itself.
    pub event_id: Uuid,
    /// Type of the event; `webhook.test` for a test.
    pub event_type: String,
    /// State.
    pub status: WebhookDeliveryStatus,
    /// Number of attempts.
    pub attempts: i32,
    /// Time of the next attempt. Null when there is none, and while it waits for an earlier delivery.
    pub next_attempt_at: Option<Timestamp>,
    /// Time of the last attempt, or null.
    pub last_attempt_at: Option<Timestamp>,
    /// HTTP status of the last attempt. Null without an answer.
    pub last_status_code: Option<i32>,
    /// Reason why the last attempt failed, or null.
    pub last_error: Option<String>,
    /// Begin of the last answer, at most 4 KiB. Null without one, and for a caller who may not read events of the type.
    pub response_excerpt: Option<String>,
    /// Duration of the last request in milliseconds, or null.
    pub duration_ms: Option<i32>,
    /// Time of the event.
    pub occurred_at: Timestamp,
    /// Time at which the delivery was made.
    pub created_at: Timestamp,
}

/// Query of the deliveries of an endpoint.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WebhookDeliveriesQuery {
    /// State; every state when absent.
    pub status: Option<WebhookDeliveryStatus>,
    /// Type of the event, or `webhook.test`; every type when absent.
    pub event_type: Option<String>,
    /// Page number, from 1; 1 when absent. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
    /// Cursor of the page before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

pub static WEBHOOK_DELIVERIES: Operation<AccountCaller> =
    Operation::account("webhookDeliveries", AccountPermission::SettingsRead, Grants::Nothing).polled();

/// Lists the deliveries of a webhook endpoint, newest first.
///
/// Pages end after 10,000 deliveries, a cursor continues beyond. A delivery is kept for 30 days. Answers of receivers are
/// null for types that the caller may not read.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or type, or a page out of bounds; 404 when the account has no
/// such endpoint.
#[api_core::operation]
pub async fn webhook_deliveries(
    cx: &Cx,
    endpoint_id: Input<Uuid>,
    query: Input<WebhookDeliveriesQuery>,
) -> Result<CursorPage<WebhookDelivery>> {
    let caller = cx.authorize(&WEBHOOK_DELIVERIES).await?;
    let (id, query) = (endpoint_id?, query?);
    let request = CursorRequest::new(query.page, query.limit, query.cursor);
    let selection = db::Selection {
        account: caller.account,
        endpoint: id,
        status: query.status,
        event_type: query.event_type.map(known_type).transpose()?,
    };
    let part = request.check(cx, &WEBHOOK_DELIVERIES, &selection)?;
    let readable = Readable::of(cx, &caller).await?;
    let connection = &mut *caller.db().await?;
    stored::find(connection, caller.account, id).await?;
    let mut list = db::page(connection, &selection, part).await?;
    // An answer may repeat what was sent.
    for delivery in list.page.items.iter_mut().filter(|delivery| !readable.allows(&delivery.event_type)) {
        delivery.response_excerpt = None;
    }
    Ok(list)
}

pub static TEST_WEBHOOK_ENDPOINT: Operation<AccountCaller> =
    Operation::account("testWebhookEndpoint", AccountPermission::SettingsEdit, Grants::Nothing).idempotent();

/// Sends a test to a webhook endpoint.
///
/// Its type is `webhook.test`. It comes before everything that waits, is tried once, and is sent by a disabled endpoint
/// too. The list of deliveries has its outcome.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such endpoint; 409 while too many tests and replays wait.
#[api_core::operation]
pub async fn test_webhook_endpoint(cx: &Cx, endpoint_id: Input<Uuid>) -> Result<WebhookDelivery> {
    let caller = cx.authorize(&TEST_WEBHOOK_ENDPOINT).await?;
    let (endpoint, account) = (endpoint_id?, caller.account);
    let (id, now) = (id::new(), cx.state().clock.now());
    let (traceparent, tracestate) = current_headers();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = stored::lock(connection, account, endpoint).await?;
            require_room(connection, account, endpoint).await?;
            let new = db::NewTest {
                id,
                account_id: account,
                endpoint_id: endpoint,
                event_id: id,
                event_type: TEST,
                occurred_at: now,
                is_immediate: true,
                next_attempt_at: now,
                expires_at: now + IMMEDIATE_TTL,
                created_at: now,
                traceparent,
                tracestate,
            };
            let delivery = db::insert(connection, &new).await?;
            stored::make_due(connection, account, endpoint, now).await?;
            let metadata = json!({ "host": row.host(), "delivery_id": id });
            let entry =
                Entry { metadata, ..cx.audit("webhook_endpoint:tested", "webhook_endpoint", endpoint) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(delivery)
        })
        .await
}

pub static REPLAY_WEBHOOK_DELIVERY: Operation<AccountCaller> =
    Operation::account("replayWebhookDelivery", AccountPermission::SettingsEdit, Grants::Nothing)
        .idempotent();

/// Sends a delivery of a webhook endpoint once more.
///
/// It has the same `webhook-id`, comes before everything that waits, and is tried once. Its last outcome is removed. The
/// caller also needs the permission to read events of its type. A type that the endpoint no longer receives is not sent.
///
/// # Errors
/// Refusals of the access rule; 403 for a type that the caller may not read, or whose feature is off; 404 when the
/// account has no such endpoint, or the endpoint no such delivery; 409 while the endpoint is disabled, the delivery
/// waits, or too many tests and replays wait.
#[api_core::operation]
pub async fn replay_webhook_delivery(
    cx: &Cx,
    endpoint_id: Input<Uuid>,
    delivery_id: Input<Uuid>,
) -> Result<WebhookDelivery> {
    let caller = cx.authorize(&REPLAY_WEBHOOK_DELIVERY).await?;
    let (endpoint, id, account) = (endpoint_id?, delivery_id?, caller.account);
    let readable = Readable::of(cx, &caller).await?;
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = stored::lock(connection, account, endpoint).await?;
            let delivery = db::find(connection, account, (endpoint, id)).await?;
            readable.require([&delivery.event_type])?;
            if !row.is_enabled {
                return Err(ApiError::conflict("Webhook endpoint is disabled"));
            }
            if delivery.status == WebhookDeliveryStatus::Pending {
                return Err(ApiError::conflict("Webhook delivery is waiting"));
            }
            require_room(connection, account, endpoint).await?;
            let delivery = db::replay(connection, account, (endpoint, id), now + IMMEDIATE_TTL, now).await?;
            stored::make_due(connection, account, endpoint, now).await?;
            let metadata = json!({ "endpoint_id": endpoint, "event_type": delivery.event_type });
            let entry = Entry { metadata, ..cx.audit("webhook_delivery:replayed", "webhook_delivery", id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(delivery)
        })
        .await
}

/// Refuses a test or replay of a locked endpoint while too many wait.
async fn require_room(connection: &mut AsyncPgConnection, account: AccountId, endpoint: Uuid) -> Result<()> {
    if db::count_immediate(connection, account, endpoint).await? < MAX_WAITING_IMMEDIATE {
        return Ok(());
    }
    Err(ApiError::conflict("Too many tests and replays are waiting"))
}

fn known_type(name: String) -> Result<String> {
    if name == TEST || is_delivered(&name) {
        return Ok(name);
    }
    let begin: String = name.chars().take(MAX_LENGTH).collect();
    Err(ApiError::invalid(format!("Invalid event_type: unknown type {begin}")))
}

impl WebhookDeliveryStatus {
    const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}
