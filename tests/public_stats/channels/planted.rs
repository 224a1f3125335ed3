//! Rows of public statistics, and the public reads.

use lumio_tests::TestApp;

use crate::passes::execute;

/// Executes statements in the primary database, in one transaction. `$DAY` is the present UTC day, `$NOW` the present
/// time. The rows of a large table may take longer than a statement of the product.
pub async fn plant(app: &TestApp, sql: &str) {
    let now = app.clock.now();
    let sql = sql
        .replace("$DAY", &format!("date '{}'", now.date_naive()))
        .replace("$NOW", &format!("timestamptz '{}'", now.to_rfc3339()));
    let sql = format!("SET LOCAL statement_timeout = '120s'; {sql}");
    execute(&mut app.databases.postgres.get().await.unwrap(), &sql).await;
}

/// Rows of a Twitch channel in every table: live in a game, with emotes in its chat.
pub fn everywhere(id: &str) -> String {
    format!(
        "INSERT INTO public_channels (platform, platform_channel_id, login, display_name, avatar_url, broadcaster_type,
            language, source, is_live, current_viewers, current_game_id, current_game, current_broadcast_id,
            last_streamed_at, followers, first_seen_at)
         VALUES ('twitch', '{id}', 'login_{id}', 'Name {id}', 'https://a.example/{id}.png', 'partner', 'en',
            'external_crawler', true, 90, 'g1', 'Chess', 'live-{id}', $NOW, 1000, $NOW);
         INSERT INTO public_channel_days (platform, platform_channel_id, day, source, live_secs, viewer_secs,
            peak_viewers, message_count, follower_count, sample_count)
         VALUES ('twitch', '{id}', $DAY, 'external_crawler', 3600, 360000, 150, 40, 1000, 12),
            ('twitch', '{id}', $DAY - 29, 'first_party', 7200, 1440000, 300, 60, 900, 120),
            ('twitch', '{id}', $DAY - 30, 'external_crawler', 0, 0, 0, 5, 800, 1),
            ('twitch', '{id}', $DAY - 364, 'external_crawler', 0, 0, 0, 0, NULL, 1),
            ('twitch', '{id}', $DAY - 365, 'external_crawler', 3600, 3600, 1, 0, 700, 12);
         INSERT INTO public_channel_ranges (range_days, platform, platform_channel_id, avg_viewers, peak_viewers,
            live_secs, total_messages)
         VALUES (7, 'twitch', '{id}', 100, 150, 3600, 40), (30, 'twitch', '{id}', 166.6666, 300, 10800, 100),
            (90, 'twitch', '{id}', 166.6666, 300, 10800, 105);
         INSERT INTO public_streams (platform, broadcast_id, platform_channel_id, source, title, game_id, category,
            language, started_at, ended_at, duration_secs, peak_viewers, avg_viewers, total_messages, emote_count,
            top_emotes, gif_count, top_gifs, top_chatters)
         VALUES ('twitch', 'live-{id}', '{id}', 'external_crawler', 'Now', 'g1', 'Chess', 'en', $NOW - interval '1 hour',
                NULL, NULL, 150, 100, 40, 0, '[]', 0, '[]', NULL),
            ('twitch', 'past-{id}', '{id}', 'first_party', 'Before', 'g1', 'Chess', 'en', $NOW - interval '29 days',
                $NOW - interval '29 days' + interval '2 hours', 7200, 300, 200.006, 60, 7,
                '[{{\"id\": \"e1\", \"name\": \"Kappa\", \"provider\": \"7tv\", \"url\": null, \"count\": 7}}]', 2,
                '[{{\"id\": \"x\", \"url\": \"https://media.tenor.com/x.gif\", \"provider\": \"tenor\", \"alt\": \"Hi\", \"count\": 2}}]',
                '[{{\"platform\": \"twitch\", \"platform_user_id\": \"4711\", \"username\": \"ann\", \"display_name\": \"Ann\",
                    \"avatar_url\": null, \"message_count\": 9}}]');
         INSERT INTO public_profile_changes (id, platform, platform_channel_id, change_type, old_value, new_value, changed_at)
         SELECT gen_random_uuid(), 'twitch', '{id}', 'bio', NULLIF('v' || n - 1, 'v0'), 'v' || n,
            $NOW - (61 - n) * interval '1 hour'
         FROM generate_series(1, 60) AS n;
         INSERT INTO public_panels (platform, platform_channel_id, panel_id, content, images, first_seen_at, last_seen_at,
            removed_at)
         VALUES ('twitch', '{id}', 'p1', 'Old', '[]', $NOW - interval '9 days', $NOW - interval '8 days',
                $NOW - interval '7 days'),
            ('twitch', '{id}', 'p2', 'Present', '[\"https://a.example/p.png\"]', $NOW - interval '6 days', $NOW, NULL);
         INSERT INTO crawler_channels (platform, platform_channel_id, next_at) VALUES ('twitch', '{id}', $NOW);
         INSERT INTO public_games (platform, game_id, name, live_viewers, live_channels, updated_at)
         VALUES ('twitch', 'g1', 'Chess', 180, 2, $NOW) ON CONFLICT DO NOTHING;
         INSERT INTO public_game_days (platform, game_id, day, viewer_secs, slot_count, peak_viewers, peak_channels)
         VALUES ('twitch', 'g1', $DAY, 900000, 10, 500, 2), ('twitch', 'g1', $DAY - 7, 300, 1, 1, 1) ON CONFLICT DO NOTHING;
         INSERT INTO public_game_ranges (range_days, platform, game_id, avg_viewers, peak_viewers, hours_watched, channels)
         SELECT days, 'twitch', 'g1', 300, 500, 250.126, 2 FROM unnest('{{7,30,90}}'::smallint[]) AS days ON CONFLICT DO NOTHING;
         INSERT INTO public_emotes (provider, emote_id, name, url, animated, first_seen_at)
         VALUES ('7tv', 'e1', 'Kappa', 'https://a.example/k.webp', true, $NOW) ON CONFLICT DO NOTHING;
         INSERT INTO public_emote_days (provider, emote_id, platform, platform_channel_id, day, usage_count)
         VALUES ('7tv', 'e1', 'twitch', '{id}', $DAY, 7), ('7tv', 'e1', 'twitch', '{id}', $DAY - 7, 3);
         INSERT INTO public_emote_ranges (range_days, platform, provider, emote_id, usage_count, channel_count)
         VALUES (7, 'twitch', '7tv', 'e1', 14, 2), (30, 'twitch', '7tv', 'e1', 20, 2) ON CONFLICT DO NOTHING"
    )
}

