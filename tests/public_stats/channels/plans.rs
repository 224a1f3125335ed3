//! Plans of the statements about one channel, stream or game (reference/public-stats.md#lists).

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp};

use super::plant;
use crate::browse::assert_indexed;

#[tokio::test]
async fn public_channel_trends_and_other_reads_of_one_channel_walk_indexes() {
    const FILL: &str = "
        INSERT INTO public_channels (platform, platform_channel_id, login, source, is_live, current_viewers, current_game_id,
            first_seen_at)
        SELECT 'twitch', n::text, 'login_' || n, 'external_crawler', n % 20 = 0, n, (n % 500)::text, now()
        FROM generate_series(1, 20000) AS n;
        INSERT INTO public_channel_days (platform, platform_channel_id, day, source, live_secs, viewer_secs, peak_viewers,
            message_count, sample_count)
        SELECT 'twitch', channel::text, $DAY - back, 'first_party', 60, 60, 1, 1, 1
        FROM generate_series(1, 100) AS channel, generate_series(0, 400) AS back;
        INSERT INTO public_channel_ranges (range_days, platform, platform_channel_id, avg_viewers, peak_viewers, live_secs,
            total_messages)
        SELECT 30, 'twitch', n::text, n, n, n, n FROM generate_series(1, 20000) AS n;
        INSERT INTO public_streams (platform, broadcast_id, platform_channel_id, source, started_at)
        SELECT 'twitch', 's' || n, (n % 300)::text, 'first_party', now() - n * interval '1 minute'
        FROM generate_series(1, 30000) AS n;
        INSERT INTO public_profile_changes (id, platform, platform_channel_id, change_type, changed_at)
        SELECT gen_random_uuid(), 'twitch', (n % 300)::text, 'bio', now() - n * interval '1 minute'
        FROM generate_series(1, 30000) AS n;
        INSERT INTO public_panels (platform, platform_channel_id, panel_id, content, first_seen_at, last_seen_at)
        SELECT 'twitch', (n % 1000)::text, n::text, '', now(), now() FROM generate_series(1, 20000) AS n;
        INSERT INTO public_games (platform, game_id, name, updated_at)
        SELECT 'twitch', n::text, 'Game ' || n, now() FROM generate_series(1, 10000) AS n;
        INSERT INTO public_game_ranges (range_days, platform, game_id, avg_viewers, peak_viewers, hours_watched, channels)
        SELECT 30, 'twitch', n::text, n, n, n, n FROM generate_series(1, 10000) AS n;
        INSERT INTO public_game_days (platform, game_id, day, viewer_secs, slot_count, peak_viewers, peak_channels)
        SELECT 'twitch', game::text, $DAY - back, 1, 1, 1, 1
        FROM generate_series(1, 100) AS game, generate_series(0, 200) AS back";
    let watched = Statements::watch();
    let app = TestApp::start().await;
    watched.to(&app);
    plant(&app, FILL).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for table in [
        "public_channels",
        "public_channel_days",
        "public_channel_ranges",
        "public_streams",
        "public_profile_changes",
        "public_panels",
        "public_games",
        "public_game_ranges",
        "public_game_days",
    ] {
        sql_query(format!("VACUUM ANALYZE {table}")).execute(&mut *db).await.unwrap();
    }
    let anonymous = app.anonymous();
    let (name, window) = ("AS named", "text,text,date,date");
    for (path, statements) in [
        (
            "channels/twitch/login_7",
            &[(name, "text,text"), ("AS stream_count", "text,text"), ("started_at DESC", "text,text,bigint")]
                [..],
        ),
        (
            "channels/twitch/7/profile-history",
            &[(name, "text,text"), ("public_profile_changes", "text,text,bigint,bigint")][..],
        ),
        (
            "channels/twitch/7/panel-history",
            &[(name, "text,text"), ("public_panels", "text,text,bigint")][..],
        ),
        (
            "channels/twitch/7/trends?range=DAYS_365",
            &[(name, "text,text"), ("public_channel_days", window)][..],
        ),
        ("streams/twitch/s7", &[("public_streams", "text,text")][..]),
        (
            "games/twitch/20",
            &[
                ("box_art_url", "text,text,smallint"),
                ("current_game_id", "text,text,smallint,bigint"),
                ("public_game_days", window),
            ][..],
        ),
    ] {
        watched.take();
        anonymous.get(&format!("/v1/public-stats/{path}")).await.expect(200);
        let sent: Vec<String> = watched.take().into_iter().filter(|sql| sql.contains("public_")).collect();
        assert_eq!(sent.len(), statements.len(), "{path}: {sent:#?}");
        for ((part, types), sql) in statements.iter().zip(sent) {
            assert!(sql.contains(part), "{path}: {part} in {sql}");
            assert_indexed(&mut db, vec![sql], types, path).await;
        }
    }
    drop(db);
    app.stop().await;
}
