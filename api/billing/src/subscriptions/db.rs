//! Queries over `subscriptions` of all accounts, for staff.

use api_core::{Result, Timestamp, page::Window};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::{
    accounts, plans,
    subscriptions::{self, dsl},
};
use uuid::Uuid;

use super::{AdminSubscription, SubscriptionQuery};
use crate::status::db::stored;

#[derive(Queryable)]
struct Row {
    id: Uuid,
    account: (Uuid, String),
    plan: (Uuid, String, String),
    status: String,
    renews_at: Option<Timestamp>,
    cancelled_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    query: &SubscriptionQuery,
    window: Window,
) -> Result<(Vec<AdminSubscription>, i64)> {
    let mut count = subscriptions::table.count().into_boxed();
    let mut rows = subscriptions::table
        .inner_join(accounts::table)
        .inner_join(plans::table.on(plans::id.eq(dsl::plan_id)))
        .into_boxed();
    if let Some(status) = query.status {
        count = count.filter(dsl::status.eq(status.as_str()));
        rows = rows.filter(dsl::status.eq(status.as_str()));
    }
    if let Some(plan) = query.plan_id {
        count = count.filter(dsl::plan_id.eq(plan));
        rows = rows.filter(dsl::plan_id.eq(plan));
    }
    let total = count.get_result(connection).await?;
    let rows: Vec<Row> = rows
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select((
            dsl::id,
            (accounts::id, accounts::name),
            (plans::id, plans::slug, plans::name),
            dsl::status,
            dsl::renews_at,
            dsl::cancelled_at,
            dsl::created_at,
            dsl::updated_at,
        ))
        .load(connection)
        .await?;
    Ok((rows.into_iter().map(subscription).collect::<Result<_>>()?, total))
}

fn subscription(row: Row) -> Result<AdminSubscription> {
    let ((account_id, account_name), (plan_id, plan_slug, plan_name)) = (row.account, row.plan);
    Ok(AdminSubscription {
        id: row.id,
        account_id,
        account_name,
        plan_id,
        plan_slug,
        plan_name,
        status: stored(&row.status)?,
        renews_at: row.renews_at,
        cancelled_at: row.cancelled_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}
