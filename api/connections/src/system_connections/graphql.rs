//! The deployment's applications over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{
    DeleteSystemConnectionQuery, SystemConnection, SystemConnectionKind, UpsertSystemConnectionInput,
};

pub struct SystemConnectionQueries;
pub struct SystemConnectionMutations;

#[graphql_object(context = Cx)]
impl SystemConnectionQueries {
    /// The deployment's applications on the platforms.
    async fn admin_system_connections(ctx: &Cx) -> Result<Vec<SystemConnection>> {
        super::admin_system_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl SystemConnectionMutations {
    /// Keep an application of the deployment.
    async fn admin_upsert_system_connection(
        ctx: &Cx,
        platform: String,
        input: UpsertSystemConnectionInput,
    ) -> Result<SystemConnection> {
        super::admin_upsert_system_connection(ctx, &platform, Ok(input)).await
    }

    /// Forget an application of the deployment.
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
