//! Coupons over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminCreateCouponInput, AdminUpdateCouponInput, Coupon, CouponQuery};

/// Queries of coupons.
pub struct CouponQueries;
/// Mutations of coupons.
pub struct CouponMutations;

graphql_page! {
    /// One page of coupons.
    CouponPage of Coupon
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CouponQueries {
    async fn admin_coupons(
        ctx: &Cx,
        is_active: Option<bool>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<CouponPage> {
        let query = CouponQuery { is_active, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_coupons(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CouponMutations {
    async fn admin_create_coupon(ctx: &Cx, input: AdminCreateCouponInput) -> Result<Coupon> {
        super::admin_create_coupon(ctx, Ok(input)).await
    }

    async fn admin_update_coupon(ctx: &Cx, id: Uuid, input: AdminUpdateCouponInput) -> Result<Coupon> {
        super::admin_update_coupon(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_deactivate_coupon(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_deactivate_coupon(ctx, Ok(id)).await?;
        Ok(true)
    }
}
