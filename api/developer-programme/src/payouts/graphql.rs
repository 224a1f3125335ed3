//! GraphQL fields of `payouts`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    DeveloperPayeeQuery, DeveloperPayout, DeveloperPayoutQuery, DeveloperPayoutSettings, DeveloperRevenue,
    DeveloperRevenueQuery, RequestDeveloperPayoutInput, UpdateDeveloperPayoutSettingsInput,
};

/// Query fields.
pub struct DeveloperPayoutQueries;
/// Mutation fields.
pub struct DeveloperPayoutMutations;

graphql_page! {
    /// Page of payouts to a developer.
    DeveloperPayoutPage of DeveloperPayout
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperPayoutQueries {
    async fn developer_payout_settings(ctx: &Cx, team_id: Option<Uuid>) -> Result<DeveloperPayoutSettings> {
        super::developer_payout_settings(ctx, Ok(DeveloperPayeeQuery { team_id })).await
    }

    async fn developer_payouts(
        ctx: &Cx,
        team_id: Option<Uuid>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<DeveloperPayoutPage> {
        let query = DeveloperPayoutQuery { team_id, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::developer_payouts(ctx, Ok(query)).await?.into())
    }

    async fn developer_revenue(
        ctx: &Cx,
        team_id: Option<Uuid>,
        from: Option<String>,
        to: Option<String>,
    ) -> Result<DeveloperRevenue> {
        super::developer_revenue(ctx, Ok(DeveloperRevenueQuery { team_id, from, to })).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperPayoutMutations {
    async fn update_developer_payout_settings(
        ctx: &Cx,
        input: UpdateDeveloperPayoutSettingsInput,
    ) -> Result<DeveloperPayoutSettings> {
        super::update_developer_payout_settings(ctx, Ok(input)).await
    }

    async fn request_developer_payout(
        ctx: &Cx,
        input: Option<RequestDeveloperPayoutInput>,
    ) -> Result<DeveloperPayout> {
        super::request_developer_payout(ctx, Ok(input.unwrap_or_default())).await
    }
}
