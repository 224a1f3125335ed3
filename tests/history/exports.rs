//! Exports of reports as files (reference/history.md#exports).

use std::{collections::BTreeMap, io::Read, time::Duration};

use diesel::{prelude::*, sql_query, update};
use diesel_async::RunQueryDsl;
use flate2::read::DeflateDecoder;
use history_model::report::{Chatter, Report};
use lumio_tests::{Caller, TestApp};
use reqwest::{Method, header::HeaderMap};
use serde_json::Value;
use shared::schema::stream_sessions;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
};
use uuid::Uuid;

use super::scene::{Planted, hours_ago, report_path, sample, samples};

/// Title that spreadsheets, terminals and readers of CSV could take for something else.
const HOSTILE: &str = "=HYPERLINK(\"http://a.example\"),1\r\nsecond \u{202E}line\u{7}";

/// A downloaded file.
pub struct File {
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl File {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("UTF-8")
    }
}

/// Downloads the report of a session.
pub async fn exported(caller: &Caller, id: Uuid, format: &str) -> File {
    let path = format!("{}/export?format={format}", report_path(id));
    let response = caller.request(Method::GET, &path).send().await.expect("an answer");
    assert_eq!(response.status(), 200, "{format}");
    let headers = response.headers().clone();
    File { headers, bytes: response.bytes().await.expect("a whole file").to_vec() }
}

/// Stores another report of a session.
pub async fn store(app: &TestApp, report: &Report) {
    update(stream_sessions::table.find(report.session.id))
        .set(stream_sessions::report.eq(serde_json::to_value(report).expect("JSON")))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// A chatter of Twitch.
pub fn chatter(name: &str, message_count: i64) -> Chatter {
    Chatter {
        platform: "twitch".to_owned(),
        platform_user_id: Some("7".to_owned()),
        username: name.to_owned(),
        display_name: name.to_owned(),
        avatar_url: None,
        message_count,
    }
}

fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    bytes[at..at + length].iter().rev().fold(0, |number, byte| (number << 8) | usize::from(*byte))
}

/// Files of an archive by name, read from its directory at the end.
fn unpacked(archive: &[u8]) -> BTreeMap<String, String> {
    let end = archive.windows(4).rposition(|four| four == b"PK\x05\x06").expect("the end of an archive");
    let (count, mut at) = (number(archive, end + 10, 2), number(archive, end + 16, 4));
    let mut files = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(archive[at..at + 4], *b"PK\x01\x02");
        let flags = number(archive, at + 8, 2);
        assert_ne!(flags & 8, 0, "sizes follow the file: the archive is written from front to back");
        let (packed, unpacked) = (number(archive, at + 20, 4), number(archive, at + 24, 4));
        let (name, extra, comment) =
            (number(archive, at + 28, 2), number(archive, at + 30, 2), number(archive, at + 32, 2));
        let local = number(archive, at + 42, 4);
        let content = local + 30 + number(archive, local + 26, 2) + number(archive, local + 28, 2);
        let mut text = String::new();
        DeflateDecoder::new(&archive[content..content + packed]).read_to_string(&mut text).expect("UTF-8");
        assert_eq!(text.len(), unpacked);
        files.insert(String::from_utf8(archive[at + 46..at + 46 + name].to_vec()).expect("UTF-8"), text);
        at += 46 + name + extra + comment;
    }
    files
}

/// Rows of a file as RFC 4180 defines them.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, is_quoted) {
            ('"', true) if characters.peek() == Some(&'"') => cell.extend(characters.next()),
            ('"', _) => is_quoted = !is_quoted,
            (',', false) => row.push(std::mem::take(&mut cell)),
            ('\r', false) => {
                assert_eq!(characters.next(), Some('\n'));
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            (c, _) => cell.push(c),
        }
    }
    assert!(row.is_empty() && cell.is_empty() && !is_quoted, "the last row ends");
    rows
}

