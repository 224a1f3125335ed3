//! Present limits of a caller with what is left of each (reference/limits.md#present-limits).

mod budgets;
pub mod graphql;
mod plan;
pub mod rest;
mod windows;

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AnyOperation, Authenticated, Grants, Principal},
    graphql::Int64,
    limits::{Counted, Holder, Maximum, counted},
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::id::UserId;
use utoipa::ToSchema;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&LIMITS];

/// A limit with what is left of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct PresentLimit {
    /// Name of the limit.
    pub name: String,
    /// Holder of the limit.
    pub scope: PresentLimitScope,
    /// Highest value. 2147483647 means unlimited for objects and days that a plan states, not for bytes.
    pub limit: Int64,
    /// `requests`, `objects`, `bytes` or `days`; of a budget also `milliseconds`, `fetches` or `messages`.
    pub unit: String,
    /// Length of the window in seconds. Null for a limit that is not per time.
    pub window_secs: Option<i32>,
    /// Present use. Null for a limit of one object.
    pub used: Option<Int64>,
    /// Rest of the limit, 0 at least. Null for a limit of one object.
    pub remaining: Option<Int64>,
    /// End of the present window. Null for a limit that is not per time.
    pub resets_at: Option<Timestamp>,
    /// Source of the limit.
    pub source: PresentLimitSource,
}

/// Holder of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PresentLimitScope {
    /// The credential of the request, or its person over all accounts.
    Credential,
    /// The account.
    Account,
    /// The address of the request.
    Address,
}

/// Source of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PresentLimitSource {
    /// Configuration of the deployment.
    Configuration,
    /// The same for everybody.
    Constant,
    /// Plan of the account, or of the person's accounts.
    Plan,
    /// Value that staff has set for the account.
    Override,
    /// Budget that the account has set.
    Budget,
}

pub static LIMITS: Operation<Authenticated> = Operation::authenticated("limits", Grants::Nothing);

/// Lists the present limits of the caller with what is left of each.
///
/// Those of the credential and of its person come first, then those of the account, then those of the address. Limits
/// of a person are shown to sessions and personal keys. Without an active account there are none of an account.
/// Nothing is counted by it but the request itself.
///
/// (reference/limits.md#present-limits)
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn limits(cx: &Cx) -> Result<Vec<PresentLimit>> {
    let caller = cx.authorize(&LIMITS).await?;
    let (account, person, now) = (caller.account, person(cx.principal()), cx.state().clock.now());
    let mut limits = windows::present(cx, account, person).await;
    let connection = &mut *caller.db().await?;
    limits.extend(counted(connection, account, person, now).await?.into_iter().map(PresentLimit::from));
    if let Some(account) = account {
        limits.extend(plan::present(connection, account).await?);
        limits.extend(budgets::present(connection, account, now).await?);
    }
    limits.sort_by(|a, b| (a.scope, &a.name).cmp(&(b.scope, &b.name)));
    Ok(limits)
}

/// Person whose limits are shown: a popout may be known to another member, and keys of an account have no person.
const fn person(principal: &Principal) -> Option<UserId> {
    match principal {
        Principal::Session { user, .. } | Principal::PersonalKey { user, .. } => Some(*user),
        _ => None,
    }
}

impl PresentLimit {
    fn of_objects(
        name: &str,
        scope: PresentLimitScope,
        unit: &str,
        source: PresentLimitSource,
        limit: i64,
        used: Option<i64>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            scope,
            limit: Int64(limit),
            unit: unit.to_owned(),
            window_secs: None,
            used: used.map(Int64),
            remaining: used.map(|used| Int64(limit.saturating_sub(used).max(0))),
            resets_at: None,
            source,
        }
    }
}

impl From<Counted> for PresentLimit {
    fn from(Counted { limit, maximum, used }: Counted) -> Self {
        let source = match limit.maximum {
            Maximum::Constant(_) | Maximum::AtLeast(..) => PresentLimitSource::Constant,
            Maximum::Plan(_) => PresentLimitSource::Plan,
        };
        Self::of_objects(limit.name, limit.holder.into(), limit.unit, source, maximum, Some(used))
    }
}

impl From<Holder> for PresentLimitScope {
    fn from(holder: Holder) -> Self {
        match holder {
            Holder::Account => Self::Account,
            Holder::Credential | Holder::Person => Self::Credential,
            Holder::Address => Self::Address,
        }
    }
}
