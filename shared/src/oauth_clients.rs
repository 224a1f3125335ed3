//! Which hosts people may be sent back to after a connection (specification A §4.7; C §9).

use diesel::{dsl::exists, prelude::*, select};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::{Result, db::schema::oauth_clients};

/// Whether an active client of the deployment allows the host, which is written in lower case and may carry a port
/// (`dashboard.example.org`, `localhost:5173`).
///
/// # Errors
/// When the database fails.
pub async fn is_allowed_host(connection: &mut AsyncPgConnection, host: &str) -> Result<bool> {
    let allowing = oauth_clients::table
        .filter(oauth_clients::is_active)
        .filter(oauth_clients::allowed_hosts.contains(vec![host]));
    Ok(select(exists(allowing)).get_result(connection).await?)
}
