//! Endpoints that receive the events of an account (reference/webhooks.md#endpoints).

mod db;
mod fields;
pub mod graphql;
mod objects;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result,
    access::{AccountCaller, AnyOperation, Grants, Principal},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{catalogue::AccountPermission, id};
use utoipa::ToSchema;
use uuid::Uuid;
use webhook_model::{
    event_types::{MAX_EVENT_TYPES, MAX_LENGTH},
    index,
    secrets::{SecretColumn, generate, seal},
    target::MAX_URL_LENGTH,
};

use crate::{readable::Readable, stored};
use fields::{Changes, Fields, MAX_DESCRIPTION_LENGTH};

pub use objects::{CreatedWebhookEndpoint, WebhookDisabledReason, WebhookEndpoint};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &WEBHOOK_ENDPOINTS,
    &WEBHOOK_ENDPOINT,
    &CREATE_WEBHOOK_ENDPOINT,
    &UPDATE_WEBHOOK_ENDPOINT,
    &DELETE_WEBHOOK_ENDPOINT,
];

/// Maximum number of endpoints of an account (reference/webhooks.md#endpoints).
const MAX_ENDPOINTS: i64 = 10;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "webhook_endpoints",
        MAX_ENDPOINTS,
        "SELECT count(*) FROM webhook_endpoints WHERE account_id = $1",
    )
}

/// New endpoint.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "url": "https://example.com/lumio",
    "description": "Goal counter",
    "event_types": ["twitch:follower", "twitch:subscribe"],
}))]
pub struct CreateWebhookEndpointInput {
    /// Address that begins with `https://` and is on the public internet, without user name, password and fragment.
    #[schema(extensions(("maxLength" = json!(MAX_URL_LENGTH))))]
    pub url: String,
    /// At most 200 characters; empty is null.
    #[schema(extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// 1 to 50 types of the catalogue, `custom:{name}`, `chat:message`, or `*` for every type except
    /// `chat:message`.
    #[schema(extensions(("maxItems" = json!(MAX_EVENT_TYPES)), ("maxLength" = json!(MAX_LENGTH))))]
    pub event_types: Vec<String>,
    /// False creates it disabled; true when absent.
    pub is_enabled: Option<bool>,
}

/// Changes of an endpoint. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "event_types": ["*"] }))]
pub struct WebhookEndpointChanges {
    /// Address that begins with `https://` and is on the public internet, without user name, password and fragment.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_URL_LENGTH))))]
    pub url: Patch<String>,
    /// At most 200 characters; null or empty removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// 1 to 50 types of the catalogue, `custom:{name}`, `chat:message`, or `*` for every type except
    /// `chat:message`.
    #[serde(default)]
    #[schema(
        value_type = Option<Vec<String>>,
        extensions(("maxItems" = json!(MAX_EVENT_TYPES)), ("maxLength" = json!(MAX_LENGTH)))
    )]
    pub event_types: Patch<Vec<String>>,
    /// False: it gets no further events. True: what waits is sent.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub is_enabled: Patch<bool>,
}

pub static WEBHOOK_ENDPOINTS: Operation<AccountCaller> =
    Operation::account("webhookEndpoints", AccountPermission::SettingsRead, Grants::Nothing).polled();

/// Lists the webhook endpoints of the account, oldest first.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn webhook_endpoints(cx: &Cx) -> Result<Vec<WebhookEndpoint>> {
    let caller = cx.authorize(&WEBHOOK_ENDPOINTS).await?;
    let rows = db::list(&mut *caller.db().await?, caller.account).await?;
    let now = cx.state().clock.now();
    rows.into_iter().map(|row| WebhookEndpoint::of(row, now)).collect()
}

pub static WEBHOOK_ENDPOINT: Operation<AccountCaller> =
    Operation::account("webhookEndpoint", AccountPermission::SettingsRead, Grants::Nothing).polled();

/// Returns one of the account's webhook endpoints.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such endpoint.
#[api_core::operation]
pub async fn webhook_endpoint(cx: &Cx, endpoint_id: Input<Uuid>) -> Result<WebhookEndpoint> {
    let caller = cx.authorize(&WEBHOOK_ENDPOINT).await?;
    let id = endpoint_id?;
    let row = stored::find(&mut *caller.db().await?, caller.account, id).await?;
    WebhookEndpoint::of(row, cx.state().clock.now())
}

pub static CREATE_WEBHOOK_ENDPOINT: Operation<AccountCaller> =
    Operation::account("createWebhookEndpoint", AccountPermission::SettingsEdit, Grants::Nothing)
        .idempotent()
        .secret_answer();

