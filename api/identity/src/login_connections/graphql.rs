//! Login connections over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{LoginConnection, LoginReconnectFlagInput};

/// Queries of login connections.
pub struct LoginConnectionQueries;
/// Mutations of login connections.
pub struct LoginConnectionMutations;

#[graphql_object(context = Cx)]
impl LoginConnectionQueries {
    async fn login_connections(ctx: &Cx) -> Result<Vec<LoginConnection>> {
        super::login_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl LoginConnectionMutations {
    async fn disconnect_login_connection(ctx: &Cx, login_connection_id: Uuid) -> Result<bool> {
        super::disconnect_login_connection(ctx, Ok(login_connection_id)).await.map(|()| true)
    }

    async fn set_login_reconnect_flag(
        ctx: &Cx,
        id: Uuid,
        reconnect_required: Option<bool>,
    ) -> Result<LoginConnection> {
        let input = LoginReconnectFlagInput { reconnect_required };
        super::set_login_reconnect_flag(ctx, Ok(id), Ok(input)).await
    }
}
