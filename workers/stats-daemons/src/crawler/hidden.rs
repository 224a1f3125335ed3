//! Channels that accounts opted out (reference/public-stats.md#hidden-channels). The platform is requested
//! about them neither by their ids nor by their names, so both are checked right before each call.

use std::collections::HashSet;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Integer, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Result, platform::Platform};

/// Maximum number of names of a channel that are kept.
const MAX_NAMES: i32 = 20;
/// Maximum length of a kept name in characters, that of an entry of the watch list.
const MAX_NAME_LENGTH: i32 = 100;

/// Way in which a call names channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedBy {
    /// Ids on the platform.
    Id,
    /// Ids or names, as staff wrote them.
    IdOrName,
}

#[derive(QueryableByName)]
struct Hidden {
    #[diesel(sql_type = Text)]
    name: String,
}

const HIDDEN_IDS: &str = "
    SELECT given.name FROM unnest($2) AS given (name)
    WHERE EXISTS (SELECT FROM public_channels AS channel
            WHERE channel.platform = $1 AND channel.platform_channel_id = given.name AND channel.is_hidden)
        OR EXISTS (SELECT FROM public_channel_settings AS settings
            WHERE settings.platform = $1 AND settings.platform_channel_id = given.name AND NOT settings.is_public)";

/// A handle of YouTube is written with and without its `@`. An account may have another name than at the time
/// of its opt-out.
const HIDDEN_NAMES: &str = "
    SELECT given.name FROM (SELECT name, ltrim(lower(name), '@') AS plain FROM unnest($2) AS name) AS given
    WHERE EXISTS (SELECT FROM public_channels AS channel
            WHERE channel.platform = $1 AND channel.platform_channel_id = given.name AND channel.is_hidden)
        OR EXISTS (SELECT FROM public_channels AS channel
            WHERE channel.platform = $1 AND channel.is_hidden AND channel.hidden_names @> ARRAY[given.plain])
        OR EXISTS (SELECT FROM public_channel_settings AS settings
            WHERE settings.platform = $1 AND NOT settings.is_public AND settings.platform_channel_id = given.name)
        OR EXISTS (SELECT FROM public_channel_settings AS settings
            WHERE settings.platform = $1 AND NOT settings.is_public
                AND ltrim(lower(settings.channel_name), '@') = given.plain)
        OR EXISTS (SELECT FROM public_channels AS channel JOIN channel_connections AS connection
                ON connection.platform = channel.platform
                    AND connection.platform_channel_id = channel.platform_channel_id
                    AND connection.connected_at > 'epoch'
            WHERE channel.platform = $1 AND channel.is_hidden
                AND ltrim(lower(connection.channel_name), '@') = given.plain)";

const REMEMBER: &str = "
    WITH given AS MATERIALIZED (
        SELECT id, array_agg(DISTINCT ltrim(lower(left(name, $4)), '@')) AS names
        FROM unnest($2, $3) AS given (id, name) GROUP BY id
    ), new AS MATERIALIZED (
        SELECT channel.platform_channel_id, given.names
        FROM given JOIN public_channels AS channel
            ON channel.platform = $1 AND channel.platform_channel_id = given.id
        WHERE channel.is_hidden AND NOT channel.hidden_names @> given.names
            AND cardinality(channel.hidden_names) < $5
        ORDER BY channel.platform_channel_id FOR UPDATE OF channel
    )
    UPDATE public_channels AS channel SET hidden_names = ARRAY(
        SELECT DISTINCT name FROM unnest(channel.hidden_names || new.names) AS name ORDER BY name)
    FROM new WHERE channel.platform = $1 AND channel.platform_channel_id = new.platform_channel_id";

/// Returns those of the given channels that no account has opted out, in their order.
pub(super) async fn shown<'a>(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    named_by: NamedBy,
    given: &[&'a str],
) -> Result<Vec<&'a str>> {
    let statement = match named_by {
        NamedBy::Id => HIDDEN_IDS,
        NamedBy::IdOrName => HIDDEN_NAMES,
    };
    let hidden: Vec<Hidden> = sql_query(statement)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(given)
        .prepared()
        .load(connection)
        .await?;
    let hidden: HashSet<&str> = hidden.iter().map(|row| row.name.as_str()).collect();
    Ok(given.iter().filter(|name| !hidden.contains(*name)).copied().collect())
}

/// Stores names under which a platform reported channels, of those that are hidden. The platform is then not
/// requested about them.
pub(super) async fn remember_names(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    named: &[(&str, &str)],
) -> Result<()> {
    let named: Vec<&(&str, &str)> = named.iter().filter(|(_, name)| !name.contains('\0')).collect();
    if named.is_empty() {
        return Ok(());
    }
    sql_query(REMEMBER)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(column(&named, |(id, _)| *id))
        .bind::<Array<Text>, _>(column(&named, |(_, name)| *name))
        .bind::<Integer, _>(MAX_NAME_LENGTH)
        .bind::<Integer, _>(MAX_NAMES)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}
