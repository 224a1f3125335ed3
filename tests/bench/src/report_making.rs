//! Making of the report of a session of 24 hours, compared with the same scans by psql.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use history_model::report::{self, statements};
use shared::clock::Clock;
use stack::{
    Stack,
    measure::{Rounds, short},
};
use uuid::Uuid;

use crate::{
    history::times,
    seed_history::psql,
    table::{Row, Table},
};

/// Chat lines of the session.
const LINES: u32 = 2_000_000;
/// The report may take as many times as long as the scans.
const MAX_RATIO: f64 = 3.0;

/// Writes a session, measures and adds the row of the table.
pub async fn run(stack: &Stack, table: &mut Table, rounds: u32) -> Result<()> {
    let database = &stack.environment["DATABASE_URL"];
    let session = Uuid::now_v7();
    eprintln!("   writing {LINES} lines of a session");
    seed(stack, session)?;
    let (mut made, mut plain) = (Rounds::default(), Rounds::default());
    // The first round warms the database.
    for round in 0..=rounds {
        let (scans, report) = (scan(database, stack, session)?, make(database, session).await?);
        if round > 0 {
            plain.add(scans);
            made.add(report);
        }
    }
    let ratio = made.median() / plain.median();
    table.add(Row {
        work: "Making of the report of 24 hours",
        figure: format!(
            "{} for {LINES} lines, {} times the scans by psql ({})",
            made.summary("s"),
            short(ratio),
            plain.summary("s")
        ),
        bar: "≤ 3 times psql",
        met: Some(ratio <= MAX_RATIO),
    });
    Ok(())
}

fn seed(stack: &Stack, session: Uuid) -> Result<()> {
    let (session, lines) = (session.to_string(), LINES.to_string());
    let variables =
        [("account", stack.account_id.as_str()), ("session", session.as_str()), ("lines", lines.as_str())];
    psql(&stack.environment["DATABASE_URL"], &variables, SEED).map(drop)
}

/// Time of a report, in seconds.
async fn make(database: &str, session: Uuid) -> Result<f64> {
    let mut postgres = AsyncPgConnection::establish(database).await?;
    let mut timeseries = AsyncPgConnection::establish(database).await?;
    let began = Instant::now();
    let made = report::make(&mut postgres, &mut timeseries, session, Clock::default().now()).await?;
    let took = began.elapsed().as_secs_f64();
    let lines = made.context("there is no session")?.report.session.total_messages;
    ensure!(lines == i64::from(LINES), "the report has {lines} lines");
    Ok(took)
}

/// Time of the scans of a report, in seconds: the same statements with the same settings.
fn scan(database: &str, stack: &Stack, session: Uuid) -> Result<f64> {
    let session = session.to_string();
    let variables = [("account", stack.account_id.as_str()), ("session", session.as_str())];
    let printed = psql(database, &variables, &script())?;
    Ok(times(&printed)?.iter().sum::<f64>() / 1000.0)
}

fn script() -> String {
    // The whole session is the only part.
    const PARTS: &str = "ARRAY[:'from', :'to']::timestamptz[]";
    let mut script = format!("{WINDOW}\n\\timing on\n");
    let rest: [(&str, &[&str]); 7] = [
        (statements::LINES, &[]),
        (statements::USES, &[PARTS, "200000"]),
        (statements::VIEWERS, &["20000"]),
        (statements::EVENTS, &["10000"]),
        (statements::MOMENTS, &["'{twitch:raid}'::text[]", "10000"]),
        (statements::REMOVALS, &["60"]),
        (
            statements::CHATTERS,
            &[PARTS, "'{0}'::int[]", "'{NULL}'::text[]", "'{1}'::int[]", "'{2}'::int[]", "100"],
        ),
    ];
    for (statement, rest) in rest {
        let session = [":'account'::uuid", ":'from'::timestamptz", ":'to'::timestamptz"];
        let values = [&session, rest].concat();
        let mut filled = statement.to_owned();
        for (index, value) in values.iter().enumerate().rev() {
            filled = filled.replace(&format!("${}", index + 1), value);
        }
        script.push_str(&format!("{filled} \\g /dev/null\n"));
    }
    script
}

