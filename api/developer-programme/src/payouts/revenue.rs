//! Revenue of a developer by extension and month (reference/programme.md#revenue).

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Grants, SignedIn},
    graphql::Int64,
    validate,
};
use chrono::TimeDelta;
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::catalogue::TeamPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{db, objects::DeveloperRevenueItem, payee::Payee, settings::READERS};

/// Span of a report without `from`, in days (reference/programme.md#revenue).
const DEFAULT_SPAN_DAYS: i64 = 365;
/// Span of a report, in days (reference/programme.md#revenue).
const MAX_SPAN_DAYS: i64 = 1830;

/// Revenue of the caller. Amounts are in cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct DeveloperRevenue {
    /// Begin of the report.
    pub from: Timestamp,
    /// End of the report, which is not part of it.
    pub to: Timestamp,
    /// Code of the currency, ISO 4217.
    pub currency: String,
    /// Sum of the payments.
    pub total_amount: Int64,
    /// Sum of the developer's shares.
    pub total_share: Int64,
    /// Revenue by extension and month, newest month first: at most 2,000 entries.
    pub items: Vec<DeveloperRevenueItem>,
}

/// Payee and span of a report.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeveloperRevenueQuery {
    /// Team whose revenue it is; the caller's own when absent.
    pub team_id: Option<Uuid>,
    /// Begin; 365 days before the end when absent.
    pub from: Option<String>,
    /// End, which is not part of the report; now when absent.
    pub to: Option<String>,
}

pub static DEVELOPER_REVENUE: Operation<SignedIn> =
    Operation::first_party("developerRevenue", Grants::Nothing).in_team(READERS);

/// Returns the revenue of the caller, or of a team, by extension and month.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed time, a begin after the end, and a span above 1,830 days;
/// 403 for a member of the team without `team-payouts:read`; 404 for a person who is no developer, and for a
/// team that the caller does not belong to.
#[api_core::operation]
pub async fn developer_revenue(cx: &Cx, query: Input<DeveloperRevenueQuery>) -> Result<DeveloperRevenue> {
    let person = cx.authorize(&DEVELOPER_REVENUE).await?;
    developer_access::credentials::carries(cx, shared::catalogue::AccountPermission::ExtensionDevPayouts)?;
    let DeveloperRevenueQuery { team_id, from, to } = query?;
    let to = to.map(|text| validate::timestamp("to", &text)).transpose()?;
    let to = to.unwrap_or_else(|| cx.state().clock.now());
    let from = from.map(|text| validate::timestamp("from", &text)).transpose()?;
    let from = from.unwrap_or(to - TimeDelta::days(DEFAULT_SPAN_DAYS));
    if from > to {
        return Err(ApiError::invalid("from must not be after to"));
    }
    if to - from > TimeDelta::days(MAX_SPAN_DAYS) {
        return Err(ApiError::invalid(format!("from must be at most {MAX_SPAN_DAYS} days before to")));
    }
    let mut connection = person.db().await?;
    let of = (team_id, TeamPermission::TeamPayoutsRead);
    let payee = Payee::find(&mut connection, person.user, of).await?;
    let (items, totals) = db::revenue(&mut connection, &payee, (from, to)).await?;
    Ok(DeveloperRevenue {
        from: from.into(),
        to: to.into(),
        currency: "EUR".to_owned(),
        total_amount: Int64(totals.0),
        total_share: Int64(totals.1),
        items,
    })
}