/// Path and GraphQL document of each public read, with the name of its field.
pub fn reads(id: &str) -> Vec<(&'static str, String, String)> {
    let channel = format!("platform: \"twitch\", channel: \"{id}\"");
    let at = format!("/v1/public-stats/channels/twitch/{id}");
    let stream = format!("live-{id}");
    vec![
        (
            "publicChannelStats",
            at.clone(),
            format!(
                "{{ publicChannelStats({channel}) {{ platformChannelId recentStreams {{ broadcastId }} }} }}"
            ),
        ),
        (
            "publicChannelProfileHistory",
            format!("{at}/profile-history"),
            format!("{{ publicChannelProfileHistory({channel}) {{ newValue }} }}"),
        ),
        (
            "publicChannelTrends",
            format!("{at}/trends?range=DAYS_30"),
            format!("{{ publicChannelTrends({channel}, range: DAYS_30) {{ followerSeries {{ date }} }} }}"),
        ),
        (
            "publicChannelPanelHistory",
            format!("{at}/panel-history"),
            format!("{{ publicChannelPanelHistory({channel}) {{ panelId }} }}"),
        ),
        (
            "publicStreamStats",
            format!("/v1/public-stats/streams/twitch/{stream}"),
            format!(
                "{{ publicStreamStats(platform: \"twitch\", broadcastId: \"{stream}\") {{ broadcastId }} }}"
            ),
        ),
        (
            "publicStatsBrowse",
            "/v1/public-stats/browse".to_owned(),
            "{ publicStatsBrowse { items { platformChannelId channelLogin } total } }".to_owned(),
        ),
        (
            "publicStatsGames",
            "/v1/public-stats/games".to_owned(),
            "{ publicStatsGames { items { name } total } }".to_owned(),
        ),
        (
            "publicStatsGame",
            "/v1/public-stats/games/twitch/g1".to_owned(),
            "{ publicStatsGame(platform: \"twitch\", gameId: \"g1\") { topChannels { platformChannelId } } }"
                .to_owned(),
        ),
        (
            "publicStatsEmotes",
            format!("/v1/public-stats/emotes?platform=twitch&channel={id}"),
            format!(
                "{{ publicStatsEmotes(filter: {{ platform: TWITCH, channel: \"{id}\" }}) {{ items {{ name usageCount }} }} }}"
            ),
        ),
    ]
}
