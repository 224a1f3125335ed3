//! Login connections over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{LoginConnection, LoginReconnectFlagInput};

pub struct LoginConnectionQueries;
pub struct LoginConnectionMutations;

#[graphql_object(context = Cx)]
impl LoginConnectionQueries {
    /// What the caller signs in with.
    async fn login_connections(ctx: &Cx) -> Result<Vec<LoginConnection>> {
        super::login_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl LoginConnectionMutations {
    /// Remove something that the caller signs in with.
    async fn disconnect_login_connection(ctx: &Cx, login_connection_id: Uuid) -> Result<bool> {
        super::disconnect_login_connection(ctx, Ok(login_connection_id)).await.map(|()| true)
    }

    /// Clear the prompt to reconnect a login connection.
    async fn set_login_reconnect_flag(
        ctx: &Cx,
        id: Uuid,
        reconnect_required: Option<bool>,
    ) -> Result<LoginConnection> {
        let input = LoginReconnectFlagInput { reconnect_required };
        super::set_login_reconnect_flag(ctx, Ok(id), Ok(input)).await
    }
}
