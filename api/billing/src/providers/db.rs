//! Number of connections on each platform, over all accounts, for staff.

use api_core::Result;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::platform::Platform;

/// Kind of row that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Applications of the deployment.
    Application,
    Channel,
    Login,
    /// Bots of accounts.
    Bot,
    HealthyGlobalBot,
    FlaggedGlobalBot,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    what: String,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Counts by kind and platform.
pub(super) struct Found(Vec<Row>);

const COUNTS: &str = "
    SELECT 'channel' AS what, platform, count(*) AS count FROM channel_connections GROUP BY platform
    UNION ALL
    SELECT 'login', platform, count(*) FROM login_connections GROUP BY platform
    UNION ALL
    SELECT CASE WHEN account_id IS NOT NULL THEN 'bot' WHEN reconnect_required THEN 'flagged_global_bot'
                ELSE 'healthy_global_bot' END AS kind, platform, count(*)
        FROM bot_connections GROUP BY kind, platform
    UNION ALL
    SELECT 'application', platform, count(*) FROM system_connections GROUP BY platform";

pub(super) async fn found(connection: &mut AsyncPgConnection) -> Result<Found> {
    Ok(Found(sql_query(COUNTS).load(connection).await?))
}

impl Found {
    /// Number of rows of a kind on a platform.
    pub fn count(&self, what: What, platform: Platform) -> i32 {
        let row = self.0.iter().find(|row| row.what == what.as_str() && row.platform == platform.slug());
        row.map_or(0, |row| i32::try_from(row.count).unwrap_or(i32::MAX))
    }
}

impl What {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Channel => "channel",
            Self::Login => "login",
            Self::Bot => "bot",
            Self::HealthyGlobalBot => "healthy_global_bot",
            Self::FlaggedGlobalBot => "flagged_global_bot",
        }
    }
}
