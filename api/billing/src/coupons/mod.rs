//! Coupons as operators keep them (specification C §8.2).

mod db;
pub mod graphql;
mod input;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
    graphql::Int64,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use input::{AdminCreateCouponInput, AdminUpdateCouponInput};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_COUPONS, &ADMIN_CREATE_COUPON, &ADMIN_UPDATE_COUPON, &ADMIN_DEACTIVATE_COUPON];

/// A coupon.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Coupon {
    pub id: Uuid,
    /// Upper-case letters, digits, `-` and `_`.
    pub code: String,
    /// 1 to 100, or null where an amount is taken off.
    pub percent_off: Option<i32>,
    /// Minor units of the plan's currency, or null where a share is taken off.
    pub amount_off: Option<Int64>,
    pub duration: CouponDuration,
    /// Null: any number.
    pub max_redemptions: Option<i32>,
    pub redeemed: i32,
    /// Null: never.
    pub expires_at: Option<Timestamp>,
    pub is_active: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// How long a coupon takes something off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CouponDuration {
    /// The first payment.
    Once,
    /// Every payment.
    Forever,
}

/// Which coupons are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CouponQuery {
    pub is_active: Option<bool>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Every coupon.
pub static ADMIN_COUPONS: Operation<Admin> =
    Operation::admin("adminCoupons", AdminPermission::CouponsRead, Grants::Nothing);

/// Lists coupons, newest first.
///
/// # Errors
/// As the rule; 400 for a page out of bounds.
pub async fn admin_coupons(cx: &Cx, query: Input<CouponQuery>) -> Result<Page<Coupon>> {
    let admin = cx.authorize(&ADMIN_COUPONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::list(&mut *admin.db().await?, query.is_active, window).await?;
    Ok(Page { items, total, window })
}

/// Makes a coupon.
pub static ADMIN_CREATE_COUPON: Operation<Admin> =
    Operation::admin("adminCreateCoupon", AdminPermission::CouponsCreate, Grants::Nothing);

/// Makes a coupon.
///
/// # Errors
/// As the rule; 400 for a wrong field; 409 `Coupon code already in use`.
pub async fn admin_create_coupon(cx: &Cx, input: Input<AdminCreateCouponInput>) -> Result<Coupon> {
    let admin = cx.authorize(&ADMIN_CREATE_COUPON).await?;
    let now = cx.state().clock.now();
    let wanted = input?.checked(now)?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let coupon = db::insert(connection, &wanted, now).await?;
            let coupon = coupon.ok_or_else(|| ApiError::conflict("Coupon code already in use"))?;
            record(cx, connection, "coupon:created", &coupon).await?;
            Ok(coupon)
        })
        .await
}

/// Changes a coupon.
pub static ADMIN_UPDATE_COUPON: Operation<Admin> =
    Operation::admin("adminUpdateCoupon", AdminPermission::CouponsEdit, Grants::Nothing);

/// Changes how often, until when and whether a coupon can be redeemed. Code and discount stay what customers were told.
///
/// # Errors
/// As the rule; 400 for a wrong field; 404 `Coupon not found`.
pub async fn admin_update_coupon(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateCouponInput>,
) -> Result<Coupon> {
    let admin = cx.authorize(&ADMIN_UPDATE_COUPON).await?;
    let now = cx.state().clock.now();
    let (id, changes) = (id?, input?.checked(now)?);
    let mut connection = admin.db().await?;
    if changes.is_nothing() {
        return db::find(&mut connection, id).await?.ok_or_else(not_found);
    }
    connection
        .transaction(async |connection| {
            let coupon = db::update(connection, id, &changes, now).await?.ok_or_else(not_found)?;
            record(cx, connection, "coupon:updated", &coupon).await?;
            Ok(coupon)
        })
        .await
}

/// Ends a coupon.
pub static ADMIN_DEACTIVATE_COUPON: Operation<Admin> =
    Operation::admin("adminDeactivateCoupon", AdminPermission::CouponsDelete, Grants::Nothing);

/// Ends a coupon: it stays, for those who redeemed it, but nobody can redeem it any more. Ending it again changes
/// nothing.
///
/// # Errors
/// As the rule; 404 `Coupon not found`.
pub async fn admin_deactivate_coupon(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DEACTIVATE_COUPON).await?;
    let id = id?;
    let now = cx.state().clock.now();
    admin
        .db()
        .await?
        .transaction(async |connection| match db::deactivate(connection, id, now).await? {
            Some(coupon) => record(cx, connection, "coupon:deactivated", &coupon).await,
            None => db::find(connection, id).await?.map(drop).ok_or_else(not_found),
        })
        .await
}

async fn record(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    action: &str,
    coupon: &Coupon,
) -> Result<()> {
    let mut entry = cx.audit_system(action, "coupon", coupon.id);
    entry.metadata = json!({
        "code": coupon.code,
        "is_active": coupon.is_active,
        "max_redemptions": coupon.max_redemptions,
        "expires_at": coupon.expires_at,
    });
    Ok(shared::audit::record(connection, entry).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("Coupon not found")
}

impl CouponDuration {
    const ALL: [Self; 2] = [Self::Once, Self::Forever];

    /// The stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Forever => "forever",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|duration| duration.as_str() == text)
    }
}
