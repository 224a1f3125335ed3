//! Payouts to developers, as staff manages them. The service calls no payment provider: staff pays and sets
//! the status, or the provider reports it by webhook (reference/billing.md#payouts).

mod db;
pub mod graphql;
pub mod rest;
pub mod webhook;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
    graphql::Int64,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_PAYOUTS, &ADMIN_UPDATE_PAYOUT, &webhook::RECEIVE_PAYOUT_WEBHOOK];

/// A payout to a developer.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminPayout {
    /// Id of the payout.
    pub id: Uuid,
    /// Id of the developer profile.
    pub developer_id: Uuid,
    /// Display name of the developer.
    pub developer_name: String,
    /// Team of the developer whose balance is paid. Null: the developer's own.
    pub team_id: Option<Uuid>,
    /// Amount in minor units of `currency`.
    pub amount: Int64,
    /// Code of the currency, ISO 4217.
    pub currency: String,
    /// Method of payment.
    pub method: PayoutMethod,
    /// Present status.
    pub status: PayoutStatus,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time of payment; null unless paid.
    pub paid_at: Option<Timestamp>,
}

/// Method by which a developer is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayoutMethod {
    /// Connected account at the payment provider.
    Connect,
    /// Account at a wallet service such as PayPal.
    PaypalStyle,
    /// Bank transfer.
    Bank,
}

/// Status of a payout. `paid` and `failed` are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayoutStatus {
    /// Requested, not yet started.
    Pending,
    /// Started.
    Processing,
    /// Paid.
    Paid,
    /// Failed.
    Failed,
}

/// Filter and page of the payouts.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PayoutQuery {
    /// Status of the payouts; absent: all.
    #[param(inline)]
    pub status: Option<PayoutStatus>,
    /// Number of the page, from 1; absent: 1.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Payouts of a page, 1 to 100; absent: 25.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// New status of a payout.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdatePayoutInput {
    /// New status: from `pending` any other, from `processing` `paid` or `failed`.
    pub status: PayoutStatus,
}

pub static ADMIN_PAYOUTS: Operation<Admin> =
    Operation::admin("adminPayouts", AdminPermission::BillingRead, Grants::Nothing);

/// Lists the payouts to developers.
///
/// The oldest payout comes first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the status is unknown, or the page is out of bounds.
#[api_core::operation]
pub async fn admin_payouts(cx: &Cx, query: Input<PayoutQuery>) -> Result<Page<AdminPayout>> {
    let admin = cx.authorize(&ADMIN_PAYOUTS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::list(&mut *admin.db().await?, query.status, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_UPDATE_PAYOUT: Operation<Admin> =
    Operation::admin("adminUpdatePayout", AdminPermission::BillingEdit, Grants::Nothing);

/// Changes the status of a payout.
///
/// The developer is notified. No money is moved: the payment itself happens outside the service.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the status is unknown.
/// - 404: no such payout exists.
/// - 409: the present status does not allow the change.
#[api_core::operation]
pub async fn admin_update_payout(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdatePayoutInput>,
) -> Result<AdminPayout> {
    let admin = cx.authorize(&ADMIN_UPDATE_PAYOUT).await?;
    let (id, to) = (id?, input?.status);
    admin
        .db()
        .await?
        .transaction(async |connection| match advance(cx, connection, id, to).await? {
            Advance::Done(payout) => Ok(payout),
            Advance::Unknown => Err(ApiError::not_found("Payout not found")),
            Advance::Refused(from) => {
                let (from, to) = (from.as_str(), to.as_str());
                Err(ApiError::conflict(format!("A payout that is {from} cannot become {to}")))
            }
        })
        .await
}

/// Result of a change of status.
enum Advance {
    Done(AdminPayout),
    Unknown,
    /// The present status, which does not allow the change.
    Refused(PayoutStatus),
}

/// Changes the status of a payout in the transaction of the caller, writes the audit entry and notifies the
/// developer, of a payout of a team also the member who requested it.
async fn advance(cx: &Cx, connection: &mut AsyncPgConnection, id: Uuid, to: PayoutStatus) -> Result<Advance> {
    let now = cx.state().clock.now();
    let Some((from, notified)) = db::lock(connection, id).await? else { return Ok(Advance::Unknown) };
    if !from.leads_to(to) {
        return Ok(Advance::Refused(from));
    }
    db::set_status(connection, id, to, now).await?;
    let payout = db::find(connection, id).await?;
    let payout = payout.ok_or_else(|| ApiError::internal("a payout that is held is not there"))?;
    let mut entry = cx.audit_system("payout:status_changed", "payout", id);
    entry.metadata = json!({
        "from": from, "to": to, "developer_id": payout.developer_id, "team_id": payout.team_id,
    });
    foundation::audit::record(connection, entry).await?;
    let notice = Notice::Payout {
        payout_id: id,
        amount: payout.amount.0,
        currency: &payout.currency,
        status: to.as_str(),
    };
    notify::notify(connection, &notified, &notice, now).await?;
    Ok(Advance::Done(payout))
}

impl PayoutStatus {
    const ALL: [Self; 4] = [Self::Pending, Self::Processing, Self::Paid, Self::Failed];

    /// Text of the status in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Processing => "processing",
            Self::Paid => "paid",
            Self::Failed => "failed",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    const fn leads_to(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Pending, Self::Processing | Self::Paid | Self::Failed)
                | (Self::Processing, Self::Paid | Self::Failed)
        )
    }
}

impl PayoutMethod {
    const ALL: [Self; 3] = [Self::Connect, Self::PaypalStyle, Self::Bank];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::PaypalStyle => "paypal_style",
            Self::Bank => "bank",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payout_status_advances_to_paid_or_failed_only() {
        use PayoutStatus::{Failed, Paid, Pending, Processing};
        let allowed: Vec<_> = PayoutStatus::ALL
            .into_iter()
            .flat_map(|from| PayoutStatus::ALL.map(|to| (from, to)))
            .filter(|(from, to)| from.leads_to(*to))
            .collect();
        assert_eq!(
            allowed,
            [
                (Pending, Processing),
                (Pending, Paid),
                (Pending, Failed),
                (Processing, Paid),
                (Processing, Failed)
            ]
        );
    }
}