/// The text as a cell has it.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.starts_with(['=', '+', '-', '@']) => format!("'{text}"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[tokio::test]
async fn export_stream_report_holds_the_same_data_in_every_format() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 30);
    let planted =
        Planted { title: Some(HOSTILE), category: Some("-Chess"), ..Planted::of(owner.account_id, start) };
    let id = planted.plant(&app).await;
    let mut report = planted.report(id);
    report.top_chatters = vec![chatter("@admin", 12), chatter("+1", 11), chatter("Ada, \"the\" first", 10)];
    report.top_emotes[0].name = "=D".to_owned();
    store(&app, &report).await;
    samples(&app, owner.account_id, "twitch", (start, start + chrono::Duration::minutes(50))).await;
    sample(&app, owner.account_id, "kick", start, None).await;
    let shown = owner.get(&report_path(id)).await.data().clone();
    let listed = owner.get(&format!("{}/stats", report_path(id))).await.data().clone();
    assert_eq!((listed.as_array().map(Vec::len), &shown["title"]), (Some(51), &Value::from(HOSTILE)));

    let date = start.format("%Y-%m-%d");
    for (format, extension, content_type) in [
        ("csv", "zip", "application/zip"),
        ("txt", "txt", "text/plain; charset=utf-8"),
        ("json", "json", "application/json"),
    ] {
        let file = exported(&owner, id, format).await;
        let disposition = format!("attachment; filename=\"report-{date}.{extension}\"");
        assert_eq!(file.header("content-disposition"), disposition);
        assert_eq!(file.header("content-type"), content_type);
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert_eq!(file.header("cache-control"), "private, no-store");
    }

    let json: Value = serde_json::from_slice(&exported(&owner, id, "json").await.bytes).expect("JSON");
    assert_eq!((&json["report"], &json["samples"]), (&shown, &listed));

    let files = unpacked(&exported(&owner, id, "csv").await.bytes);
    let names: Vec<_> = files.keys().map(String::as_str).collect();
    let expected =
        ["emotes.csv", "events.csv", "samples.csv", "streams.csv", "summary.csv", "top_chatters.csv"];
    assert_eq!(names, expected);
    let summary: BTreeMap<String, String> =
        rows(&files["summary.csv"]).into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    for field in ["id", "title", "category", "started_at", "duration_secs", "peak_viewers", "total_messages"]
    {
        assert_eq!(summary[field], cell(&shown[field]), "{field}");
    }
    for field in ["follows", "cheers_bits", "raid_viewers"] {
        assert_eq!(summary[field], cell(&shown["totals"][field]), "{field}");
    }
    assert_eq!((summary["tips_EUR"].as_str(), summary["avg_viewers"].as_str()), ("12.50", "50.25"));
    for (name, list) in [
        ("samples.csv", &listed),
        ("streams.csv", &shown["streams"]),
        ("top_chatters.csv", &shown["top_chatters"]),
    ] {
        let mut rows = rows(&files[name]).into_iter();
        let head = rows.next().expect("a head");
        let rows: Vec<_> = rows.collect();
        let expected: Vec<Vec<String>> = list
            .as_array()
            .expect("a list")
            .iter()
            .map(|item| head.iter().map(|field| cell(&item[field])).collect())
            .collect();
        assert_eq!(rows, expected, "{name}");
    }
    assert!(files["emotes.csv"].contains("emote,25,'=D,twitch,,9\r\n"), "{}", files["emotes.csv"]);
    assert!(files["emotes.csv"].contains("gif,g1,a cat,tenor,https://tenor.com/view/g1,2\r\n"));
    assert!(files["events.csv"].contains("count,,twitch:follow,,5,\r\n"), "{}", files["events.csv"]);
    assert!(
        files["events.csv"].contains(",raid,42,,\r\n") && files["events.csv"].contains(",Band – Song,,\r\n")
    );

    let file = exported(&owner, id, "txt").await;
    let text = file.text();
    assert!(
        text.starts_with("=HYPERLINK(\"http://a.example\"),1  second <U+202E>line<U+0007>\n==="),
        "{text}"
    );
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    for expected in ["Peak viewers", "1,000", "50.25", "@admin", "=D", "a cat", "12.50", "Band"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert_eq!(text.lines().skip_while(|line| *line != "Samples").skip(3).count(), 51);
    app.stop().await;
}

#[tokio::test]
async fn export_stream_report_that_fails_in_the_middle_breaks_the_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (start, end) = (hours_ago(&app, 7 * 24 - 1), hours_ago(&app, 1));
    let id = Planted { ended_at: Some(end), ..Planted::of(owner.account_id, start) }.plant(&app).await;
    for platform in ["kick", "trovo", "twitch", "youtube"] {
        samples(&app, owner.account_id, platform, (start, end)).await;
    }
    let length = exported(&owner, id, "json").await.bytes.len();

    // A client with little space that stops reading, so that the server cannot be finished yet.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(8 * 1024).unwrap();
    let address = app.url().trim_start_matches("http://").parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let path = format!("{}/export?format=json", report_path(id));
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
        owner.token()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut received = vec![0; 1024];
    stream.read_exact(&mut received).await.unwrap();
    assert!(received.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&received));
    sql_query("ALTER TABLE stream_samples RENAME TO moved_samples")
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match tokio::time::timeout(Duration::from_secs(60), stream.read(&mut buffer)).await.expect("an end") {
            Ok(0) | Err(_) => break,
            Ok(count) => received.extend_from_slice(&buffer[..count]),
        }
    }
    assert!(received.len() < length, "the whole file arrived");
    assert!(!received.ends_with(b"0\r\n\r\n"), "the end of the file was sent");

    // A document is made of all samples before its response begins.
    let first = owner.get(&format!("{}/export?format=pdf", report_path(id))).await;
    first.refused("DATABASE_ERROR", "Internal database error");
    assert_eq!((first.status, first.header("content-disposition")), (500, ""));
    app.stop().await;
}
