//! Queries over `coupons`, which belong to the deployment.

use api_core::{ApiError, Result, Timestamp, graphql::Int64, page::Window};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::coupons::{self, dsl};
use uuid::Uuid;

use super::{
    Coupon, CouponDuration,
    input::{CouponChanges, NewCoupon},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = coupons)]
struct Row {
    id: Uuid,
    code: String,
    percent_off: Option<i32>,
    amount_off: Option<i64>,
    duration: String,
    max_redemptions: Option<i32>,
    redeemed: i32,
    expires_at: Option<Timestamp>,
    is_active: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    is_active: Option<bool>,
    window: Window,
) -> Result<(Vec<Coupon>, i64)> {
    let mut count = coupons::table.count().into_boxed();
    let mut rows = coupons::table.into_boxed();
    if let Some(is_active) = is_active {
        count = count.filter(dsl::is_active.eq(is_active));
        rows = rows.filter(dsl::is_active.eq(is_active));
    }
    let total = count.get_result(connection).await?;
    let rows: Vec<Row> = rows
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok((rows.into_iter().map(coupon).collect::<Result<_>>()?, total))
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Coupon>> {
    let row = coupons::table.find(id).select(Row::as_select()).first(connection).await.optional()?;
    row.map(coupon).transpose()
}

/// Inserts a coupon. `None` when the code is taken.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    new: &NewCoupon,
    now: DateTime<Utc>,
) -> Result<Option<Coupon>> {
    let times = (dsl::created_at.eq(now), dsl::updated_at.eq(now));
    let row = insert_into(coupons::table)
        .values((dsl::id.eq(shared::id::new()), new, times))
        .on_conflict(dsl::code)
        .do_nothing()
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    row.map(coupon).transpose()
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    changes: &CouponChanges,
    now: DateTime<Utc>,
) -> Result<Option<Coupon>> {
    let row = diesel::update(coupons::table.find(id))
        .set((changes, dsl::updated_at.eq(now)))
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    row.map(coupon).transpose()
}

/// Deactivates a coupon. `None` when no active coupon has this id.
pub(super) async fn deactivate(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Coupon>> {
    let active = coupons::table.filter(dsl::id.eq(id).and(dsl::is_active));
    let row = diesel::update(active)
        .set((dsl::is_active.eq(false), dsl::updated_at.eq(now)))
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    row.map(coupon).transpose()
}

fn coupon(row: Row) -> Result<Coupon> {
    let duration = CouponDuration::parse(&row.duration)
        .ok_or_else(|| ApiError::internal("a coupon has an unknown duration"))?;
    Ok(Coupon {
        id: row.id,
        code: row.code,
        percent_off: row.percent_off,
        amount_off: row.amount_off.map(Int64),
        duration,
        max_redemptions: row.max_redemptions,
        redeemed: row.redeemed,
        expires_at: row.expires_at,
        is_active: row.is_active,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}
