//! Catalogue of games (reference/public-stats.md#roll-ups).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Result, platform::Platform};

use crate::text::{storable, storable_id, storable_name};

/// Number of games of one statement.
const BATCH_SIZE: usize = 1_000;

/// Game or category of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// Platform.
    pub platform: Platform,
    /// Id on the platform.
    pub game_id: String,
    /// Name.
    pub name: String,
    /// Address of the picture; `None` keeps the known one.
    pub box_art_url: Option<String>,
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    game_id: String,
}

/// Adds games to the catalogue, or changes their name and picture.
///
/// # Errors
/// A failure of the database.
pub async fn catalogue(connection: &mut AsyncPgConnection, games: &[Game], now: DateTime<Utc>) -> Result<()> {
    for batch in games.chunks(BATCH_SIZE) {
        sql_query(CATALOGUE)
            .bind::<Array<Text>, _>(column(batch, |game| game.platform.slug()))
            .bind::<Array<Text>, _>(column(batch, |game| storable_id(&game.game_id)))
            .bind::<Array<Text>, _>(column(batch, |game| storable_name(&game.name)))
            .bind::<Array<Nullable<Text>>, _>(column(batch, |game| game.box_art_url.as_deref().map(storable)))
            .bind::<Timestamptz, _>(now)
            .prepared()
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Finds the ids of games by their names on a platform, for sources that know names alone. Returns platform,
/// name as it was given, and id; unknown names are absent.
///
/// # Errors
/// A failure of the database.
pub async fn ids(
    connection: &mut AsyncPgConnection,
    names: &[(Platform, String)],
) -> Result<Vec<(Platform, String, String)>> {
    let found: Vec<Named> = sql_query(IDS)
        .bind::<Array<Text>, _>(column(names, |(platform, _)| platform.slug()))
        .bind::<Array<Text>, _>(column(names, |(_, name)| storable_name(name)))
        .prepared()
        .load(connection)
        .await?;
    let known =
        found.into_iter().filter_map(|game| Some((game.platform.parse().ok()?, game.name, game.game_id)));
    Ok(known.collect())
}

const CATALOGUE: &str = "
    INSERT INTO public_games AS known (platform, game_id, name, box_art_url, updated_at)
    SELECT DISTINCT ON (platform, game_id) platform, game_id, name, box_art_url, $5
    FROM unnest($1, $2, $3, $4) AS given (platform, game_id, name, box_art_url)
    ORDER BY platform, game_id
    ON CONFLICT (platform, game_id) DO UPDATE SET name = excluded.name,
        box_art_url = coalesce(excluded.box_art_url, known.box_art_url), updated_at = excluded.updated_at
    WHERE (known.name, known.box_art_url)
        IS DISTINCT FROM (excluded.name, coalesce(excluded.box_art_url, known.box_art_url))";

const IDS: &str = "
    SELECT given.platform, given.name, max(game.game_id) AS game_id
    FROM unnest($1, $2) AS given (platform, name)
    JOIN public_games AS game ON game.platform = given.platform AND lower(game.name) = lower(given.name)
    GROUP BY given.platform, given.name";
