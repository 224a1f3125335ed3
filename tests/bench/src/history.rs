//! A year of history while chat arrives: roll-ups of samples, reads compared with their statements by psql, and exports.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use demo::{Api, StandIn};
use stack::{
    Stack,
    measure::{peak_mib, percentile, reset_peak, resident_mib, short},
    twitch::Twitch,
};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    deliveries::Chat,
    history_statements::{self, Reads},
    seed_history::{Amounts, Exported, psql, seed},
    table::{Row, Table},
};

/// 50 lines a second.
const LINE_INTERVAL: Duration = Duration::from_millis(20);
/// Lines that arrive at most, more than are needed.
const MAX_LINES: u64 = 1_000_000;
/// Interval of the checks that all marks are done.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum wait for the roll-ups.
const ROLLUP_TIMEOUT: Duration = Duration::from_secs(1800);
/// Exports of each format.
const EXPORTS: u32 = 20;
/// Memory that an export may take besides what the process had, in MiB.
const MAX_EXPORT_MIB: f64 = 16.0;

/// Writes the rows, measures and adds the rows of the table.
pub async fn run(stack: &mut Stack, table: &mut Table, amounts: Amounts) -> Result<()> {
    let exported = seed(stack, amounts)?;
    stack.ensure_worker("ingest")?;
    let _talking = talk(stack).await?;
    roll_up(stack, table, amounts).await?;
    let reports = reports(stack, amounts)?;
    for reads in history_statements::all(stack, amounts, &reports) {
        compare(stack, table, &reads).await?;
    }
    for format in ["csv", "txt", "json", "pdf"] {
        export(stack, table, &exported, format).await?;
    }
    Ok(())
}

/// Chat of another account, which arrives until this is dropped.
async fn talk(stack: &Stack) -> Result<AbortOnDropHandle<()>> {
    let (api, stand_in) = (Api::new(&stack.origin)?, StandIn::new(&stack.environment["STAND_IN"])?);
    let streamer = stand_in.create_user("twitch", "talkative").await?;
    let (owner, _) = demo::exchange(&api, &streamer).await?;
    demo::connect(&owner, "twitch", &streamer).await?;
    let chat = Chat {
        twitch: Twitch::new(&stack.environment["LUMIO_TWITCH_EVENTSUB_SECRET"])?,
        origin: stack.origin.clone(),
        channel: streamer.id,
    };
    Ok(AbortOnDropHandle::new(tokio::spawn(async move {
        let mut next = tokio::time::Instant::now();
        for line in 0..MAX_LINES {
            tokio::time::sleep_until(next).await;
            next += LINE_INTERVAL;
            if let Err(error) = chat.say(&format!("line {line}"), &format!("history-{line}")).await {
                eprintln!("   a line was refused: {error}");
            }
        }
    })))
}

/// The daemon's roll-ups of all samples, compared with plain SQL over them.
async fn roll_up(stack: &mut Stack, table: &mut Table, amounts: Amounts) -> Result<()> {
    let database = stack.environment["DATABASE_URL"].clone();
    let began = Instant::now();
    stack.ensure_worker("public-stats")?;
    while number(&database, LEFT)? > 0 {
        ensure!(began.elapsed() < ROLLUP_TIMEOUT, "the roll-ups are not made");
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    let took = began.elapsed().as_secs_f64();
    let plain =
        times(&psql(&database, &[], &format!("\\timing on\nSELECT count(*) FROM ({PLAIN_DAYS}) AS days;"))?)?;
    let plain = plain.first().copied().context("psql printed no time")? / 1000.0;
    let different = number(
        &database,
        &format!(
            "SELECT count(*) FROM (({PLAIN_DAYS}) EXCEPT
            SELECT platform, platform_channel_id, day, live_secs, viewer_secs, peak_viewers, message_count,
                follower_count, sample_count FROM public_channel_days) AS different"
        ),
    )?;
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = amounts.samples() as f64 / took;
    table.add(Row {
        work: "Roll-ups of a backlog of samples",
        figure: format!(
            "{} samples/s ({} samples: days and slots of games in {} s; the days alone by psql in {} s); {different} days differ",
            short(rate),
            amounts.samples(),
            short(took),
            short(plain)
        ),
        bar: "equal to plain SQL",
        met: Some(different == 0),
    });
    Ok(())
}

/// Ids of sessions with a report.
fn reports(stack: &Stack, amounts: Amounts) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT id FROM stream_sessions WHERE account_id = '{}' ORDER BY id LIMIT {}",
        stack.account_id, amounts.requests
    );
    let printed = psql(&stack.environment["DATABASE_URL"], &[], &sql)?;
    Ok(printed.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect())
}

