//! Endpoints as callers see them.

use api_core::{ApiError, Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::secret::Secret;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::stored::Row;

/// Reason why the service disabled an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookDisabledReason {
    /// It has answered 410.
    Gone,
    /// It has accepted nothing for five days.
    Failing,
    /// The membership of the person who created it has ended.
    MemberLeft,
}

/// Webhook endpoint: an address that receives events of the account.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct WebhookEndpoint {
    /// Identifier.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Address.
    pub url: String,
    /// Description, or null.
    pub description: Option<String>,
    /// Types of events that it receives.
    pub event_types: Vec<String>,
    /// True when it receives events.
    pub is_enabled: bool,
    /// Reason why the service disabled it. Null while it is enabled, and when a caller disabled it.
    pub disabled_reason: Option<WebhookDisabledReason>,
    /// Time of the first of the failures since the last success. Null without one.
    pub failing_since: Option<Timestamp>,
    /// Number of events that were left out, because too many deliveries waited or chat was too fast.
    pub skipped_count: Int64,
    /// Time until which the secret before the last rotation signs too. Null when one secret signs.
    pub previous_secret_expires_at: Option<Timestamp>,
    /// Person who created it. Null: a service key, or the person is gone.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// New webhook endpoint with its secret.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct CreatedWebhookEndpoint {
    /// Identifier.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Address.
    pub url: String,
    /// Description, or null.
    pub description: Option<String>,
    /// Types of events that it receives.
    pub event_types: Vec<String>,
    /// True when it receives events.
    pub is_enabled: bool,
    /// Reason why the service disabled it: null.
    pub disabled_reason: Option<WebhookDisabledReason>,
    /// Time of the first of the failures since the last success: null.
    pub failing_since: Option<Timestamp>,
    /// Number of events that were left out: 0.
    pub skipped_count: Int64,
    /// Time until which the secret before the last rotation signs too: null.
    pub previous_secret_expires_at: Option<Timestamp>,
    /// Person who created it. Null: a service key.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Secret that signs its deliveries: `whsec_` and base64. Null for a caller without a session.
    pub secret: Option<String>,
}

impl WebhookDisabledReason {
    fn parse(text: &str) -> Result<Self> {
        match text {
            "gone" => Ok(Self::Gone),
            "failing" => Ok(Self::Failing),
            "member_left" => Ok(Self::MemberLeft),
            other => Err(ApiError::internal(format!("the reason {other} of a disabled endpoint is unknown"))),
        }
    }
}

impl WebhookEndpoint {
    /// Endpoint of a row.
    ///
    /// # Errors
    /// 500 for a row that no version writes.
    pub(crate) fn of(row: Row, now: DateTime<Utc>) -> Result<Self> {
        Ok(Self {
            id: row.id,
            account_id: row.account_id.uuid(),
            url: row.url,
            description: row.description,
            event_types: row.event_types,
            is_enabled: row.is_enabled,
            disabled_reason: row.disabled_reason.as_deref().map(WebhookDisabledReason::parse).transpose()?,
            failing_since: row.failing_since,
            skipped_count: Int64(row.skipped_count),
            previous_secret_expires_at: row.previous_secret_until.filter(|until| **until > now),
            created_by: row.created_by,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

impl CreatedWebhookEndpoint {
    /// New endpoint with the secret that the caller may see.
    pub(crate) fn of(endpoint: WebhookEndpoint, secret: Option<&Secret>) -> Self {
        Self {
            id: endpoint.id,
            account_id: endpoint.account_id,
            url: endpoint.url,
            description: endpoint.description,
            event_types: endpoint.event_types,
            is_enabled: endpoint.is_enabled,
            disabled_reason: endpoint.disabled_reason,
            failing_since: endpoint.failing_since,
            skipped_count: endpoint.skipped_count,
            previous_secret_expires_at: endpoint.previous_secret_expires_at,
            created_by: endpoint.created_by,
            created_at: endpoint.created_at,
            updated_at: endpoint.updated_at,
            secret: secret.map(|secret| secret.expose().to_owned()),
        }
    }
}
