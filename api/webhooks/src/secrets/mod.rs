//! Secrets of endpoints: reading and rotation, by a session only (reference/webhooks.md#secrets).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::GraphQLObject;
use serde::Serialize;
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;
use webhook_model::secrets::{ROTATION_OVERLAP, SecretColumn, generate, open, seal};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&WEBHOOK_SECRET, &ROTATE_WEBHOOK_SECRET];

/// Secret of a webhook endpoint.
#[derive(Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct WebhookSecret {
    /// Secret that signs: `whsec_` and base64.
    pub secret: String,
    /// Time until which the secret before the last rotation signs too. Null when one secret signs.
    pub previous_secret_expires_at: Option<Timestamp>,
}

pub static WEBHOOK_SECRET: Operation<Member> =
    Operation::session_member("webhookSecret", AccountPermission::SettingsEdit, Grants::Nothing);

/// Returns the secret that signs the deliveries of a webhook endpoint.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such endpoint.
#[api_core::operation]
pub async fn webhook_secret(cx: &Cx, endpoint_id: Input<Uuid>) -> Result<WebhookSecret> {
    let caller = cx.authorize(&WEBHOOK_SECRET).await?;
    let id = endpoint_id?;
    let stored = db::find(&mut *caller.db().await?, caller.account, id).await?;
    let secret = open(&cx.state().keyring, id, SecretColumn::Current, &stored.secret)?;
    let now = cx.state().clock.now();
    Ok(WebhookSecret {
        secret: secret.expose().to_owned(),
        previous_secret_expires_at: stored.previous_secret_until.filter(|until| **until > now),
    })
}

pub static ROTATE_WEBHOOK_SECRET: Operation<Member> =
    Operation::session_member("rotateWebhookSecret", AccountPermission::SettingsEdit, Grants::Nothing)
        .idempotent()
        .secret_answer();

/// Replaces the secret of a webhook endpoint.
///
/// The secret until now signs too for 24 hours, so that a receiver can change to the new one meanwhile. A further
/// rotation in this time ends the one before.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such endpoint.
#[api_core::operation]
pub async fn rotate_webhook_secret(cx: &Cx, endpoint_id: Input<Uuid>) -> Result<WebhookSecret> {
    let caller = cx.authorize(&ROTATE_WEBHOOK_SECRET).await?;
    let (id, account) = (endpoint_id?, caller.account);
    let (keyring, now) = (&cx.state().keyring, cx.state().clock.now());
    let (secret, until) = (generate(), now + ROTATION_OVERLAP);
    let sealed = seal(keyring, id, SecretColumn::Current, &secret)?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let stored = db::lock(connection, account, id).await?;
            // A secret opens in its own column only.
            let former = open(keyring, id, SecretColumn::Current, &stored.secret)?;
            let previous = seal(keyring, id, SecretColumn::Previous, &former)?;
            db::rotate(connection, (account, id), (&sealed, &previous), until, now).await?;
            let entry = cx.audit("webhook_endpoint:secret_rotated", "webhook_endpoint", id);
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(())
        })
        .await?;
    Ok(WebhookSecret { secret: secret.expose().to_owned(), previous_secret_expires_at: Some(until.into()) })
}
