//! Reports as PDF, read by the programs of poppler (reference/history.md#pdf).

use std::{
    collections::BTreeMap,
    io::Read,
    path::Path,
    process::{Command, Output},
};

use chrono::{DateTime, Duration, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use flate2::read::ZlibDecoder;
use history_model::report::{ChartMarker, MarkerKind, Report, Track};
use lumio_tests::TestApp;
use serde_json::Value;
use shared::schema::timeseries::stream_samples;
use tempfile::TempDir;
use uuid::Uuid;

use super::{
    exports::{chatter, exported, store},
    scene::{Planted, hours_ago, report_path, samples, text},
};

/// Words of each script.
const WORDS: [&str; 11] =
    ["漢字", "ひらがな", "สวัสดี", "🎉", "नमस्ते", "مرحبا", "שלום", "안녕하세요", "Größe", "Γειά", "Привет"];
/// Colours of lines in the charts.
const TWITCH: [u8; 3] = [145, 70, 255];
const KICK: [u8; 3] = [46, 154, 22];
const ALL_PLATFORMS: [u8; 3] = [31, 41, 60];
const MESSAGES: [u8; 3] = [15, 118, 110];
const MARKERS: [u8; 3] = [180, 83, 9];

fn run(program: &str, arguments: &[&str], folder: &Path) -> Output {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}; scripts/packages installs it"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A document in a folder of its own.
struct Document {
    folder: TempDir,
    bytes: Vec<u8>,
}

impl Document {
    fn new(bytes: Vec<u8>) -> Self {
        assert!(bytes.starts_with(b"%PDF-1."));
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join("report.pdf"), &bytes).expect("a file");
        Self { folder, bytes }
    }

    /// Text of each page in the order of reading, without the marks of direction that the program adds.
    fn pages(&self) -> Vec<String> {
        let arguments = ["-layout", "-enc", "UTF-8", "report.pdf", "-"];
        let text = String::from_utf8(run("pdftotext", &arguments, self.folder.path()).stdout).expect("UTF-8");
        let is_mark = |c: char| matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}');
        let text: String = text.chars().filter(|c| !is_mark(*c)).collect();
        text.trim_end_matches('\u{c}').split('\u{c}').map(str::to_owned).collect()
    }

    /// Pixels of each page in grey.
    fn pictures(&self) -> Vec<Vec<u8>> {
        run("pdftoppm", &["-gray", "-r", "72", "report.pdf", "page"], self.folder.path());
        let mut files: Vec<_> = std::fs::read_dir(self.folder.path())
            .expect("the folder")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "pgm"))
            .collect();
        files.sort();
        files.iter().map(|path| std::fs::read(path).expect("a picture")).collect()
    }

    /// Vertices of the stroked lines by colour.
    fn vertices(&self) -> BTreeMap<[u8; 3], usize> {
        let mut found = BTreeMap::new();
        for content in self.streams() {
            count_vertices(&content, &mut found);
        }
        found
    }

    /// Compressed streams of the document, most of which hold instructions.
    fn streams(&self) -> Vec<String> {
        let (mut streams, mut rest) = (Vec::new(), self.bytes.as_slice());
        while let Some(start) = position(rest, b"stream\n") {
            rest = &rest[start + b"stream\n".len()..];
            let end = position(rest, b"endstream").expect("the end of a stream");
            let mut text = Vec::new();
            if ZlibDecoder::new(&rest[..end]).read_to_end(&mut text).is_ok() {
                // Glyphs are bytes, which are no instructions.
                streams.push(String::from_utf8_lossy(&text).into_owned());
            }
            rest = &rest[end + b"endstream".len()..];
        }
        streams
    }
}

fn position(bytes: &[u8], searched: &[u8]) -> Option<usize> {
    bytes.windows(searched.len()).position(|window| window == searched)
}

/// Follows the instructions: `RG` sets the colour of lines, `m` and `l` add a vertex, `S` draws the line.
fn count_vertices(content: &str, found: &mut BTreeMap<[u8; 3], usize>) {
    let (mut numbers, mut color, mut vertices) = (Vec::new(), [0; 3], 0);
    for word in content.split_ascii_whitespace() {
        if let Ok(number) = word.parse::<f32>() {
            numbers.push(number);
            continue;
        }
        match word {
            "RG" => {
                if let [red, green, blue] = numbers[..] {
                    color = [red, green, blue].map(|part: f32| (part * 255.0).round() as u8);
                }
            }
            "m" | "l" => vertices += 1,
            "S" => *found.entry(color).or_default() += std::mem::take(&mut vertices),
            "f" | "n" | "f*" => vertices = 0,
            _ => {}
        }
        numbers.clear();
    }
}

