//! Accounts over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{Account, CreateAccountInput, CreateAccountResult};

pub struct AccountQueries;
pub struct AccountMutations;

#[graphql_object(context = Cx)]
impl AccountQueries {
    /// The accounts that the caller belongs to.
    async fn accounts(ctx: &Cx) -> Result<Vec<Account>> {
        super::accounts(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl AccountMutations {
    /// Create an account.
    async fn create_account(ctx: &Cx, input: CreateAccountInput) -> Result<CreateAccountResult> {
        super::create_account(ctx, Ok(input)).await
    }
}
