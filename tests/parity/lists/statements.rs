//! Statements of lists of what creators show and play: as many for many rows as for one.

use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::Statements;

use super::Scene;

/// Path of a list, number of rows that it then shows at least, and the statement that adds them;
/// `$1` is the account.
const LISTS: &[(&str, usize, &str)] = &[
    (
        "/v1/uploads?limit=100",
        100,
        "INSERT INTO uploads (id, account_id, filename, content_type, size_bytes, storage_key, purpose, sha256)
         SELECT gen_random_uuid(), $1, 'a', 'image/png', 1, 'many/' || n, 'other', 'many' || n
         FROM generate_series(1, 999) AS n",
    ),
    (
        "/v1/sounds?limit=100",
        100,
        "INSERT INTO sounds (id, account_id, name, filename, content_type, size_bytes, storage_key, sha256)
         SELECT gen_random_uuid(), $1, 'many', 'a.wav', 'audio/wav', 1, 'many/' || n, 'x'
         FROM generate_series(1, 999) AS n",
    ),
    (
        "/v1/copyright/safe-songs?limit=100",
        100,
        "INSERT INTO listed_songs (id, account_id, list, title, artist, title_key, artist_key)
         SELECT gen_random_uuid(), $1, 'safe', n::text, 'a', 'many ' || n, 'a' FROM generate_series(1, 999) AS n",
    ),
    (
        "/v1/copyright/blocked-songs?limit=100",
        100,
        "INSERT INTO listed_songs (id, account_id, list, title, artist, title_key, artist_key)
         SELECT gen_random_uuid(), $1, 'blocked', n::text, 'a', 'many ' || n, 'a' FROM generate_series(1, 999) AS n",
    ),
    (
        "/v1/music/songs?limit=100",
        100,
        "INSERT INTO listed_songs (id, account_id, list, title, artist, title_key, artist_key)
         SELECT gen_random_uuid(), NULL, 'safe', n::text, 'a', 'many ' || n, 'a' FROM generate_series(1, 999) AS n
         WHERE $1 IS NOT NULL",
    ),
    (
        "/v1/rewards",
        199,
        "INSERT INTO rewards (id, account_id, platform, platform_reward_id, is_managed, title, cost)
         SELECT gen_random_uuid(), $1, 'twitch', 'many' || n, false, 't', 1 FROM generate_series(1, 199) AS n",
    ),
    (
        "/v1/widgets",
        99,
        "INSERT INTO widgets (id, account_id, name, widget_type, width, height, token_prefix)
         SELECT gen_random_uuid(), $1, n::text, 'text', 1, 1, 'x' FROM generate_series(1, 99) AS n",
    ),
    (
        "/v1/copyright/playlist-syncs",
        19,
        "INSERT INTO playlist_syncs (id, account_id, playlist_id, name, list, due_at)
         SELECT gen_random_uuid(), $1, lpad(n::text, 22, 'x'), 'many', 'safe', now() + interval '1 year'
         FROM generate_series(1, 19) AS n",
    ),
];

#[tokio::test]
async fn lists_of_creators_take_as_many_statements_for_many_rows_as_for_one() {
    let statements = Statements::watch();
    let scene = Scene::set().await;
    statements.to(&scene.app);
    for (path, shown, sql) in LISTS {
        let (_, of_one) = statements.of(async || scene.staff.get(path).await).await;
        sql_query(*sql)
            .bind::<SqlUuid, _>(scene.staff.account_id)
            .execute(&mut *scene.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        let (listed, of_many) = statements.of(async || scene.staff.get(path).await).await;
        let data = listed.data();
        let rows = data.get("sounds").unwrap_or(data).as_array().map_or(0, Vec::len);
        assert!(rows >= *shown, "{path}: {rows} rows");
        assert_eq!(of_many.len(), of_one.len(), "{path}: {of_many:#?}");
    }
    scene.app.stop().await;
}
