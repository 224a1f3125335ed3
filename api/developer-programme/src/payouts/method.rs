//! Method and status of payouts, as a developer sees them.

use api_core::{ApiError, Result};
use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Minimum payout to a connected account, in cents (reference/programme.md#payouts).
const MIN_CONNECT_PAYOUT: i64 = 100;
/// Minimum payout to a wallet, in cents (reference/programme.md#payouts).
const MIN_WALLET_PAYOUT: i64 = 2_500;
/// Minimum payout by bank transfer, in cents (reference/programme.md#payouts).
const MIN_BANK_PAYOUT: i64 = 5_000;

/// Method by which a developer is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeveloperPayoutMethod {
    /// Connected account at the payment provider.
    Connect,
    /// Account at a wallet service, by its e-mail address.
    PaypalStyle,
    /// Bank transfer.
    Bank,
}

/// Status of a payout. `paid` and `failed` are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeveloperPayoutStatus {
    /// Requested, not yet started.
    Pending,
    /// Started.
    Processing,
    /// Paid.
    Paid,
    /// Failed; the amount is part of the balance again.
    Failed,
}

impl DeveloperPayoutMethod {
    const ALL: [Self; 3] = [Self::Connect, Self::PaypalStyle, Self::Bank];

    /// Text in the database and in JSON.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::PaypalStyle => "paypal_style",
            Self::Bank => "bank",
        }
    }

    /// Minimum payout in cents.
    pub(super) const fn minimum(self) -> i64 {
        match self {
            Self::Connect => MIN_CONNECT_PAYOUT,
            Self::PaypalStyle => MIN_WALLET_PAYOUT,
            Self::Bank => MIN_BANK_PAYOUT,
        }
    }

    /// Method of a stored text.
    pub(super) fn stored(text: &str) -> Result<Self> {
        let method = Self::ALL.into_iter().find(|method| method.as_str() == text);
        method.ok_or_else(|| ApiError::internal("a payout has an unknown method"))
    }
}

impl DeveloperPayoutStatus {
    /// Status of a stored text.
    pub(super) fn stored(text: &str) -> Result<Self> {
        match text {
            "pending" => Ok(Self::Pending),
            "processing" => Ok(Self::Processing),
            "paid" => Ok(Self::Paid),
            "failed" => Ok(Self::Failed),
            _ => Err(ApiError::internal("a payout has an unknown status")),
        }
    }
}
