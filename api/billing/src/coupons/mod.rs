//! Coupons, as staff manages them (reference/billing.md#coupons).

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
    /// Id of the coupon.
    pub id: Uuid,
    /// Code: upper-case letters, digits, `-` and `_`.
    pub code: String,
    /// Discount in percent, 1 to 100; null when an amount is taken off.
    pub percent_off: Option<i32>,
    /// Discount in minor units of the plan's currency; null when a percentage is taken off.
    pub amount_off: Option<Int64>,
    /// Payments that are discounted.
    pub duration: CouponDuration,
    /// Maximum number of redemptions; null when there is none.
    pub max_redemptions: Option<i32>,
    /// Number of redemptions.
    pub redeemed: i32,
    /// Time of expiry; null when it does not expire.
    pub expires_at: Option<Timestamp>,
    /// False when the coupon cannot be redeemed.
    pub is_active: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Payments that a coupon discounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CouponDuration {
    /// The first payment.
    Once,
    /// Every payment.
    Forever,
}

/// Filter and page of the coupons.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CouponQuery {
    /// Active coupons only, or inactive ones only; absent: all.
    pub is_active: Option<bool>,
    /// Number of the page, from 1; absent: 1.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Coupons of a page, 1 to 100; absent: 25.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static ADMIN_COUPONS: Operation<Admin> =
    Operation::admin("adminCoupons", AdminPermission::CouponsRead, Grants::Nothing);

/// Lists the coupons of the deployment.
///
/// The newest coupon comes first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the page is out of bounds.
#[api_core::operation]
pub async fn admin_coupons(cx: &Cx, query: Input<CouponQuery>) -> Result<Page<Coupon>> {
    let admin = cx.authorize(&ADMIN_COUPONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::list(&mut *admin.db().await?, query.is_active, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_CREATE_COUPON: Operation<Admin> =
    Operation::admin("adminCreateCoupon", AdminPermission::CouponsCreate, Grants::Nothing).idempotent();

/// Creates a coupon.
///
/// The code is stored in upper case. Code and discount cannot be changed later. No operation redeems coupons
/// yet.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a field is malformed, or not exactly one of `percent_off` and `amount_off` is given.
/// - 409: the code is in use.
#[api_core::operation]
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

pub static ADMIN_UPDATE_COUPON: Operation<Admin> =
    Operation::admin("adminUpdateCoupon", AdminPermission::CouponsEdit, Grants::Nothing);

/// Updates the maximum number of redemptions, the expiry and the activation of a coupon.
///
/// Absent fields stay as they are. Code and discount cannot be changed, because customers know them.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a field is malformed.
/// - 404: no such coupon exists.
#[api_core::operation]
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

pub static ADMIN_DEACTIVATE_COUPON: Operation<Admin> =
    Operation::admin("adminDeactivateCoupon", AdminPermission::CouponsDelete, Grants::Nothing);

/// Deactivates a coupon.
///
/// The coupon can no longer be redeemed. Its row stays for those who redeemed it. A second call changes
/// nothing.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no such coupon exists.
#[api_core::operation]
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
    Ok(foundation::audit::record(connection, entry).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("Coupon not found")
}

impl CouponDuration {
    const ALL: [Self; 2] = [Self::Once, Self::Forever];

    /// Text of the duration in the database and in JSON.
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
