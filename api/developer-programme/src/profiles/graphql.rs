//! GraphQL fields of `profiles`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{DeveloperProfile, PublicDeveloperProfile, UpdateDeveloperProfileInput};

/// Query fields.
pub struct DeveloperProfileQueries;
/// Mutation fields.
pub struct DeveloperProfileMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperProfileQueries {
    async fn developer_profile(ctx: &Cx) -> Result<DeveloperProfile> {
        super::developer_profile(ctx).await
    }

    async fn public_developer_profile(ctx: &Cx, slug: String) -> Result<PublicDeveloperProfile> {
        super::public_developer_profile(ctx, &slug).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperProfileMutations {
    async fn update_developer_profile(
        ctx: &Cx,
        input: UpdateDeveloperProfileInput,
    ) -> Result<DeveloperProfile> {
        super::update_developer_profile(ctx, Ok(input)).await
    }
}
