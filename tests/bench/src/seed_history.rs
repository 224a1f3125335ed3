//! A year of history: daily roll-ups of channels, the newest days as samples of a minute, chat lines, sessions with
//! reports, and ideas.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use history_model::report::{
    CategorySpan, ChartMarker, Chatter, EmoteCount, MarkerKind, Moderation, Report, SessionRow, Stream,
    Totals,
};
use stack::Stack;
use uuid::Uuid;

/// Numbers of rows.
#[derive(Debug, Clone, Copy)]
pub struct Amounts {
    /// Channels with roll-ups.
    pub channels: u32,
    /// Channels of the directory, with those.
    pub directory: u32,
    /// UTC days before today that have roll-ups.
    pub days: u32,
    /// The newest of them, which have samples and are rolled up by the daemon.
    pub sample_days: u32,
    /// Chat lines.
    pub lines: u32,
    /// Sessions with reports.
    pub sessions: u32,
    /// Ideas.
    pub ideas: u32,
    /// Requests of each kind.
    pub requests: u32,
}

impl Amounts {
    pub const FULL: Self = Self {
        channels: 200,
        directory: 50_000,
        days: 365,
        sample_days: 35,
        lines: 1_000_000,
        sessions: 2_000,
        ideas: 100_000,
        requests: 200,
    };
    pub const QUICK: Self = Self {
        channels: 50,
        directory: 5_000,
        sample_days: 3,
        lines: 100_000,
        sessions: 500,
        ideas: 20_000,
        requests: 50,
        ..Self::FULL
    };

    /// Number of samples.
    pub const fn samples(self) -> u64 {
        const MINUTES: u64 = 24 * 60;
        self.channels as u64 * self.sample_days as u64 * MINUTES
    }
}

/// Sessions whose reports are exported.
pub struct Exported {
    /// Session of a day on two platforms.
    pub short: Uuid,
    /// Session of seven days on two platforms.
    pub long: Uuid,
}

/// Writes everything. The roll-ups of the days with samples are left to the daemon.
pub fn seed(stack: &Stack, amounts: Amounts) -> Result<Exported> {
    let database = &stack.environment["DATABASE_URL"];
    let exported = Exported { short: Uuid::now_v7(), long: Uuid::now_v7() };
    let number = |amount: u32| amount.to_string();
    let now = DateTime::from(std::time::SystemTime::now());
    let variables = [
        ("account", stack.account_id.clone()),
        ("person", stack.user_id.clone()),
        ("channels", number(amounts.channels)),
        ("directory", number(amounts.directory)),
        ("days", number(amounts.days)),
        ("sample_days", number(amounts.sample_days)),
        ("lines", number(amounts.lines)),
        ("sessions", number(amounts.sessions)),
        ("ideas", number(amounts.ideas)),
        ("short", exported.short.to_string()),
        ("long", exported.long.to_string()),
        ("report", serde_json::to_string(&report(now))?),
    ];
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for (name, sql) in [
        ("roll-ups", ROLLUPS),
        ("samples", SAMPLES),
        ("chat lines", LINES),
        ("sessions", SESSIONS),
        ("ideas", IDEAS),
    ] {
        eprintln!("   writing {name}");
        psql(database, &variables, sql)?;
    }
    Ok(exported)
}

