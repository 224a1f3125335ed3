//! GraphQL fields of `admin_users`.

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

/// Query fields.
pub struct AdminUserQueries;
/// Mutation fields.
pub struct AdminUserMutations;

graphql_page! {
    /// Page of people.
    AdminUserPage of AdminUserSummary
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminUserQueries {
    async fn admin_users(
        ctx: &Cx,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<AdminUserPage> {
        let query = SearchQuery { search, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_users(ctx, Ok(query)).await?.into())
    }

    async fn admin_user(ctx: &Cx, id: Uuid) -> Result<AdminUser> {
        super::admin_user(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminUserMutations {
    async fn admin_update_user(ctx: &Cx, id: Uuid, input: AdminUpdateUserInput) -> Result<AdminUser> {
        changes::admin_update_user(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_update_user_account_creation_override(
        ctx: &Cx,
        user_id: Uuid,
        r#override: AccountCreationOverride,
    ) -> Result<AdminUser> {
        changes::admin_update_user_account_creation_override(ctx, Ok(user_id), r#override).await
    }

    async fn admin_delete_user(ctx: &Cx, id: Uuid) -> Result<bool> {
        removal::admin_delete_user(ctx, Ok(id)).await?;
        Ok(true)
    }

    async fn admin_disconnect_user_login(ctx: &Cx, user_id: Uuid, login_connection_id: Uuid) -> Result<bool> {
        removal::admin_disconnect_user_login(ctx, Ok(user_id), Ok(login_connection_id)).await?;
        Ok(true)
    }

    async fn admin_add_user_membership(
        ctx: &Cx,
        user_id: Uuid,
        input: AdminAddUserMembershipInput,
    ) -> Result<AdminUserMembership> {
        memberships::admin_add_user_membership(ctx, Ok(user_id), Ok(input)).await
    }

    async fn admin_remove_user_membership(ctx: &Cx, user_id: Uuid, membership_id: Uuid) -> Result<bool> {
        memberships::admin_remove_user_membership(ctx, Ok(user_id), Ok(membership_id)).await?;
        Ok(true)
    }
}
