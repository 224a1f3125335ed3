//! Testers over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ExtensionTester, InviteExtensionTesterInput};

pub struct ExtensionTesterQueries;
pub struct ExtensionTesterMutations;

#[graphql_object(context = Cx)]
impl ExtensionTesterQueries {
    /// The testers of an extension.
    async fn extension_testers(ctx: &Cx, id: Uuid) -> Result<Vec<ExtensionTester>> {
        super::extension_testers(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl ExtensionTesterMutations {
    /// Add a tester.
    async fn invite_extension_tester(
        ctx: &Cx,
        id: Uuid,
        input: InviteExtensionTesterInput,
    ) -> Result<ExtensionTester> {
        super::invite_extension_tester(ctx, Ok(id), Ok(input)).await
    }

    /// Remove a tester.
    async fn remove_extension_tester(ctx: &Cx, id: Uuid, user_id: Uuid) -> Result<bool> {
        super::remove_extension_tester(ctx, Ok(id), Ok(user_id)).await.map(|()| true)
    }
}
