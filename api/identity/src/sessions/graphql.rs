//! The caller's own sessions over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::Session;

pub struct SessionQueries;
pub struct SessionMutations;

#[graphql_object(context = Cx)]
impl SessionQueries {
    /// The caller's sessions that have not ended, the one seen last first.
    async fn my_sessions(ctx: &Cx) -> Result<Vec<Session>> {
        super::my_sessions(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl SessionMutations {
    /// End every session of the caller but the one that asks.
    async fn revoke_other_sessions(ctx: &Cx) -> Result<bool> {
        super::revoke_other_sessions(ctx).await.map(|()| true)
    }

    /// End one of the caller's sessions.
    async fn revoke_session(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::revoke_session(ctx, Ok(id)).await.map(|()| true)
    }
}