/// Number as the document has it.
fn grouped(value: &Value) -> String {
    let digits = value.as_i64().expect("a number").to_string();
    let groups: Vec<_> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// The text contains the word, whichever end of it the program begins with.
#[track_caller]
fn assert_word(text: &str, word: &str) {
    let reversed: String = word.chars().rev().collect();
    assert!(text.contains(word) || text.contains(&reversed), "{word}: {text}");
}

/// Downloads the document of a report.
async fn document(app: &TestApp, report: &Report, owner: &lumio_tests::Person) -> Document {
    store(app, report).await;
    let file = exported(owner, report.session.id, "pdf").await;
    let name =
        format!("attachment; filename=\"report-{}.pdf\"", report.session.started_at.format("%Y-%m-%d"));
    assert_eq!(file.headers["content-disposition"], name.as_str());
    assert_eq!(file.headers["content-type"], "application/pdf");
    assert_eq!(file.headers["cache-control"], "private, no-store");
    Document::new(file.bytes)
}

/// Writes samples of single minutes.
async fn plant(app: &TestApp, account: Uuid, platform: &str, rows: &[(DateTime<Utc>, Option<i64>)]) {
    let rows: Vec<_> = rows
        .iter()
        .map(|(at, viewers)| {
            (
                stream_samples::account_id.eq(account),
                stream_samples::platform.eq(platform),
                stream_samples::at.eq(*at),
                stream_samples::viewer_count.eq(*viewers),
                stream_samples::message_count.eq(3_i64),
                stream_samples::unique_chatters.eq(2_i64),
                stream_samples::follower_delta.eq(0_i64),
            )
        })
        .collect();
    insert_into(stream_samples::table)
        .values(rows)
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn export_stream_report_as_pdf_holds_the_texts_and_figures_of_the_json() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let title = "漢字 \u{202E}ひらがな สวัสดี 🎉 नमस्ते مرحبا שלום 안녕하세요 Größe Γειά Привет \u{40000}\u{40001} <i>%s</i> \
        abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz \
        ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ END";
    let start = hours_ago(&app, 5);
    let planted = Planted {
        title: Some(title),
        peak_viewers: Some(1_234_567),
        total_messages: 98_765,
        ..Planted::of(owner.account_id, start)
    };
    let id = planted.plant(&app).await;
    samples(&app, owner.account_id, "twitch", (start, start + Duration::hours(1))).await;
    let mut report = planted.report(id);
    report.top_chatters =
        WORDS.iter().chain(&["\u{40002}", "e\u{301}\u{302}\u{303}"]).map(|word| chatter(word, 5)).collect();
    let document = document(&app, &report, &owner).await;
    let shown = owner.get(&report_path(id)).await.data().clone();
    let pages = document.pages();
    let text_of_all = pages.concat();

    for field in [
        "peak_viewers",
        "total_messages",
        "unique_chatters",
        "new_followers",
        "new_subscribers",
        "messages_per_minute_peak",
    ] {
        assert!(pages[0].contains(&grouped(&shown[field])), "{field}: {}", pages[0]);
    }
    for field in
        ["follows", "subs", "gift_subs", "resubs", "cheers_bits", "raids_in", "raid_viewers", "redemptions"]
    {
        assert!(text_of_all.contains(&grouped(&shown["totals"][field])), "{field}: {text_of_all}");
    }
    for value in [
        &shown["totals"]["tips"][0]["amount"],
        &shown["top_emotes"][0]["name"],
        &shown["top_gifs"][0]["alt"],
        &shown["top_gifs"][0]["url"],
        &shown["categories"][0]["name"],
        &shown["music"][0]["title"],
        &shown["music"][0]["artist"],
        &shown["chart_markers"][0]["label"],
    ] {
        assert!(text_of_all.contains(text(value)), "{value}: {text_of_all}");
    }
    for expected in [
        "STREAM REPORT",
        "50.25",
        "1 h 0 min",
        "Viewers",
        "Messages by minute",
        "Streams",
        "Top chatters",
        "Top emotes",
        "Top GIFs",
        "Moments",
        "Categories",
        "Music",
        "Events by type",
        "Tips in EUR",
        "twitch:follow",
    ] {
        assert!(text_of_all.contains(expected), "{expected}: {text_of_all}");
    }
    assert!(pages[0].contains(&start.format("%Y-%m-%d %H:%M to").to_string()), "{}", pages[0]);
    for (at, page) in pages.iter().enumerate() {
        // The extraction may leave the spaces of a narrow font out.
        let tight = page.replace(' ', "");
        assert!(tight.contains(&format!("{}/{}", at + 1, pages.len())), "{page}");
    }

    // Title and names: every script, boxes for the rest, and nothing hidden. The title is cut after three lines.
    let names = text_of_all.split("Top chatters").nth(1).expect("the names");
    for word in WORDS {
        assert_word(&pages[0], word);
        assert_word(names, word);
    }
    assert_eq!((pages[0].matches('□').count(), names.matches('□').count()), (2, 2), "{text_of_all}");
    assert!(
        pages[0].contains("<U+202E>") && pages[0].contains('…') && !pages[0].contains("END"),
        "{}",
        pages[0]
    );
    assert!(!text_of_all.contains(['\u{40000}', '\u{202E}']));
    app.stop().await;
}

#[tokio::test]
async fn export_stream_report_as_pdf_draws_a_point_for_each_sample() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 5);
    let platforms = vec!["kick", "twitch"];
    let planted = Planted { platforms, is_multi: true, ..Planted::of(owner.account_id, start) };
    let id = planted.plant(&app).await;
    let minute = |at: i64| start + Duration::minutes(at);
    // Twitch has a gap; Kick began later, and its viewers were not seen for a while.
    let of_twitch: Vec<_> = (0..20).chain(30..60).map(|at| (minute(at), Some(100 + at * at % 17))).collect();
    let of_kick: Vec<_> =
        (10..60).map(|at| (minute(at), (!(40..45).contains(&at)).then_some(50 + at))).collect();
    plant(&app, owner.account_id, "twitch", &of_twitch).await;
    plant(&app, owner.account_id, "kick", &of_kick).await;
    let mut report = planted.report(id);
    let marker = |at| ChartMarker { at: minute(at), kind: MarkerKind::Clip, label: None };
    report.chart_markers = [5, 6, 30].map(marker).to_vec();
    let song = |at: i64| Track {
        title: format!("Song {at}"),
        artist: "Band".to_owned(),
        played_at: minute(at / 10),
    };
    report.music = (0..450).map(song).collect();
    let document = document(&app, &report, &owner).await;

    let vertices = document.vertices();
    for (color, expected) in [
        (TWITCH, of_twitch.len()),
        (KICK, of_kick.iter().filter(|(_, viewers)| viewers.is_some()).count()),
        (ALL_PLATFORMS, 60),
        (MESSAGES, 60),
        (MARKERS, 2 * report.chart_markers.len()),
    ] {
        assert_eq!(vertices.get(&color), Some(&expected), "{color:?}: {vertices:?}");
    }

    // A long table repeats its head on every page and ends with the number of what it leaves out.
    let pages = document.pages();
    let with_songs: Vec<_> = pages.iter().filter(|page| page.contains("Song ")).collect();
    assert!(with_songs.len() > 5, "{} pages", pages.len());
    assert!(with_songs.iter().all(|page| page.contains("Artist") && page.contains("Title")));
    let text_of_all = pages.concat();
    assert!(text_of_all.contains("Song 399") && text_of_all.contains("and 50 more"));
    assert!(!text_of_all.contains("Song 400"));

    let pictures = document.pictures();
    assert_eq!(pictures.len(), pages.len());
    for (at, picture) in pictures.iter().enumerate() {
        let dark = picture.iter().filter(|value| **value < 160).count();
        assert!(dark > 100 && dark < picture.len() / 2, "page {}: {dark} dark pixels", at + 1);
        assert!(!pictures[..at].contains(picture), "page {} is like one before", at + 1);
    }
    app.stop().await;
}

