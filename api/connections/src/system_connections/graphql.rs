//! GraphQL fields of `system_connections`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{
    DeleteSystemConnectionQuery, SystemConnection, SystemConnectionKind, UpsertSystemConnectionInput,
};

/// Query fields.
pub struct SystemConnectionQueries;
/// Mutation fields.
pub struct SystemConnectionMutations;

#[graphql_object(context = Cx)]
impl SystemConnectionQueries {
    async fn admin_system_connections(ctx: &Cx) -> Result<Vec<SystemConnection>> {
        super::admin_system_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl SystemConnectionMutations {
    async fn admin_upsert_system_connection(
        ctx: &Cx,
        platform: String,
        input: UpsertSystemConnectionInput,
    ) -> Result<SystemConnection> {
        super::admin_upsert_system_connection(ctx, &platform, Ok(input)).await
    }

    async fn admin_delete_system_connection(
        ctx: &Cx,
        platform: String,
        kind: Option<SystemConnectionKind>,
    ) -> Result<bool> {
        let query = DeleteSystemConnectionQuery { kind };
        super::admin_delete_system_connection(ctx, &platform, Ok(query)).await?;
        Ok(true)
    }
}
