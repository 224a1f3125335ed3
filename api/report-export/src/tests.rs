//! Files of a report that holds every kind of value, and their streaming.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use chrono::{DateTime, TimeDelta};
use futures::stream;
use history_model::report::{
    CategorySpan, ChartMarker, Chatter, EmoteCount, GifCount, MarkerKind, Moderation, SessionRow,
    Stream as Broadcast, Tip, Totals, Track,
};
use uuid::Uuid;
use zip::ZipArchive;

use super::*;

/// A report of two hours on two platforms.
pub(crate) fn report() -> Report {
    let started_at = DateTime::from_timestamp(1_795_545_030, 0).unwrap();
    let ended_at = started_at + TimeDelta::hours(2);
    let session = SessionRow {
        id: Uuid::nil(),
        session_type: "multi".to_owned(),
        platforms: vec!["kick".to_owned(), "twitch".to_owned()],
        title: Some("=cmd|'/c calc'!A1, \"quoted\"\r\nnext\u{202E}line".to_owned()),
        category: Some("-Chess".to_owned()),
        started_at,
        ended_at: Some(ended_at),
        duration_secs: Some(7200),
        peak_viewers: Some(1234),
        avg_viewers: Some(345.67),
        total_messages: 98_765,
        unique_chatters: Some(4321),
        new_followers: Some(-2),
        new_subscribers: None,
        is_live: false,
    };
    let stream = Broadcast {
        platform: "twitch".to_owned(),
        broadcast_id: "77".to_owned(),
        title: Some("Title".to_owned()),
        category: None,
        started_at,
        ended_at: None,
        peak_viewers: Some(9),
        avg_viewers: None,
    };
    Report {
        session,
        streams: vec![stream],
        categories: vec![CategorySpan { name: "Chess".to_owned(), started_at, duration_secs: 7200 }],
        totals: Totals {
            follows: 12,
            tips: vec![Tip { currency: "EUR".to_owned(), amount: "12.50".to_owned() }],
            ..Totals::default()
        },
        messages_per_minute_peak: 321,
        top_chatters: vec![Chatter {
            platform: "kick".to_owned(),
            platform_user_id: None,
            username: "@ada".to_owned(),
            display_name: "Ada".to_owned(),
            avatar_url: None,
            message_count: 55,
        }],
        top_emotes: vec![EmoteCount {
            id: "e".to_owned(),
            name: "+1".to_owned(),
            provider: "7tv".to_owned(),
            url: None,
            count: 3,
        }],
        top_gifs: vec![GifCount {
            id: "g".to_owned(),
            url: "https://giphy.com/gifs/g".to_owned(),
            provider: "giphy".to_owned(),
            alt: Some("cat".to_owned()),
            count: 2,
        }],
        moderation: Moderation { bans: 1, timeouts: 2, deletions: 3 },
        music: vec![Track { title: "Song".to_owned(), artist: "Band".to_owned(), played_at: started_at }],
        chart_markers: vec![ChartMarker {
            at: started_at,
            kind: MarkerKind::Raid,
            label: Some("40".to_owned()),
        }],
        events_by_type: BTreeMap::from([("twitch:follower".to_owned(), 12)]),
    }
}

/// A sample of a minute after the start.
pub(crate) fn sample(
    report: &Report,
    minute: i64,
    platform: &str,
    viewers: Option<i64>,
    messages: i64,
) -> Sample {
    Sample {
        at: report.session.started_at - TimeDelta::seconds(30) + TimeDelta::minutes(minute),
        platform: platform.to_owned(),
        viewer_count: viewers,
        message_count: messages,
        unique_chatters: messages,
        follower_delta: -minute,
    }
}

/// Pages of samples; `taken` counts those that were read.
fn pages(
    report: &Report,
    count: i64,
    taken: &Arc<AtomicUsize>,
) -> impl Stream<Item = Result<Vec<Sample>, &'static str>> + use<> {
    let (report, taken) = (report.clone(), Arc::clone(taken));
    stream::iter((0..count).map(move |page| {
        taken.fetch_add(1, Relaxed);
        Ok((0..1000).map(|at| sample(&report, page * 1000 + at, "twitch", Some(at), at % 7)).collect())
    }))
}

async fn whole(format: Format, report: &Report, count: i64) -> Vec<u8> {
    let samples = pages(report, count, &Arc::default());
    let mut parts = export(format, Arc::new(report.clone()), samples, &Fonts::new("/nonexistent"), ());
    let mut file = Vec::new();
    while let Some(part) = parts.next().await {
        file.extend(part.expect("a part"));
    }
    file
}

/// Files of an archive by name, in its order.
fn unpacked(archive: Vec<u8>) -> Vec<(String, String)> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).expect("an archive");
    (0..archive.len())
        .map(|at| {
            let mut file = archive.by_index(at).expect("a file");
            let mut text = String::new();
            file.read_to_string(&mut text).expect("UTF-8");
            (file.name().expect("a name").into_owned(), text)
        })
        .collect()
}