#[tokio::test]
async fn export_stream_report_as_pdf_merges_the_minutes_of_long_sessions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (start, end) = (hours_ago(&app, 7 * 24), hours_ago(&app, 0));
    let planted = Planted { ended_at: Some(end), ..Planted::of(owner.account_id, start) };
    let id = planted.plant(&app).await;
    samples(&app, owner.account_id, "twitch", (start, end)).await;
    let mut report = planted.report(id);
    (report.top_chatters, report.chart_markers) = (Vec::new(), Vec::new());
    let document = document(&app, &report, &owner).await;
    let vertices = document.vertices();
    let points = 7 * 24 * 60 / 8;
    assert_eq!(
        (vertices.get(&TWITCH), vertices.get(&MESSAGES)),
        (Some(&points), Some(&points)),
        "{vertices:?}"
    );
    let pages = document.pages();
    assert!(pages[0].contains("each point is the average of 8 minutes"), "{}", pages[0]);
    assert!(!pages.concat().contains("Top chatters"), "parts without rows are left out");
    app.stop().await;
}

#[tokio::test]
async fn export_stream_report_as_pdf_without_fonts_is_a_server_error() {
    let folder = TempDir::new().expect("a temporary folder");
    let app = TestApp::builder().with("LUMIO_FONT_DIR", folder.path().display()).start().await;
    let owner = app.owner().await;
    let id = Planted::of(owner.account_id, hours_ago(&app, 5)).plant(&app).await;
    let path = format!("{}/export?format=pdf", report_path(id));
    owner.get(&path).await.refused("INTERNAL_SERVER_ERROR", "Internal server error");
    assert_eq!(exported(&owner, id, "txt").await.headers["content-type"], "text/plain; charset=utf-8");
    app.stop().await;
}