/// Runs a script; returns what it prints.
pub fn psql(database: &str, variables: &[(&str, &str)], sql: &str) -> Result<String> {
    let program = PathBuf::from(std::env::var("LUMIO_PSQL").context("LUMIO_PSQL is not set")?);
    let script = tempfile::NamedTempFile::new()?;
    std::fs::write(script.path(), sql)?;
    let mut command = Command::new(program);
    command.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-f"]).arg(script.path());
    for (name, value) in variables {
        command.args(["-v", &format!("{name}={value}")]);
    }
    let output = command.env("LC_ALL", "C.UTF-8").output()?;
    ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Report with full lists. Its session is that of the row beside it.
fn report(now: DateTime<Utc>) -> Report {
    let numbers = || (0..20_i64).map(|number| (number, number.to_string()));
    let start = now - TimeDelta::hours(8);
    Report {
        session: SessionRow {
            id: Uuid::nil(),
            session_type: "multi".to_owned(),
            platforms: vec!["kick".to_owned(), "twitch".to_owned()],
            title: Some("A long stream".to_owned()),
            category: Some("Chess".to_owned()),
            started_at: start,
            ended_at: Some(now),
            duration_secs: Some(8 * 3600),
            peak_viewers: Some(900),
            avg_viewers: Some(450.5),
            total_messages: 20_000,
            unique_chatters: Some(3_000),
            new_followers: Some(120),
            new_subscribers: Some(30),
            is_live: false,
        },
        streams: ["kick", "twitch"].map(|platform| stream(platform, start, now)).to_vec(),
        categories: vec![CategorySpan {
            name: "Chess".to_owned(),
            started_at: start,
            duration_secs: 8 * 3600,
        }],
        totals: Totals { follows: 120, subs: 30, ..Totals::default() },
        messages_per_minute_peak: 90,
        top_chatters: numbers()
            .map(|(number, name)| Chatter {
                platform: "twitch".to_owned(),
                platform_user_id: Some(name.clone()),
                username: format!("viewer{name}"),
                display_name: format!("Viewer{name}"),
                avatar_url: None,
                message_count: 1_000 - number,
            })
            .collect(),
        top_emotes: numbers()
            .map(|(number, id)| EmoteCount {
                name: format!("Emote{id}"),
                id,
                provider: "7tv".to_owned(),
                url: None,
                count: 500 - number,
            })
            .collect(),
        top_gifs: Vec::new(),
        moderation: Moderation::default(),
        music: Vec::new(),
        chart_markers: numbers()
            .map(|(number, label)| ChartMarker {
                at: start + TimeDelta::minutes(number * 20),
                kind: MarkerKind::TitleChange,
                label: Some(label),
            })
            .collect(),
        events_by_type: [("twitch:follower".to_owned(), 120)].into(),
    }
}

fn stream(platform: &str, started_at: DateTime<Utc>, ended_at: DateTime<Utc>) -> Stream {
    Stream {
        platform: platform.to_owned(),
        broadcast_id: format!("{platform}-1"),
        title: Some("A long stream".to_owned()),
        category: Some("Chess".to_owned()),
        started_at,
        ended_at: Some(ended_at),
        peak_viewers: Some(600),
        avg_viewers: Some(300.25),
    }
}

/// Channels with days before those that have samples; the others of the directory have ranges alone. A fifth is live,
/// in one of 20 games.
const ROLLUPS: &str = "
    INSERT INTO public_channels (platform, platform_channel_id, login, display_name, language, broadcaster_type, source,
        is_live, current_viewers, current_game_id, current_game, live_since, live_seen_at, last_streamed_at, followers,
        followers_at, first_seen_at)
    SELECT 'twitch', 'seed' || c, 'seed' || c, 'Seed' || c, (ARRAY['en', 'de', 'es'])[1 + c % 3],
        CASE WHEN c % 10 = 0 THEN 'partner' ELSE 'affiliate' END, 'external_crawler', c % 5 = 0, c % 1000, 'g' || c % 20,
        'Game ' || c % 20, now(), now() + interval '1 day', now(), c, now(), now()
    FROM generate_series(1, :directory) AS c;
    INSERT INTO public_channel_days (platform, platform_channel_id, day, source, live_secs, viewer_secs, peak_viewers,
        message_count, follower_count, sample_count)
    SELECT 'twitch', 'seed' || c, (now() AT TIME ZONE 'UTC')::date - back, 'first_party', 36000, 36000 * (c + back % 50),
        2 * c + 100, 5000, 1000 + 400 - back, 600
    FROM generate_series(1, :channels) AS c, generate_series(:sample_days + 1, :days) AS back
    ORDER BY 2, 3;
    INSERT INTO public_channel_ranges (range_days, platform, platform_channel_id, avg_viewers, peak_viewers, live_secs,
        total_messages)
    SELECT range_days, 'twitch', 'seed' || c, c % 5000, c % 9000, 36000, c % 7000
    FROM unnest('{7,30,90}'::smallint[]) AS range_days, generate_series(:channels + 1, :directory) AS c;
    INSERT INTO public_games (platform, game_id, name, updated_at)
    SELECT 'twitch', 'g' || g, 'Game ' || g, now() FROM generate_series(0, 5000) AS g;
    INSERT INTO public_game_days (platform, game_id, day, viewer_secs, slot_count, peak_viewers, peak_channels)
    SELECT 'twitch', 'g' || g, (now() AT TIME ZONE 'UTC')::date - back, 86400 * g, 288, 2 * g, 10
    FROM generate_series(0, 19) AS g, generate_series(:sample_days + 1, :days) AS back ORDER BY 2, 3;
    INSERT INTO public_game_ranges (range_days, platform, game_id, avg_viewers, peak_viewers, hours_watched, channels)
    SELECT range_days, 'twitch', 'g' || g, g, 2 * g, g * 24, 10
    FROM unnest('{7,30,90}'::smallint[]) AS range_days, generate_series(20, 5000) AS g;
    VACUUM ANALYZE public_channels, public_channel_days, public_channel_ranges, public_games, public_game_days,
        public_game_ranges;
";

/// First-party samples of each minute, a day in a statement and in the order of their key, with their marks.
const SAMPLES: &str = "
    SELECT timeseries_ensure('channel_samples', now() - make_interval(days => :sample_days + 1), now());
    SELECT set_config('seed.channels', :'channels', false), set_config('seed.days', :'sample_days', false);
    DO $$
    DECLARE
        midnight timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    BEGIN
        FOR back IN REVERSE current_setting('seed.days')::int .. 1 LOOP
            INSERT INTO channel_samples (platform, platform_channel_id, at, source, viewer_count, message_count, game_id,
                game_name, weight_secs, follower_count)
            SELECT 'twitch', 'seed' || c, midnight - back * interval '1 day' + minute * interval '1 minute', 'first_party',
                (c * 7 + minute % 60)::bigint, 3, 'g' || c % 20, 'Game ' || c % 20, 60, 1400 + c
            FROM generate_series(1, current_setting('seed.channels')::int) AS c, generate_series(0, 1439) AS minute;
        END LOOP;
    END
    $$;
    INSERT INTO channel_marks (platform, platform_channel_id, day)
    SELECT 'twitch', 'seed' || c, (now() AT TIME ZONE 'UTC')::date - back
    FROM generate_series(1, :channels) AS c, generate_series(1, :sample_days) AS back;
    INSERT INTO slot_marks (platform, slot)
    SELECT 'twitch', (date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') - slot * interval '5 minutes'
    FROM generate_series(1, :sample_days * 288) AS slot;
    VACUUM ANALYZE channel_samples;
";

const LINES: &str = "
    SELECT timeseries_ensure('chat_messages', now() - interval '40 days', now());
    INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username, display_name,
        text, sent_at)
    SELECT gen_random_uuid(), :'account', (ARRAY['twitch', 'kick'])[1 + line % 2], 'seed' || line, (line % 5000)::text,
        'viewer' || line % 5000, 'Viewer' || line % 5000, 'line ' || line || ' of a lively chat with some words in it',
        now() - line * (interval '35 days' / :lines)
    FROM generate_series(1, :lines) AS line;
    ANALYZE chat_messages;
";

/// Sessions of eight hours, and two whose samples are exported.
const SESSIONS: &str = "
    INSERT INTO stream_sessions (id, account_id, session_type, platforms, title, category, categories, started_at,
        ended_at, last_off_at, minutes_from, minutes_to, duration_secs, peak_viewers, avg_viewers, total_messages,
        unique_chatters, new_followers, new_subscribers, report, report_made_at)
    SELECT gen_random_uuid(), :'account', 'multi', '{kick,twitch}', 'Stream ' || s, 'Chess', '{Chess,Go}', started,
        started + interval '8 hours', started + interval '8 hours', date_trunc('minute', started),
        date_trunc('minute', started) + interval '481 minutes', 28800, s % 900, (s % 450) + 0.5, 20000, s % 3000, s % 120,
        s % 30, :'report', started + interval '8 hours'
    FROM (SELECT s, now() - interval '20 days' - s * interval '10 hours' AS started
        FROM generate_series(1, :sessions) AS s) AS made;
    INSERT INTO stream_sessions (id, account_id, session_type, platforms, title, category, categories, started_at,
        ended_at, last_off_at, minutes_from, minutes_to, duration_secs, peak_viewers, avg_viewers, total_messages,
        unique_chatters, new_followers, new_subscribers, report, report_made_at)
    SELECT id::uuid, :'account', 'multi', '{kick,twitch}', 'Exported', 'Chess', '{Chess}', started,
        started + minutes * interval '1 minute', started + minutes * interval '1 minute', started,
        started + minutes * interval '1 minute', minutes * 60, 900, 450.5, 200000, 3000, 120, 30, :'report', now()
    FROM (VALUES (:'long', date_trunc('minute', now() - interval '18 days'), 7 * 1440),
        (:'short', date_trunc('minute', now() - interval '10 days'), 1440)) AS exported (id, started, minutes);
    SELECT timeseries_ensure('stream_samples', now() - interval '20 days', now());
    INSERT INTO stream_samples (account_id, platform, at, viewer_count, message_count, unique_chatters, follower_delta)
    SELECT :'account', platform, minutes_from + minute * interval '1 minute', 400 + minute % 100, 30, 20, minute % 3
    FROM stream_sessions, unnest(platforms) AS platform, generate_series(0, duration_secs / 60 - 1) AS minute
    WHERE id IN (:'long', :'short');
    VACUUM ANALYZE stream_sessions;
    ANALYZE stream_samples;
";

const IDEAS: &str = "
    INSERT INTO idea_categories (id, name, label, color)
    VALUES (gen_random_uuid(), 'bench', 'Bench', '#112233') ON CONFLICT (name) DO NOTHING;
    INSERT INTO ideas (id, author_id, category_id, status, vote_count_up, vote_count_down, comment_count, created_at,
        updated_at)
    SELECT md5('idea' || i)::uuid, :'person', (SELECT id FROM idea_categories WHERE name = 'bench'),
        (ARRAY['open', 'planned', 'done'])[1 + i % 3], i % 700, i % 90, i % 40, now() - i * interval '5 minutes',
        now() - i * interval '4 minutes'
    FROM generate_series(1, :ideas) AS i;
    INSERT INTO idea_texts (idea_id, title, description)
    SELECT md5('idea' || i)::uuid, 'Idea number ' || i, '<p>A text of several words about number ' || i || '.</p>'
    FROM generate_series(1, :ideas) AS i;
    VACUUM ANALYZE ideas, idea_texts;
";
