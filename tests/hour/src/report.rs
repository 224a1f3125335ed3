//! The end of the session, its report, and the file of it.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use demo::{fields, result, text};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    script::{KICK_FROM, MINUTES, SHOWS, Tally},
    studio::Studio,
    write,
};

/// Minutes without a broadcast after which a session is closed.
const SILENCE: i64 = 10;
/// Minutes in which the report has to be made.
const MAX_DELAY: i64 = 5;
/// Least size of a document with two charts.
const MIN_DOCUMENT: usize = 10_000;

/// Lets the silence pass until the report is made, and checks it; returns its id.
///
/// # Errors
/// A session that is closed too early or not at all, or a figure that differs from what was played.
pub async fn make(studio: &Studio, tally: &Tally) -> Result<String> {
    let last = MINUTES + SILENCE - 1;
    for minute in MINUTES + 1..=last {
        studio.move_to(minute);
        studio.record().await?;
    }
    let session = studio.session().await?;
    ensure!(session["is_live"] == true, "the session is closed after nine minutes: {session}");
    let id = text(&session, "/id")?.to_owned();
    let (status, refusal) = studio.owner.send(Method::GET, &export_path(&id), None).await?;
    ensure!(status == 409, "an export of a live session is answered {status}: {refusal}");
    let refusal = serde_json::from_str(&refusal)?;
    result(&format!("minute {last}: export, refused"), &fields(&refusal, &["error", "message"]));

    close(studio, last + 1).await?;
    check_session(&studio.session().await?, tally)?;
    let report = studio.owner.get(&format!("/v1/history/reports/{id}")).await?;
    check_report(&report["data"], tally)?;
    let samples = studio.owner.get(&format!("/v1/history/reports/{id}/stats")).await?;
    let samples = samples["data"].as_array().map_or(0, Vec::len);
    let minutes = usize::try_from(2 * MINUTES - KICK_FROM)?;
    ensure!(samples == minutes, "there are {samples} samples of {minutes} minutes");
    result("GET /v1/history/reports/{id}/stats: samples", &json!(samples));
    Ok(id)
}

/// Path of the report as a PDF.
fn export_path(id: &str) -> String {
    format!("/v1/history/reports/{id}/export?format=pdf")
}

/// Lets minutes pass until the session is closed and its report made.
async fn close(studio: &Studio, from: i64) -> Result<()> {
    for minute in from..from + MAX_DELAY {
        studio.move_to(minute);
        studio.record().await?;
        if studio.reports.make_next().await? {
            result("the report is made in minute", &json!(minute));
            return Ok(());
        }
    }
    bail!("no report was made within {MAX_DELAY} minutes")
}

/// Compares the session with what was played.
fn check_session(session: &Value, tally: &Tally) -> Result<()> {
    let (title, category) = SHOWS[1];
    let played = json!({
        "session_type": "multi", "platforms": ["kick", "twitch"], "title": title, "category": category,
        "peak_viewers": tally.peak_viewers(), "total_messages": tally.total_lines(),
        "unique_chatters": tally.chatters.len(), "new_followers": tally.follows, "new_subscribers": tally.subs,
        "is_live": false,
    });
    has(session, &played)?;
    let average = session["avg_viewers"].as_f64().unwrap_or_default();
    ensure!(
        (average - tally.avg_viewers()).abs() < 0.01,
        "{} viewers were played: {session}",
        tally.avg_viewers()
    );
    let seconds = session["duration_secs"].as_i64().unwrap_or_default();
    ensure!((MINUTES * 60..(MINUTES + 1) * 60).contains(&seconds), "it is no hour: {session}");
    let names = [
        "session_type",
        "platforms",
        "title",
        "duration_secs",
        "peak_viewers",
        "avg_viewers",
        "total_messages",
        "unique_chatters",
        "new_followers",
        "new_subscribers",
    ];
    result("GET /v1/history", &fields(session, &names));
    Ok(())
}

/// Compares the report with what was played.
fn check_report(report: &Value, tally: &Tally) -> Result<()> {
    let totals = &report["totals"];
    let played = json!({ "follows": tally.follows, "subs": tally.subs, "cheers_bits": tally.bits, "raids_in": 1,
                         "raid_viewers": tally.raiders });
    has(totals, &played)?;
    has(report, &json!({ "messages_per_minute_peak": tally.peak_lines() }))?;
    result(
        "GET /v1/history/reports/{id}: totals",
        &fields(totals, &["follows", "subs", "cheers_bits", "raids_in"]),
    );

    let streams = column(&report["streams"], &["platform", "peak_viewers", "avg_viewers"]);
    ensure!(streams.len() == 2, "the report has other broadcasts: {report}");
    result("streams", &json!(streams));
    let categories = column(&report["categories"], &["name", "duration_secs"]);
    let names: Vec<&Value> = categories.iter().map(|category| &category["name"]).collect();
    ensure!(json!(names) == json!(SHOWS.map(|(_title, category)| category)), "the categories are {names:?}");
    result("categories", &json!(categories));
    let markers = column(&report["chart_markers"], &["type", "label"]);
    let mut kinds: Vec<&str> = markers.iter().filter_map(|marker| marker["type"].as_str()).collect();
    kinds.sort_unstable();
    ensure!(kinds == ["category_change", "raid", "title_change"], "the moments are {kinds:?}");
    result("chart_markers", &json!(markers));

    let emotes = column(&report["top_emotes"], &["id", "name", "count"]);
    for (id, count) in &tally.emotes {
        let is_counted = emotes.iter().any(|emote| emote["id"] == *id && emote["count"] == *count);
        ensure!(is_counted, "the emote {id} was used {count} times: {emotes:?}");
    }
    ensure!(emotes.len() == tally.emotes.len(), "other emotes were counted: {emotes:?}");
    result(
        "top_emotes",
        &json!(emotes.iter().map(|emote| json!([emote["name"], emote["count"]])).collect::<Vec<_>>()),
    );
    let chatters = column(&report["top_chatters"], &["platform", "display_name", "message_count"]);
    ensure!(chatters.len() == tally.chatters.len().min(20), "the chatters are {chatters:?}");
    result("top_chatters, the first", &json!(chatters.first()));
    Ok(())
}

/// Downloads the report as a PDF into a file.
///
/// # Errors
/// A download that is no document, or a file that cannot be written.
pub async fn export(studio: &Studio, id: &str, path: &Path) -> Result<()> {
    let document = studio.owner.bytes(&export_path(id)).await?;
    let is_whole = document.starts_with(b"%PDF-") && document.trim_ascii_end().ends_with(b"%%EOF");
    ensure!(is_whole, "the export of {} bytes is no whole PDF", document.len());
    ensure!(document.len() > MIN_DOCUMENT, "the document has {} bytes only", document.len());
    write(path, &document)?;
    result(
        "GET /v1/history/reports/{id}/export?format=pdf",
        &json!({ "bytes": document.len(), "file": path.display().to_string() }),
    );
    Ok(())
}

/// These fields of each object of a list.
fn column(list: &Value, names: &[&str]) -> Vec<Value> {
    list.as_array().into_iter().flatten().map(|object| fields(object, names)).collect()
}

/// Asserts that an object has these values.
fn has(object: &Value, values: &Value) -> Result<()> {
    for (name, value) in values.as_object().into_iter().flatten() {
        ensure!(object[name] == *value, "`{name}` is {} instead of {value}: {object}", object[name]);
    }
    Ok(())
}
