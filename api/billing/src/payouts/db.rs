//! Queries over `developer_payouts` of all developers, for staff.

use api_core::{ApiError, Result, Timestamp, access::team_membership, graphql::Int64, page::Window};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        developer_payouts::{self, dsl},
        developer_profiles,
    },
};
use uuid::Uuid;

use super::{AdminPayout, PayoutMethod, PayoutStatus};

#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_payouts)]
struct Row {
    id: Uuid,
    developer_id: Uuid,
    team_id: Option<Uuid>,
    amount: i64,
    currency: String,
    method: String,
    status: String,
    created_at: Timestamp,
    paid_at: Option<Timestamp>,
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    status: Option<PayoutStatus>,
    window: Window,
) -> Result<(Vec<AdminPayout>, i64)> {
    let mut count = developer_payouts::table.count().into_boxed();
    let mut rows = developer_payouts::table.inner_join(developer_profiles::table).into_boxed();
    if let Some(status) = status {
        count = count.filter(dsl::status.eq(status.as_str()));
        rows = rows.filter(dsl::status.eq(status.as_str()));
    }
    let total = count.get_result(connection).await?;
    let rows: Vec<(Row, String)> = rows
        .order((dsl::created_at, dsl::id))
        .limit(window.limit)
        .offset(window.offset())
        .select((Row::as_select(), developer_profiles::display_name))
        .load(connection)
        .await?;
    Ok((rows.into_iter().map(payout).collect::<Result<_>>()?, total))
}

/// Status of a payout and the people who are notified of it: the developer or owner of the team, and the member who
/// requested a payout of the team. Its row is locked until the transaction ends.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    id: Uuid,
) -> Result<Option<(PayoutStatus, Vec<UserId>)>> {
    type Found = (String, Uuid, Option<Uuid>, Option<UserId>);
    let held: Option<Found> = developer_payouts::table
        .find(id)
        .select((dsl::status, dsl::developer_id, dsl::team_id, dsl::requested_by))
        .for_update()
        .first(connection)
        .await
        .optional()?;
    let Some((status, developer, team, requester)) = held else { return Ok(None) };
    let owner = developer_profiles::table.find(developer).select(developer_profiles::user_id);
    let owner: UserId = owner.first(connection).await?;
    let mut notified = vec![owner];
    if let (Some(team), Some(requester)) = (team, requester)
        && requester != owner
        && team_membership(connection, team, requester).await?.is_some()
    {
        notified.push(requester);
    }
    Ok(Some((stored(&status)?, notified)))
}

pub(super) async fn set_status(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    status: PayoutStatus,
    now: DateTime<Utc>,
) -> Result<()> {
    let paid_at = (status == PayoutStatus::Paid).then_some(now);
    diesel::update(developer_payouts::table.find(id))
        .set((dsl::status.eq(status.as_str()), dsl::paid_at.eq(paid_at), dsl::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<AdminPayout>> {
    let row: Option<(Row, String)> = developer_payouts::table
        .inner_join(developer_profiles::table)
        .filter(dsl::id.eq(id))
        .select((Row::as_select(), developer_profiles::display_name))
        .first(connection)
        .await
        .optional()?;
    row.map(payout).transpose()
}

fn payout((row, developer_name): (Row, String)) -> Result<AdminPayout> {
    let method = PayoutMethod::parse(&row.method)
        .ok_or_else(|| ApiError::internal("a payout has an unknown method"))?;
    Ok(AdminPayout {
        id: row.id,
        developer_id: row.developer_id,
        developer_name,
        team_id: row.team_id,
        amount: Int64(row.amount),
        currency: row.currency,
        method,
        status: stored(&row.status)?,
        created_at: row.created_at,
        paid_at: row.paid_at,
    })
}

fn stored(text: &str) -> Result<PayoutStatus> {
    PayoutStatus::parse(text).ok_or_else(|| ApiError::internal("a payout has an unknown status"))
}