#[tokio::test]
async fn export_as_csv_is_an_archive_of_six_files_without_formulas() {
    let files = unpacked(whole(Format::Csv, &report(), 2).await);
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["summary.csv", "streams.csv", "samples.csv", "top_chatters.csv", "emotes.csv", "events.csv"]
    );
    for (name, text) in &files {
        assert!(text.ends_with("\r\n"), "{name}");
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        for cell in
            rows.records().flat_map(|row| row.expect("a row").iter().map(str::to_owned).collect::<Vec<_>>())
        {
            let is_number = cell.parse::<f64>().is_ok();
            assert!(is_number || !cell.starts_with(['=', '+', '-', '@']), "{name}: {cell}");
        }
    }
    let text = |at: usize| files.get(at).map(|(_, text)| text.as_str()).unwrap_or_default();
    assert!(
        text(0).contains("\r\ntitle,\"'=cmd|'/c calc'!A1, \"\"quoted\"\"\r\nnext\u{202E}line\"\r\n"),
        "{}",
        text(0)
    );
    assert!(text(0).contains("\r\nnew_followers,-2\r\nnew_subscribers,\r\n"), "{}", text(0));
    assert!(text(0).contains("tips_EUR,12.50") && text(0).contains("avg_viewers,345.67"), "{}", text(0));
    assert_eq!(text(2).lines().count(), 2001);
    assert!(text(3).contains("kick,,'@ada,Ada,,55"), "{}", text(3));
    assert!(text(4).contains("emote,e,'+1,7tv,,3") && text(4).contains("gif,g,cat,giphy"), "{}", text(4));
    assert!(
        text(5).contains("count,,twitch:follower,,12,") && text(5).contains("Band – Song"),
        "{}",
        text(5)
    );
}

#[tokio::test]
async fn export_as_json_holds_report_and_samples() {
    let report = report();
    for count in [0, 2] {
        let document: serde_json::Value =
            serde_json::from_slice(&whole(Format::Json, &report, count).await).expect("JSON");
        assert_eq!(document["report"], serde_json::to_value(&report).expect("JSON"));
        let samples = document["samples"].as_array().expect("samples");
        assert_eq!(samples.len() as i64, count * 1000);
    }
}

#[tokio::test]
async fn export_as_text_shows_hidden_characters() {
    let text = String::from_utf8(whole(Format::Txt, &report(), 1).await).expect("UTF-8");
    assert!(text.starts_with("=cmd|'/c calc'!A1, \"quoted\"  next<U+202E>line\n===="), "{text}");
    assert!(!text.contains(['\r', '\t', '\u{202E}']));
    let peak = format!("\n{:<24}  1,234\n", "Peak viewers");
    for expected in [peak.as_str(), "98,765", "2 h 0 min", "Tips in EUR", "Top emotes", "@ada"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let samples: Vec<_> = text.lines().skip_while(|line| *line != "Samples").skip(3).collect();
    assert_eq!(samples.len(), 1000);
    let lengths: std::collections::BTreeSet<_> = samples.iter().map(|line| line.chars().count()).collect();
    assert_eq!(lengths.len(), 1, "columns are aligned");
}

#[tokio::test]
async fn export_reads_a_page_when_its_part_is_needed() {
    for format in [Format::Csv, Format::Txt, Format::Json] {
        let (report, taken) = (report(), Arc::default());
        let samples = pages(&report, 200, &taken);
        let mut parts = export(format, Arc::new(report), samples, &Fonts::new("/nonexistent"), ());
        let (mut count, mut largest) = (0, 0);
        while let Some(part) = parts.next().await {
            let before = taken.load(Relaxed);
            tokio::task::yield_now().await;
            assert_eq!(taken.load(Relaxed), before, "nothing is read ahead");
            largest = largest.max(part.expect("a part").len());
            count += 1;
        }
        assert_eq!(taken.load(Relaxed), 200, "{format:?}");
        assert!(
            count > 2 && largest < 512 * 1024,
            "{format:?}: {count} parts, the largest of {largest} bytes"
        );
    }
}

#[tokio::test]
async fn export_ends_with_the_error_of_the_samples() {
    for format in Format::ALL {
        let report = report();
        let failing = pages(&report, 100, &Arc::default()).chain(stream::iter([Err("lost")]));
        let parts = export(format, Arc::new(report), failing, &Fonts::new("/nonexistent"), ());
        let parts: Vec<_> = parts.collect().await;
        let (last, before) = parts.split_last().expect("parts");
        assert!(matches!(last, Err(Error::Samples("lost"))), "{format:?}");
        assert!(before.iter().all(Result::is_ok), "{format:?}");
    }
}

#[tokio::test]
async fn export_as_pdf_without_fonts_is_an_error() {
    let report = report();
    let (samples, place) = (pages(&report, 1, &Arc::default()), Arc::new(()));
    let parts =
        export(Format::Pdf, Arc::new(report), samples, &Fonts::new("/nonexistent"), Arc::clone(&place));
    let parts: Vec<_> = parts.collect().await;
    assert_eq!(Arc::strong_count(&place), 1, "the place is free");
    assert!(matches!(parts.as_slice(), [Err(Error::Fonts(message))] if message.contains("/nonexistent")));
}

#[test]
fn file_name_has_the_date_of_the_start() {
    let name = |format| file_name(&report(), format);
    assert_eq!(
        Format::ALL.map(name),
        ["report-2026-11-24.zip", "report-2026-11-24.txt", "report-2026-11-24.json", "report-2026-11-24.pdf"]
    );
    assert_eq!(Format::parse("pdf"), Some(Format::Pdf));
    assert_eq!((Format::parse("PDF"), Format::parse("")), (None, None));
}
