//! Tokens of pages over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ExtensionToken, IssueExtensionTokenInput};

/// Mutations of tokens of pages.
pub struct TokenMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl TokenMutations {
    async fn issue_extension_token(
        ctx: &Cx,
        id: Uuid,
        input: IssueExtensionTokenInput,
    ) -> Result<ExtensionToken> {
        super::issue_extension_token(ctx, Ok(id), Ok(input)).await
    }
}
