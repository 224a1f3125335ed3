//! Plans of the statements of a report: each reads the rows of its account by an index, and no others.

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use history_model::report::{REPORT_NAMES_CHATTER, STREAM_NAMES_CHATTER, statements};
use serde_json::Value;
use uuid::Uuid;

use super::{
    scene::plant,
    stage::{Stage, Timeseries},
};

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    text: String,
}

/// Tables that grow.
const TABLES: [&str; 9] = [
    "stream_lines",
    "stream_samples",
    "stream_removals",
    "events",
    "chat_messages",
    "automation_steps",
    "stream_broadcasts",
    "stream_changes",
    "stream_sessions",
];

/// Rows of another account in the minutes of the session.
const FILL: [&str; 5] = [
    "INSERT INTO stream_lines (account_id, platform, minute, line, chatter)
        SELECT $1, 'twitch', $2 + n % 300 * interval '1 minute', n, n % 100 FROM generate_series(1, 30000) AS n",
    "INSERT INTO stream_samples (account_id, platform, at, viewer_count, message_count, unique_chatters, follower_delta)
        SELECT gen_random_uuid(), 'twitch', $2 + n % 300 * interval '1 minute', n, 0, 0, 0
        FROM generate_series(1, 10000) AS n",
    "INSERT INTO stream_removals (account_id, platform, removed_at, kind, subject)
        SELECT $1, 'twitch', $2 + n * interval '1 second', 'ban', n FROM generate_series(1, 10000) AS n",
    "INSERT INTO events (id, account_id, event_type, platform_event_id, occurred_at)
        SELECT gen_random_uuid(), $1, 'twitch:raid', n::text, $2 + n % 10000 * interval '1 second'
        FROM generate_series(1, 20000) AS n",
    "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username, display_name,
            text, sent_at)
        SELECT gen_random_uuid(), $1, 'twitch', n::text, 'u', 'u', 'U', 'hi', $2 + n % 10000 * interval '1 second'
        FROM generate_series(1, 20000) AS n",
];

async fn explain(connection: &mut AsyncPgConnection, sql: &str) -> Vec<String> {
    let plan: Vec<Line> = sql_query(format!("EXPLAIN {sql}"))
        .load(connection)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    let empty: Vec<Line> =
        sql_query("SELECT relname::text AS \"QUERY PLAN\" FROM pg_class WHERE relpages = 0")
            .load(connection)
            .await
            .expect("the catalogue");
    // A partition without rows is read as a whole.
    let is_of_empty = |line: &Line| {
        let table = line.text.split("Seq Scan on ").nth(1).and_then(|rest| rest.split(' ').next());
        table.is_some_and(|table| empty.iter().any(|empty| empty.text == table))
    };
    plan.into_iter().filter(|line| !is_of_empty(line)).map(|line| line.text).collect()
}

/// Statement with values in the places of its parameters.
fn filled(sql: &str, values: &[String]) -> String {
    let mut filled = sql.to_owned();
    for (index, value) in values.iter().enumerate().rev() {
        filled = filled.replace(&format!("${}", index + 1), value);
    }
    filled
}

#[track_caller]
fn reads_by_an_index(sql: &str, plan: &[String]) {
    let is_scan = |line: &&String| TABLES.iter().any(|table| line.contains(&format!("Seq Scan on {table}")));
    let scans: Vec<&String> = plan.iter().filter(is_scan).collect();
    assert!(scans.is_empty(), "{sql}\n{plan:#?}");
    assert!(plan.iter().any(|line| line.contains("Index")), "{sql}\n{plan:#?}");
}

#[tokio::test]
async fn report_reads_the_rows_of_its_account_by_indexes() {
    let stage = Stage::new().await;
    let account = stage.app.owner().await.account_id;
    let session = plant(&stage, account, "plans").await;
    for sql in FILL {
        stage.run(Timeseries, sql, Uuid::now_v7(), Value::Null).await;
    }
    let mut timeseries = stage.app.databases.timescaledb.get().await.unwrap();
    sql_query("ANALYZE").execute(&mut *timeseries).await.unwrap();
    let (from, to) = (stage.text_at(0), stage.text_at(7200));
    let times =
        [format!("'{account}'::uuid"), format!("'{from}'::timestamptz"), format!("'{to}'::timestamptz")];
    let bounds = format!("ARRAY['{from}', '{to}']::timestamptz[]");
    let rest: [(&str, &[&str]); 7] = [
        (statements::LINES, &[]),
        (statements::USES, &[&bounds, "10"]),
        (statements::VIEWERS, &["10"]),
        (statements::EVENTS, &["10"]),
        (statements::MOMENTS, &["'{twitch:raid}'::text[]", "10"]),
        (statements::REMOVALS, &["60"]),
        (
            statements::CHATTERS,
            &[&bounds, "'{0}'::int[]", "'{NULL}'::text[]", "'{1}'::int[]", "'{2}'::int[]", "100"],
        ),
    ];
    for (sql, rest) in rest {
        let values: Vec<String> =
            times.iter().cloned().chain(rest.iter().map(|value| (*value).to_owned())).collect();
        let plan = explain(&mut timeseries, &filled(sql, &values)).await;
        reads_by_an_index(sql, &plan);
    }
    drop(timeseries);
    main_database(&stage, account, session.id).await;
    stage.app.stop().await;
}

/// Small tables are read as a whole unless that is forbidden.
async fn main_database(stage: &Stage, account: Uuid, session: Uuid) {
    let mut postgres = stage.app.databases.postgres.get().await.unwrap();
    sql_query("SET enable_seqscan = off").execute(&mut *postgres).await.unwrap();
    let (account, session) = (format!("'{account}'::uuid"), format!("'{session}'::uuid"));
    let (from, to) = (format!("'{}'", stage.text_at(0)), format!("'{}'", stage.text_at(7200)));
    let run = "'00000000-0000-0000-0000-000000000000'::uuid".to_owned();
    let limit = "10".to_owned();
    for (sql, values) in [
        (statements::BROADCASTS, vec![account.clone(), session.clone(), limit.clone()]),
        (statements::CHANGES, vec![account.clone(), session, limit.clone()]),
        (statements::CLIPS, vec![account, run, from, to, limit]),
    ] {
        let plan = explain(&mut postgres, &filled(sql, &values)).await;
        reads_by_an_index(sql, &plan);
    }
    for (table, condition, index) in [
        ("stream_sessions", REPORT_NAMES_CHATTER, "stream_sessions_people"),
        ("public_streams", STREAM_NAMES_CHATTER, "public_streams_chatters"),
    ] {
        let sql = format!("SELECT 1 FROM {table} WHERE {condition}");
        let plan = explain(&mut postgres, &filled(&sql, &["'twitch'".into(), "'ada'".into()])).await;
        assert!(plan.iter().any(|line| line.contains(index)), "{plan:#?}");
    }
    let due = "SELECT id FROM stream_sessions WHERE report_due_at <= now() AND ended_at IS NOT NULL
        ORDER BY report_due_at, id LIMIT 1";
    assert!(explain(&mut postgres, due).await.iter().any(|line| line.contains("stream_sessions_due")));
}
