//! Applications that people sign in with (reference/credentials.md#provider-proof).

use api_core::{ApiError, Cx, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{connection::AppKind, platform::Platform, schema::system_connections};

/// Client id of the sign-in application. Without one, the recipient of a token cannot be verified.
pub(super) async fn client_id(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    platform: Platform,
) -> Result<String> {
    let entered = entered_client_id(connection, platform).await?;
    let configured = || cx.state().config.platforms.get(platform).client_id.clone();
    entered.or_else(configured).ok_or_else(|| {
        ApiError::internal(format_args!("sign-in with {platform}: no application is configured"))
    })
}

/// Client id of the sign-in application that staff entered (reference/connections.md#system-applications).
async fn entered_client_id(connection: &mut AsyncPgConnection, platform: Platform) -> Result<Option<String>> {
    Ok(system_connections::table
        .filter(system_connections::platform.eq(platform.slug()))
        .filter(system_connections::kind.eq(AppKind::Login.as_str()))
        .select(system_connections::client_id)
        .first(connection)
        .await
        .optional()?)
}
