//! Payouts and revenue, as a developer sees them.

use api_core::{Timestamp, graphql::Int64};
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::method::{DeveloperPayoutMethod, DeveloperPayoutStatus};

/// Payout to the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct DeveloperPayout {
    /// Identifier.
    pub id: Uuid,
    /// Amount in cents.
    pub amount: Int64,
    /// Code of the currency, ISO 4217.
    pub currency: String,
    /// Method.
    pub method: DeveloperPayoutMethod,
    /// Status.
    pub status: DeveloperPayoutStatus,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time of payment; null unless paid.
    pub paid_at: Option<Timestamp>,
}

/// Revenue from an extension in a month. Amounts are in cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct DeveloperRevenueItem {
    /// Extension; null when it is gone.
    pub extension_id: Option<Uuid>,
    /// Name of the extension; null when it is gone.
    pub extension_name: Option<String>,
    /// Month in UTC, as `2026-11`.
    pub month: String,
    /// Number of payments.
    pub payments: i32,
    /// Sum of the payments.
    pub amount: Int64,
    /// Fee of the platform.
    pub fee: Int64,
    /// Share of the developer.
    pub share: Int64,
}