/// The session's time as variables, and the settings of the maker.
const WINDOW: &str = "
    SELECT set_config('work_mem', '64MB', false), set_config('jit', 'off', false) \\g /dev/null
    SELECT minutes_from AS from, minutes_to AS to FROM stream_sessions WHERE id = :'session' \\gset";

/// A session that ended an hour ago, with lines of 20,000 people, a tenth with emotes, and 5,000 events.
const SEED: &str = "
    INSERT INTO stream_sessions (id, account_id, session_type, platforms, title, category, categories, started_at,
        ended_at, last_off_at, minutes_from, minutes_to, duration_secs)
    SELECT :'session', :'account', 'single', '{twitch}', 'A day', 'Chess', '{Chess}', began, ended, ended, began, ended, 86400
    FROM (SELECT date_trunc('minute', now()) - interval '25 hours' AS began,
        date_trunc('minute', now()) - interval '1 hour' AS ended) AS times;
    INSERT INTO stream_broadcasts (id, account_id, session_id, platform, platform_channel_id, broadcast_id, started_at,
        ended_at, spans)
    SELECT gen_random_uuid(), account_id, id, 'twitch', 'day', 'day', started_at, ended_at,
        jsonb_build_array(jsonb_build_array(started_at, ended_at))
    FROM stream_sessions WHERE id = :'session';
    SELECT minutes_from AS from FROM stream_sessions WHERE id = :'session' \\gset
    SELECT timeseries_ensure(name, now() - interval '2 days', now())
    FROM unnest('{stream_lines,chat_messages,events,stream_samples}'::text[]) AS name;
    INSERT INTO stream_lines (account_id, platform, minute, line, chatter, emotes)
    SELECT :'account', 'twitch', :'from'::timestamptz + (line::bigint * 1440 / (:lines + 1)) * interval '1 minute', line,
        line % 20000, CASE WHEN line % 10 = 0 THEN
            jsonb_build_array(jsonb_build_object('id', line % 200, 'name', 'E' || line % 200, 'provider', 'twitch', 'count', 1))
        END
    FROM generate_series(1, :lines) AS line;
    INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username, display_name,
        text, sent_at)
    SELECT gen_random_uuid(), :'account', 'twitch', 'day' || line, (line % 20000)::text, 'viewer' || line % 20000,
        'Viewer' || line % 20000, 'line ' || line || ' of a lively chat with some words in it',
        :'from'::timestamptz + line * (interval '24 hours' / (:lines + 1))
    FROM generate_series(1, :lines) AS line;
    INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, message_count,
        first_seen_at, last_seen_at)
    SELECT :'account', 'twitch', n::text, 'viewer' || n, 'Viewer' || n, 100, now(), now()
    FROM generate_series(0, 19999) AS n ON CONFLICT DO NOTHING;
    INSERT INTO events (id, account_id, event_type, platform_event_id, occurred_at)
    SELECT gen_random_uuid(), :'account', (ARRAY['twitch:raid', 'twitch:follower', 'twitch:cheer'])[1 + n % 3], 'day' || n,
        :'from'::timestamptz + n * interval '17 seconds'
    FROM generate_series(1, 5000) AS n;
    INSERT INTO stream_samples (account_id, platform, at, viewer_count, message_count, unique_chatters, follower_delta)
    SELECT :'account', 'twitch', :'from'::timestamptz + n * interval '1 minute', 400 + n % 100, 30, 20, 1
    FROM generate_series(0, 1439) AS n;
    VACUUM ANALYZE stream_sessions, stream_broadcasts, stream_lines, chat_messages, events, stream_samples, platform_users;
";
