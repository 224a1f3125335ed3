//! Alert of a blocked song, once for each song and stream (reference/music.md#blocked-songs).

use account_model::accounts::permission_holders;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Integer, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use live_model::music::Song;
use notices::notify::{self, Notice};
use serde_json::json;
use shared::{Result, catalogue::AccountPermission, id::AccountId};

/// Songs of a stream that are remembered, newest last (reference/music.md#blocked-songs).
const MAX_REMEMBERED_SONGS: i32 = 500;
/// Members who are notified (reference/music.md#blocked-songs).
const MAX_NOTIFIED_MEMBERS: i64 = 1000;

/// Remembers a song of the stream that began at $2; without effect when it is known. Songs of earlier streams
/// are forgotten.
const REMEMBER: &str = "
    INSERT INTO music_alerts AS known (account_id, stream_began_at, songs, updated_at)
    SELECT id, $2, ARRAY[$3], $4 FROM accounts WHERE id = $1
    ON CONFLICT (account_id) DO UPDATE SET stream_began_at = $2, updated_at = $4,
        songs = CASE WHEN known.stream_began_at = $2
            THEN (known.songs || $3)[greatest(1, cardinality(known.songs) + 2 - $5):] ELSE ARRAY[$3] END
    WHERE known.stream_began_at <> $2 OR NOT $3 = ANY (known.songs)
    RETURNING (SELECT name FROM accounts WHERE id = $1) AS name";

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Notifies the members of an account who read copyright, and publishes `spotify:copyright_alert`, unless this
/// was done in the stream already. `stream` is its begin.
pub(super) async fn alert(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    stream: DateTime<Utc>,
    song: &Song,
    now: DateTime<Utc>,
) -> Result<()> {
    connection
        .transaction(async |connection| {
            let Some(name) = remember(connection, account, stream, &song.uri, now).await? else {
                return Ok(());
            };
            let artist = song.artist();
            let notice = Notice::CopyrightAlert {
                account_id: account.uuid(),
                account_name: &name,
                track_id: song.track_id.as_deref(),
                title: &song.title,
                artist: &artist,
            };
            let people = permission_holders(
                connection,
                account,
                AccountPermission::CopyrightRead,
                MAX_NOTIFIED_MEMBERS,
            )
            .await?;
            notify::notify(connection, &people, &notice, now).await?;
            let data = json!({
                "track_id": song.track_id, "title": song.title, "artist": artist, "status": "blocked",
            });
            let event = Event::new(Channel::Spotify(account.uuid()), "spotify:copyright_alert", data, now);
            let key = format!("copyright_alert:{}", event.id);
            outbox::add(connection, &PublishEvent { event }, &key).await
        })
        .await
}

/// Remembers a song; returns the name of the account, or `None` when the song is known or the account is gone.
async fn remember(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    stream: DateTime<Utc>,
    song: &str,
    now: DateTime<Utc>,
) -> Result<Option<String>> {
    let remembered: Option<Account> = sql_query(REMEMBER)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(stream)
        .bind::<Text, _>(song)
        .bind::<Timestamptz, _>(now)
        .bind::<Integer, _>(MAX_REMEMBERED_SONGS)
        .get_result(connection)
        .await
        .optional()?;
    Ok(remembered.map(|account| account.name))
}
