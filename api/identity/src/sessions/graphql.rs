//! The caller's own sessions over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::Session;

/// Queries of the caller's sessions.
pub struct SessionQueries;
/// Mutations of the caller's sessions.
pub struct SessionMutations;

#[graphql_object(context = Cx)]
impl SessionQueries {
    async fn my_sessions(ctx: &Cx) -> Result<Vec<Session>> {
        super::my_sessions(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl SessionMutations {
    async fn revoke_other_sessions(ctx: &Cx) -> Result<bool> {
        super::revoke_other_sessions(ctx).await.map(|()| true)
    }

    async fn revoke_session(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::revoke_session(ctx, Ok(id)).await.map(|()| true)
    }
}
