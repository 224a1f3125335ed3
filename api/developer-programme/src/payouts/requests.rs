//! Requests for payouts and their history (reference/programme.md#payouts).

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result,
    access::{Grants, SignedIn},
    graphql::Int64,
};
use developer_access::credentials;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry, Scope};
use juniper::GraphQLInputObject;
use notices::notify::{self, Notice};
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::{AccountPermission, TeamPermission};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{
    db,
    method::DeveloperPayoutMethod,
    objects::DeveloperPayout,
    payee::Payee,
    settings::{self, EDITORS, READERS},
};

/// Request for a payout.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "amount": 5000 }))]
pub struct RequestDeveloperPayoutInput {
    /// Team whose balance is paid; the caller's own when absent.
    pub team_id: Option<Uuid>,
    /// Amount in cents, at most the balance; the whole balance when absent.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(1)), ("maximum" = json!(i64::MAX))))]
    pub amount: Option<Int64>,
}

/// Payee and page of payouts.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeveloperPayoutQuery {
    /// Team that is paid; the caller when absent.
    pub team_id: Option<Uuid>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static REQUEST_DEVELOPER_PAYOUT: Operation<SignedIn> =
    Operation::first_party("requestDeveloperPayout", Grants::Nothing).in_team(EDITORS).idempotent();

/// Requests a payout of the balance of the caller, or of a team, by the method of the payout settings.
///
/// The amount leaves the balance. It returns when the payout fails. Staff pays and moves the status.
///
/// # Errors
/// Refusals of the access rule; 403 for a personal key without `extension-dev:payouts`, for a member of the team
/// without `team-payouts:edit`, and for a developer or owner of the team who is not verified; 400 for an amount
/// below the minimum of the method or above the balance; 404 for a person who is no developer, and for a team
/// that the caller does not belong to; 409 without a method, and while another payout is pending.
#[api_core::operation]
pub async fn request_developer_payout(
    cx: &Cx,
    input: Input<RequestDeveloperPayoutInput>,
) -> Result<DeveloperPayout> {
    let person = cx.authorize(&REQUEST_DEVELOPER_PAYOUT).await?;
    credentials::carries(cx, AccountPermission::ExtensionDevPayouts)?;
    let RequestDeveloperPayoutInput { team_id, amount } = input?;
    let of = (team_id, TeamPermission::TeamPayoutsEdit);
    let asked = amount.map(|amount| amount.0);
    if asked.is_some_and(|amount| amount < 1) {
        return Err(ApiError::invalid("amount must be 1 or greater"));
    }
    let now = cx.state().clock.now();
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            // Requests of a developer follow each other: each sees the balance that the others left.
            let payee = Payee::lock(connection, person.user, of).await?;
            if !payee.developer.verified {
                return Err(ApiError::forbidden("Developer verification required"));
            }
            let method = settings::stored(cx, connection, &payee).await?.method;
            let method = method.ok_or_else(|| ApiError::conflict("No payout method is chosen"))?;
            let amount = payable(connection, &payee, (method, asked)).await?;
            let payout = db::insert_payout(connection, (&payee, person.user), (method, amount), now).await?;
            let metadata = json!({
                "amount": amount, "currency": payout.currency, "method": method, "team_id": team_id,
            });
            let entry = cx.audit("developer:payout_requested", "payout", payout.id);
            audit::record(connection, Entry { scope: Scope::User, metadata, ..entry }).await?;
            let notice = Notice::Payout {
                payout_id: payout.id,
                amount,
                currency: &payout.currency,
                status: "pending",
            };
            notify::notify(connection, &payee.notified(person.user), &notice, now).await?;
            Ok(payout)
        })
        .await
}

/// Amount of a new payout. The payee is locked.
///
/// # Errors
/// 409 while another payout is pending; 400 below the minimum or above the balance.
async fn payable(
    connection: &mut AsyncPgConnection,
    payee: &Payee,
    (method, asked): (DeveloperPayoutMethod, Option<i64>),
) -> Result<i64> {
    if db::has_pending(connection, payee).await? {
        return Err(ApiError::conflict("A payout is already pending"));
    }
    let balance = db::balance(connection, payee).await?.available();
    let (amount, minimum) = (asked.unwrap_or(balance), method.minimum());
    if amount < minimum {
        let minimum = format!("{}.{:02}", minimum / 100, minimum % 100);
        return Err(ApiError::invalid(format!("Minimum payout is {minimum}")));
    }
    if amount > balance {
        return Err(ApiError::invalid("amount must not exceed the balance"));
    }
    Ok(amount)
}

pub static DEVELOPER_PAYOUTS: Operation<SignedIn> =
    Operation::first_party("developerPayouts", Grants::Nothing).in_team(READERS);

/// Lists the payouts to the caller, or to a team, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for a page out of bounds; 403 for a member of the team without
/// `team-payouts:read`; 404 for a person who is no developer, and for a team that the caller does not belong to.
#[api_core::operation]
pub async fn developer_payouts(cx: &Cx, query: Input<DeveloperPayoutQuery>) -> Result<Page<DeveloperPayout>> {
    let person = cx.authorize(&DEVELOPER_PAYOUTS).await?;
    credentials::carries(cx, AccountPermission::ExtensionDevPayouts)?;
    let DeveloperPayoutQuery { team_id, page, limit } = query?;
    let window = PageRequest { page, limit }.check()?;
    let mut connection = person.db().await?;
    let of = (team_id, TeamPermission::TeamPayoutsRead);
    let payee = Payee::find(&mut connection, person.user, of).await?;
    let (items, total) = db::payouts(&mut connection, &payee, window).await?;
    Ok(Page { items, total, window })
}
