//! People as operator staff sees and changes them, over GraphQL.

use api_core::{Cx, Result, access::AccountCreationOverride, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AdminUser, AdminUserMembership, AdminUserSummary,
    changes::{self, AdminUpdateUserInput},
    memberships::{self, AdminAddUserMembershipInput},
    removal,
};
use crate::search::SearchQuery;

pub struct AdminUserQueries;
pub struct AdminUserMutations;

graphql_page! {
    /// One page of people.
    AdminUserPage of AdminUserSummary
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminUserQueries {
    /// People, newest first.
    async fn admin_users(
        ctx: &Cx,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<AdminUserPage> {
        let query = SearchQuery { search, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_users(ctx, Ok(query)).await?.into())
    }

    /// A person with memberships and login connections.
    async fn admin_user(ctx: &Cx, id: Uuid) -> Result<AdminUser> {
        super::admin_user(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminUserMutations {
    /// Change a person.
    async fn admin_update_user(ctx: &Cx, id: Uuid, input: AdminUpdateUserInput) -> Result<AdminUser> {
        changes::admin_update_user(ctx, Ok(id), Ok(input)).await
    }

    /// Override whether a person may create accounts.
    async fn admin_update_user_account_creation_override(
        ctx: &Cx,
        user_id: Uuid,
        r#override: AccountCreationOverride,
    ) -> Result<AdminUser> {
        changes::admin_update_user_account_creation_override(ctx, Ok(user_id), r#override).await
    }

    /// Delete a person with the accounts that they own.
    async fn admin_delete_user(ctx: &Cx, id: Uuid) -> Result<bool> {
        removal::admin_delete_user(ctx, Ok(id)).await?;
        Ok(true)
    }

    /// Remove something that a person signs in with.
    async fn admin_disconnect_user_login(ctx: &Cx, user_id: Uuid, login_connection_id: Uuid) -> Result<bool> {
        removal::admin_disconnect_user_login(ctx, Ok(user_id), Ok(login_connection_id)).await?;
        Ok(true)
    }

    /// Make a person a member of an account.
    async fn admin_add_user_membership(
        ctx: &Cx,
        user_id: Uuid,
        input: AdminAddUserMembershipInput,
    ) -> Result<AdminUserMembership> {
        memberships::admin_add_user_membership(ctx, Ok(user_id), Ok(input)).await
    }

    /// End a person's membership of an account.
    async fn admin_remove_user_membership(ctx: &Cx, user_id: Uuid, membership_id: Uuid) -> Result<bool> {
        memberships::admin_remove_user_membership(ctx, Ok(user_id), Ok(membership_id)).await?;
        Ok(true)
    }
}