/// Creates a webhook endpoint.
///
/// It gets the events that happen from now on, so the caller also needs `events:read`, and `chat:read` for
/// `chat:message`, and their features must be on. The answer to a session has the secret that signs its deliveries; the
/// answer to a key has null there.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 403 for types that the caller may not read, or whose
/// feature is off; 403 `PLAN_LIMIT_REACHED` beyond 10 endpoints.
#[api_core::operation]
pub async fn create_webhook_endpoint(
    cx: &Cx,
    input: Input<CreateWebhookEndpointInput>,
) -> Result<CreatedWebhookEndpoint> {
    let caller = cx.authorize(&CREATE_WEBHOOK_ENDPOINT).await?;
    let fields = Fields::new(cx, input?)?;
    Readable::of(cx, &caller).await?.require(&fields.event_types)?;
    let (id, secret, now) = (id::new(), generate(), cx.state().clock.now());
    let sealed = seal(&cx.state().keyring, id, SecretColumn::Current, &secret)?;
    let new = db::NewEndpoint {
        id,
        account_id: caller.account,
        url: &fields.url,
        description: fields.description.as_deref(),
        event_types: &fields.event_types,
        is_enabled: fields.is_enabled,
        secret: &sealed,
        created_by: cx.principal().author().map(|user| user.0),
        created_at: now,
        updated_at: now,
    };
    let row = caller
        .db()
        .await?
        .transaction(async |connection| {
            if db::lock_and_count(connection, caller.account).await? >= MAX_ENDPOINTS {
                return Err(limit_reached());
            }
            let row = db::insert(connection, &new).await?;
            let metadata = json!({ "host": row.host(), "event_types": row.event_types });
            let entry = Entry { metadata, ..cx.audit("webhook_endpoint:created", "webhook_endpoint", id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(row)
        })
        .await?;
    cx.changed(index::changed(caller.account.uuid())).await;
    let is_session = matches!(cx.principal(), Principal::Session { .. });
    Ok(CreatedWebhookEndpoint::of(WebhookEndpoint::of(row, now)?, is_session.then_some(&secret)))
}

pub static UPDATE_WEBHOOK_ENDPOINT: Operation<AccountCaller> =
    Operation::account("updateWebhookEndpoint", AccountPermission::SettingsEdit, Grants::Nothing);

/// Changes a webhook endpoint, enables or disables it.
///
/// Without a field nothing changes. A disabled endpoint gets no further events; what waits stays until its time is
/// over. What waits of a type that is no longer chosen is not sent. An endpoint that is enabled, or gets another
/// address, is tried immediately. Enabling it, and another address or other types, also need the permissions to read
/// the types before and after the change, because deliveries of both may wait.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 403 for types that the caller may not read, or whose feature
/// is off; 404 when the account has no such endpoint.
#[api_core::operation]
pub async fn update_webhook_endpoint(
    cx: &Cx,
    endpoint_id: Input<Uuid>,
    changes: Input<WebhookEndpointChanges>,
) -> Result<WebhookEndpoint> {
    let caller = cx.authorize(&UPDATE_WEBHOOK_ENDPOINT).await?;
    let (id, changes) = (endpoint_id?, Changes::new(cx, changes?)?);
    let readable = Readable::of(cx, &caller).await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let (row, has_changed) = caller
        .db()
        .await?
        .transaction(async |connection| {
            let before = stored::lock(connection, account, id).await?;
            let names = changes.names();
            if names.is_empty() {
                return Ok((before, false));
            }
            let row = db::change(connection, account, id, &changes.columns(), now).await?;
            if changes.sends_more() {
                readable.require(before.event_types.iter().chain(&row.event_types))?;
            }
            if row.is_enabled && (!before.is_enabled || row.url != before.url) {
                db::resume(connection, account, id, now).await?;
            }
            let metadata = json!({
                "fields": names, "host": row.host(), "event_types": row.event_types, "enabled": row.is_enabled,
            });
            let entry = Entry { metadata, ..cx.audit("webhook_endpoint:updated", "webhook_endpoint", id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>((stored::find(connection, account, id).await?, true))
        })
        .await?;
    if has_changed {
        cx.changed(index::changed(account.uuid())).await;
    }
    WebhookEndpoint::of(row, now)
}

pub static DELETE_WEBHOOK_ENDPOINT: Operation<AccountCaller> =
    Operation::account("deleteWebhookEndpoint", AccountPermission::SettingsEdit, Grants::Nothing);

/// Deletes a webhook endpoint with its secrets and deliveries.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such endpoint.
#[api_core::operation]
pub async fn delete_webhook_endpoint(cx: &Cx, endpoint_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_WEBHOOK_ENDPOINT).await?;
    let (id, account) = (endpoint_id?, caller.account);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = stored::lock(connection, account, id).await?;
            db::delete(connection, account, id).await?;
            let metadata = json!({ "host": row.host() });
            let entry = Entry { metadata, ..cx.audit("webhook_endpoint:deleted", "webhook_endpoint", id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(())
        })
        .await?;
    cx.changed(index::changed(account.uuid())).await;
    Ok(())
}

fn limit_reached() -> ApiError {
    ApiError::new(Code::PlanLimitReached, "Webhook endpoint limit reached")
        .with_details(json!({ "limit": MAX_ENDPOINTS }))
}
