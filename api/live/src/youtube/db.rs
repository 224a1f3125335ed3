//! Queries over `youtube_membership_tiers`. Each carries the account.

use api_core::{Result, Timestamp};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::timeseries::youtube_membership_tiers::{self, dsl},
};

use super::MembershipTier;

/// Bound of the query, above the number that is kept of an account.
const MAX_TIERS: i64 = 500;

#[derive(Queryable, Selectable)]
#[diesel(table_name = youtube_membership_tiers)]
struct Row {
    tooltip: String,
    tier_name: String,
    badge_url: Option<String>,
    duration_value: Option<i32>,
    duration_unit: Option<String>,
    member_months_min: Option<i32>,
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
}

pub(super) async fn tiers(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<MembershipTier>> {
    let rows: Vec<Row> = dsl::youtube_membership_tiers
        .filter(dsl::account_id.eq(account))
        .order((dsl::first_seen_at.asc(), dsl::tooltip.asc()))
        .limit(MAX_TIERS)
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok((0..).zip(rows).map(|(place, row)| row.into_tier(place)).collect())
}

impl Row {
    fn into_tier(self, sort_order: i32) -> MembershipTier {
        MembershipTier {
            tooltip: self.tooltip,
            tier_name: self.tier_name,
            badge_url: self.badge_url,
            duration_value: self.duration_value,
            duration_unit: self.duration_unit,
            member_months_min: self.member_months_min,
            sort_order,
            first_seen_at: self.first_seen_at,
            last_seen_at: self.last_seen_at,
        }
    }
}
