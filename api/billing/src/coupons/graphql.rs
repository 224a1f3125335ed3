//! Coupons over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{AdminCreateCouponInput, AdminUpdateCouponInput, Coupon, CouponQuery};

pub struct CouponQueries;
pub struct CouponMutations;

/// One page of coupons.
#[derive(GraphQLObject)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct CouponPage {
    items: Vec<Coupon>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<Coupon>> for CouponPage {
    fn from(page: Page<Coupon>) -> Self {
        let pages = Int64(page.pages());
        Self {
            total: Int64(page.total),
            page: Int64(page.window.page),
            limit: Int64(page.window.limit),
            pages,
            items: page.items,
        }
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CouponQueries {
    /// Coupons, newest first.
    async fn admin_coupons(
        ctx: &Cx,
        is_active: Option<bool>,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<CouponPage> {
        let query = CouponQuery { is_active, page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
        Ok(super::admin_coupons(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CouponMutations {
    /// Make a coupon.
    async fn admin_create_coupon(ctx: &Cx, input: AdminCreateCouponInput) -> Result<Coupon> {
        super::admin_create_coupon(ctx, Ok(input)).await
    }

    /// Change how often, until when and whether a coupon can be redeemed.
    async fn admin_update_coupon(ctx: &Cx, id: Uuid, input: AdminUpdateCouponInput) -> Result<Coupon> {
        super::admin_update_coupon(ctx, Ok(id), Ok(input)).await
    }

    /// End a coupon: nobody can redeem it any more.
    async fn admin_deactivate_coupon(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_deactivate_coupon(ctx, Ok(id)).await?;
        Ok(true)
    }
}
