//! Members over GraphQL.

use api_core::{Cx, Result};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{FoundUser, Member, SearchUsersQuery};

/// Queries of members.
pub struct MemberQueries;
/// Mutations of members.
pub struct MemberMutations;

/// Change of a member's role.
#[derive(GraphQLInputObject)]
pub struct UpdateMemberRoleInput {
    /// Membership of the member.
    membership_id: Uuid,
    /// New role.
    role_id: Uuid,
}

#[graphql_object(context = Cx)]
impl MemberQueries {
    async fn members(ctx: &Cx) -> Result<Vec<Member>> {
        super::members(ctx, None).await
    }

    async fn search_users(ctx: &Cx, query: String, limit: Option<i32>) -> Result<Vec<FoundUser>> {
        super::search_users(ctx, Ok(SearchUsersQuery { q: query, limit })).await
    }
}

#[graphql_object(context = Cx)]
impl MemberMutations {
    async fn update_member_role(ctx: &Cx, input: UpdateMemberRoleInput) -> Result<Member> {
        super::update_member_role(ctx, None, Ok(input.membership_id), Ok(input.role_id)).await
    }

    async fn remove_member(ctx: &Cx, membership_id: Uuid) -> Result<bool> {
        super::remove_member(ctx, None, Ok(membership_id)).await?;
        Ok(true)
    }
}
