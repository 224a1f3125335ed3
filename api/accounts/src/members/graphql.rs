//! Members over GraphQL.

use api_core::{Cx, Result};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{FoundUser, Member, SearchUsersQuery};

pub struct MemberQueries;
pub struct MemberMutations;

/// Which member is to have which role.
#[derive(GraphQLInputObject)]
pub struct UpdateMemberRoleInput {
    membership_id: Uuid,
    role_id: Uuid,
}

#[graphql_object(context = Cx)]
impl MemberQueries {
    /// Who belongs to the account, those first who joined first.
    async fn members(ctx: &Cx) -> Result<Vec<Member>> {
        super::members(ctx, None).await
    }

    /// People who are not members, by how their name begins.
    async fn search_users(ctx: &Cx, query: String, limit: Option<i32>) -> Result<Vec<FoundUser>> {
        super::search_users(ctx, Ok(SearchUsersQuery { q: query, limit })).await
    }
}

#[graphql_object(context = Cx)]
impl MemberMutations {
    /// Give a member another role.
    async fn update_member_role(ctx: &Cx, input: UpdateMemberRoleInput) -> Result<Member> {
        super::update_member_role(ctx, None, Ok(input.membership_id), Ok(input.role_id)).await
    }

    /// End somebody's membership.
    async fn remove_member(ctx: &Cx, membership_id: Uuid) -> Result<bool> {
        super::remove_member(ctx, None, Ok(membership_id)).await?;
        Ok(true)
    }
}
