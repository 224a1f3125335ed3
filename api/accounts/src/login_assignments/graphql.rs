//! Login assignments over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AssignLoginConnectionInput, GqlLoginAssignment, LoginAssignmentsQuery};

/// Queries of login assignments.
pub struct LoginAssignmentQueries;
/// Mutations of login assignments.
pub struct LoginAssignmentMutations;

#[graphql_object(context = Cx)]
impl LoginAssignmentQueries {
    async fn account_login_assignments(ctx: &Cx, user_id: Option<Uuid>) -> Result<Vec<GqlLoginAssignment>> {
        super::account_login_assignments(ctx, Ok(LoginAssignmentsQuery { user_id })).await
    }
}

#[graphql_object(context = Cx)]
impl LoginAssignmentMutations {
    async fn assign_login_connection(
        ctx: &Cx,
        login_connection_id: Uuid,
        provider: String,
        user_id: Option<Uuid>,
    ) -> Result<GqlLoginAssignment> {
        let input = AssignLoginConnectionInput { login_connection_id, provider, user_id };
        super::assign_login_connection(ctx, Ok(input)).await
    }

    async fn remove_login_assignment(ctx: &Cx, provider: String, user_id: Option<Uuid>) -> Result<bool> {
        super::remove_login_assignment(ctx, &provider, Ok(LoginAssignmentsQuery { user_id })).await?;
        Ok(true)
    }
}
