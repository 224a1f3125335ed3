//! Hosts that are allowed as return addresses (reference/connections.md#return-address).

use diesel::{dsl::exists, prelude::*, select};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use shared::{Result, schema::oauth_clients};

/// Returns true when an active OAuth client allows the host. The host is in lower case and may have a port
/// (`dashboard.example.org`, `localhost:5173`).
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn is_allowed_host(connection: &mut AsyncPgConnection, host: &str) -> Result<bool> {
    let allowing = oauth_clients::table
        .filter(oauth_clients::is_active)
        .filter(oauth_clients::allowed_hosts.contains(vec![host]));
    Ok(select(exists(allowing)).get_result(connection).await?)
}
