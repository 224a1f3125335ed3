//! Types that the endpoints of an account receive.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use crate::event_types::{CHAT_MESSAGE, EVERY};

/// Types that one of the endpoints of an account receives.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    every: bool,
    types: HashSet<String>,
}

impl Chosen {
    /// Adds the entries of an endpoint.
    pub fn add(&mut self, entries: impl IntoIterator<Item = String>) {
        for entry in entries {
            if entry == EVERY {
                self.every = true;
            } else {
                self.types.insert(entry);
            }
        }
    }

    /// True when an endpoint receives events of a type.
    #[must_use]
    pub fn contains(&self, event_type: &str) -> bool {
        self.types.contains(event_type) || self.every && event_type != CHAT_MESSAGE
    }

    /// Returns the approximate memory in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        /// Memory of an entry or a type beyond its text, in bytes.
        const OVERHEAD: usize = 64;
        self.types.iter().map(|name| OVERHEAD + name.len()).sum::<usize>() + 2 * OVERHEAD
    }
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Array<Text>)]
    event_types: Vec<String>,
}

/// Reads the enabled endpoints of accounts. An account without one has an entry too.
pub(crate) async fn read(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<HashMap<Uuid, Arc<Chosen>>> {
    let rows: Vec<Row> = sql_query(
        "SELECT account_id, event_types FROM webhook_endpoints WHERE account_id = ANY ($1) AND is_enabled",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .prepared()
    .load(connection)
    .await?;
    let mut chosen: HashMap<Uuid, Chosen> =
        accounts.iter().map(|account| (*account, Chosen::default())).collect();
    for row in rows {
        chosen.entry(row.account_id).or_default().add(row.event_types);
    }
    Ok(chosen.into_iter().map(|(account, chosen)| (account, Arc::new(chosen))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_types::is_chosen;

    #[test]
    fn chosen_includes_chat_messages_only_by_their_own_name() {
        let entries = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (names, event_type, expected) in [
            (&["*"][..], "twitch:raid", true),
            (&["*"], "custom:a", true),
            (&["*"], "chat:message", false),
            (&["*", "chat:message"], "chat:message", true),
            (&["twitch:raid"], "twitch:raid", true),
            (&["twitch:raid"], "kick:raid", false),
            (&[], "twitch:raid", false),
        ] {
            let mut chosen = Chosen::default();
            chosen.add(entries(names));
            assert_eq!(chosen.contains(event_type), expected, "{names:?} {event_type}");
            // Both decide alike: the index passes nothing on that no endpoint receives.
            assert_eq!(is_chosen(&entries(names), event_type), expected, "{names:?} {event_type}");
        }
    }
}