/// Reads of one kind, first by psql, which also warms the database.
async fn compare(stack: &Stack, table: &mut Table, reads: &Reads) -> Result<()> {
    let mut statements = by_psql(stack, reads)?;
    let mut requests = by_http(stack, reads).await?;
    let of = |times: &mut Vec<f64>| (percentile(times, 50.0), percentile(times, 99.0));
    let ((p50, p99), (plain_p50, plain_p99)) = (of(&mut requests), of(&mut statements));
    let is_met = match reads.max_p99 {
        Some(limit) => p99 <= limit,
        None => p50 <= 3.0 * plain_p50 || p99 <= 10.0,
    };
    table.add(Row {
        work: reads.work,
        figure: format!(
            "p50 {}, p99 {} ms over {} requests; the statement by psql: p50 {}, p99 {} ms",
            short(p50),
            short(p99),
            reads.paths.len(),
            short(plain_p50),
            short(plain_p99)
        ),
        bar: match reads.max_p99 {
            Some(_) => "p99 ≤ 10 ms, warm",
            None => "p50 ≤ 3 times psql, or p99 ≤ 10 ms",
        },
        met: Some(is_met),
    });
    Ok(())
}

/// Milliseconds of each request. Each path is read once, so that no answer is a kept one.
async fn by_http(stack: &Stack, reads: &Reads) -> Result<Vec<f64>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut took = Vec::with_capacity(reads.paths.len());
    for path in &reads.paths {
        let request = client.get(format!("{}{path}", stack.origin)).bearer_auth(&stack.session);
        let began = Instant::now();
        let response = request.send().await?;
        ensure!(response.status().is_success(), "{path} answered {}", response.status());
        response.bytes().await?;
        took.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(took)
}

/// Milliseconds of each execution of the prepared statement. The first pass reads from the disk.
fn by_psql(stack: &Stack, reads: &Reads) -> Result<Vec<f64>> {
    let mut script = format!("\\o /dev/null\nPREPARE measured ({}) AS {};\n", reads.types, reads.statement);
    let executions: String =
        reads.parameters.iter().map(|parameters| format!("EXECUTE measured ({parameters});\n")).collect();
    script += &format!("{executions}\\timing on\n{executions}");
    let took = times(&psql(&stack.environment["DATABASE_URL"], &[], &script)?)?;
    ensure!(took.len() == reads.parameters.len(), "psql printed {} times", took.len());
    Ok(took)
}

/// Exports of a session of seven days, and their memory beside that of a session of a day.
async fn export(stack: &Stack, table: &mut Table, exported: &Exported, format: &str) -> Result<()> {
    const SAMPLES: u32 = 2 * 7 * 24 * 60;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let read = async |id: uuid::Uuid| {
        let path = format!("{}/v1/history/reports/{id}/export?format={format}", stack.origin);
        let mut response = client.get(path).bearer_auth(&stack.session).send().await?.error_for_status()?;
        let mut bytes = 0;
        while let Some(part) = response.chunk().await? {
            bytes += part.len();
        }
        anyhow::Ok(bytes)
    };
    read(exported.short).await?;
    let before = resident_mib(stack.api_pid)?;
    reset_peak(stack.api_pid)?;
    let (began, mut bytes) = (Instant::now(), 0);
    for _ in 0..EXPORTS {
        bytes = read(exported.long).await?;
    }
    let took = began.elapsed().as_secs_f64() / f64::from(EXPORTS);
    let more = (peak_mib(stack.api_pid)? - before).max(0.0);
    let plain = format!(
        "\\o /dev/null\n\\timing on\nSELECT * FROM stream_samples AS sample JOIN stream_sessions AS session
            ON sample.account_id = session.account_id AND at >= minutes_from AND at < minutes_to
         WHERE session.id = '{}' ORDER BY at, platform;",
        exported.long
    );
    let plain = times(&psql(&stack.environment["DATABASE_URL"], &[], &plain)?)?;
    table.add(Row {
        work: match format {
            "csv" => "Export of seven days as CSV",
            "txt" => "Export of seven days as text",
            "json" => "Export of seven days as JSON",
            _ => "Export of seven days as PDF",
        },
        figure: format!(
            "{} samples/s, {} ms and {} KiB each, {} MiB more at the peak; the samples by psql: {} ms",
            short(f64::from(SAMPLES) / took),
            short(took * 1000.0),
            bytes / 1024,
            short(more),
            short(plain.first().copied().unwrap_or(f64::NAN))
        ),
        bar: "≤ 16 MiB more than after an export of a day",
        met: Some(more <= MAX_EXPORT_MIB),
    });
    Ok(())
}

/// Times that psql has printed, in milliseconds.
pub fn times(printed: &str) -> Result<Vec<f64>> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix("Time: "));
    lines.map(|line| Ok(line.split_whitespace().next().context("no figure")?.parse()?)).collect()
}

fn number(database: &str, sql: &str) -> Result<i64> {
    Ok(psql(database, &[], sql)?.trim().parse()?)
}

const LEFT: &str = "
    SELECT (SELECT count(*) FROM channel_marks) + (SELECT count(*) FROM slot_marks)
        + (SELECT count(*) FROM public_channel_marks) + (SELECT count(*) FROM public_game_marks)";

const PLAIN_DAYS: &str = "
    SELECT platform, platform_channel_id, (at AT TIME ZONE 'UTC')::date AS day, sum(weight_secs)::bigint AS live_secs,
        sum(viewer_count * weight_secs)::bigint AS viewer_secs, max(viewer_count) AS peak_viewers,
        sum(message_count)::bigint AS message_count, max(follower_count) AS follower_count, count(*) AS sample_count
    FROM channel_samples WHERE source = 'first_party' AND platform_channel_id LIKE 'seed%' GROUP BY 1, 2, 3";
