//! Payouts to developers as operators carry them out (specification C B7.4). No provider is called: an operator pays
//! and moves the status, or the provider that was told to pay reports it (A §4.1).

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
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::AdminPermission,
    notify::{self, Notice},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_PAYOUTS, &ADMIN_UPDATE_PAYOUT, &webhook::RECEIVE_PAYOUT_WEBHOOK];

/// A payout as operators see it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminPayout {
    pub id: Uuid,
    pub developer_id: Uuid,
    pub developer_name: String,
    /// Minor units.
    pub amount: Int64,
    /// ISO 4217.
    pub currency: String,
    pub method: PayoutMethod,
    pub status: PayoutStatus,
    pub created_at: Timestamp,
    /// Null unless paid.
    pub paid_at: Option<Timestamp>,
}

/// How a developer is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayoutMethod {
    Connect,
    PaypalStyle,
    Bank,
}

/// What became of a payout. `paid` and `failed` are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayoutStatus {
    Pending,
    Processing,
    Paid,
    Failed,
}

/// Which payouts are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PayoutQuery {
    #[param(inline)]
    pub status: Option<PayoutStatus>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Where a payout is to be moved.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdatePayoutInput {
    /// From `pending` any other; from `processing` `paid` or `failed`.
    pub status: PayoutStatus,
}

/// Every payout.
pub static ADMIN_PAYOUTS: Operation<Admin> =
    Operation::admin("adminPayouts", AdminPermission::BillingRead, Grants::Nothing);

/// Lists payouts, the longest waiting first.
///
/// # Errors
/// As the rule; 400 for an unknown status or a page out of bounds.
pub async fn admin_payouts(cx: &Cx, query: Input<PayoutQuery>) -> Result<Page<AdminPayout>> {
    let admin = cx.authorize(&ADMIN_PAYOUTS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::list(&mut *admin.db().await?, query.status, window).await?;
    Ok(Page { items, total, window })
}

/// Moves a payout.
pub static ADMIN_UPDATE_PAYOUT: Operation<Admin> =
    Operation::admin("adminUpdatePayout", AdminPermission::BillingEdit, Grants::Nothing);

/// Moves a payout to another status and tells the developer.
///
/// # Errors
/// As the rule; 400 for an unknown status; 404 `Payout not found`; 409 for a step that its status does not allow.
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

/// What became of a step.
enum Advance {
    Done(AdminPayout),
    Unknown,
    /// It does not follow from where the payout stands.
    Refused(PayoutStatus),
}

/// Moves a payout on, in the caller's transaction: whoever asked for it, it is audited and the developer is told.
async fn advance(cx: &Cx, connection: &mut AsyncPgConnection, id: Uuid, to: PayoutStatus) -> Result<Advance> {
    let now = cx.state().clock.now();
    let Some((from, developer)) = db::lock(connection, id).await? else { return Ok(Advance::Unknown) };
    if !from.leads_to(to) {
        return Ok(Advance::Refused(from));
    }
    db::set_status(connection, id, to, now).await?;
    let payout = db::find(connection, id).await?;
    let payout = payout.ok_or_else(|| ApiError::internal("a payout that is held is not there"))?;
    let mut entry = cx.audit_system("payout:status_changed", "payout", id);
    entry.metadata = json!({ "from": from, "to": to, "developer_id": payout.developer_id });
    shared::audit::record(connection, entry).await?;
    let notice = Notice::Payout {
        payout_id: id,
        amount: payout.amount.0,
        currency: &payout.currency,
        status: to.as_str(),
    };
    notify::notify(connection, &[developer], &notice, now).await?;
    Ok(Advance::Done(payout))
}

impl PayoutStatus {
    const ALL: [Self; 4] = [Self::Pending, Self::Processing, Self::Paid, Self::Failed];

    /// The stored text.
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
    fn a_payout_goes_forward_and_ends() {
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
