//! Testers over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ExtensionTester, InviteExtensionTesterInput};

/// Queries of testers.
pub struct ExtensionTesterQueries;
/// Mutations of testers.
pub struct ExtensionTesterMutations;

#[graphql_object(context = Cx)]
impl ExtensionTesterQueries {
    async fn extension_testers(ctx: &Cx, id: Uuid) -> Result<Vec<ExtensionTester>> {
        super::extension_testers(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl ExtensionTesterMutations {
    async fn invite_extension_tester(
        ctx: &Cx,
        id: Uuid,
        input: InviteExtensionTesterInput,
    ) -> Result<ExtensionTester> {
        super::invite_extension_tester(ctx, Ok(id), Ok(input)).await
    }

    async fn remove_extension_tester(ctx: &Cx, id: Uuid, user_id: Uuid) -> Result<bool> {
        super::remove_extension_tester(ctx, Ok(id), Ok(user_id)).await.map(|()| true)
    }
}
