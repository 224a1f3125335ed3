//! The page of a shared report (reference/history.md#shared-page).

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Duration, DurationRound, Utc};
use diesel::{
    sql_query,
    sql_types::{Jsonb, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{PUBLIC_URL, Person, TestApp, browser::Browser};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{pictures, text};

const TITLE: &str = "Großes <script>alert(1)</script> \u{202E}Finale 漢字";
/// Flag, which consists of a black flag and tags.
const ENGLAND: &str = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
const PASSWORD: &str = "пароль für alle";
/// Keeps what the page saves as files.
const KEEP_FILES: &str = "window.files = []; const make = URL.createObjectURL;
    URL.createObjectURL = (file) => { files.push(`${file.type} ${file.size > 100}`); return make.call(URL, file); };";

/// Writes a session of an hour on two platforms with its report; returns its id.
async fn plant(app: &TestApp, account: Uuid) -> Uuid {
    let now = app.clock.now().duration_trunc(Duration::hours(1)).expect("an hour");
    let (id, started_at) = (shared::id::new(), now - Duration::hours(5));
    let sql = "INSERT INTO stream_sessions (id, account_id, session_type, platforms, title, category, started_at,
            ended_at, last_off_at, minutes_from, minutes_to, duration_secs, peak_viewers, avg_viewers, total_messages,
            unique_chatters, new_followers, report, report_made_at)
        SELECT $1, $2, 'multi', '{kick,twitch}'::text[], $3, 'Chess', $4, ended, ended, $4, ended, 3600, 1234, 345.67, 98765,
            4321, 12, $5, ended FROM (SELECT $4 + interval '1 hour' AS ended) AS times";
    sql_query(sql)
        .bind::<SqlUuid, _>(id)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(TITLE)
        .bind::<Timestamptz, _>(started_at)
        .bind::<Jsonb, _>(report(id, started_at))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    // Twitch has a gap of ten minutes; each of the others counts.
    let sql = "INSERT INTO stream_samples
            (account_id, platform, at, viewer_count, message_count, unique_chatters, follower_delta)
        SELECT $1, platform, $2 + minute * interval '1 minute', 200 + minute * base, minute % 13, 2, 0
        FROM generate_series(0, 59) AS minute, (VALUES ('kick', 2), ('twitch', 6)) AS platforms (platform, base)
        WHERE platform = 'kick' OR minute NOT BETWEEN 20 AND 29";
    sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(started_at)
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    id
}

fn report(id: Uuid, started_at: DateTime<Utc>) -> Value {
    let at = |minutes: i64| (started_at + Duration::minutes(minutes)).to_rfc3339();
    json!({
        "id": id, "session_type": "multi", "platforms": ["kick", "twitch"], "title": TITLE, "category": "Chess",
        "started_at": at(0), "ended_at": at(60), "duration_secs": 3600, "peak_viewers": 1234, "avg_viewers": 345.67,
        "total_messages": 98_765, "unique_chatters": 4321, "new_followers": 12, "new_subscribers": null,
        "is_live": false,
        "streams": [{ "platform": "twitch", "broadcast_id": "1", "title": "Finale", "category": "Chess",
            "started_at": at(0), "ended_at": at(60), "peak_viewers": 900, "avg_viewers": 300.5 }],
        "categories": [{ "name": "Chess", "started_at": at(0), "duration_secs": 3600 }],
        "totals": { "follows": 12, "subs": 3, "gift_subs": 0, "resubs": 1, "cheers_bits": 500,
            "tips": [{ "currency": "EUR", "amount": "12.50" }], "raids_in": 1, "raid_viewers": 40, "redemptions": 0,
            "superchats": 0 },
        "messages_per_minute_peak": 24,
        "top_chatters": [{ "platform": "twitch", "platform_user_id": "chatter-77", "username": "ada",
            "display_name": "<b>Ada</b>", "avatar_url": "https://elsewhere.example/ada.png", "message_count": 77 }],
        "top_emotes": [{ "id": "1", "name": format!("Kappa\u{3164}{ENGLAND}"), "provider": "twitch",
            "url": "https://elsewhere.example/kappa.png", "count": 9 }],
        "top_gifs": [], "moderation": { "bans": 1, "timeouts": 0, "deletions": 2 }, "music": [],
        "chart_markers": [{ "at": at(10), "type": "raid", "label": "40" },
            { "at": at(45), "type": "title_change", "label": "Finale" }],
        "events_by_type": { "twitch:follower": 12 },
    })
}

/// Creates a link; returns it.
async fn link(owner: &Person, report: Uuid, password: Option<&str>, allow_export: bool) -> Value {
    let body = json!({ "duration_secs": 3600, "password": password, "allow_export": allow_export });
    let path = format!("/v1/history/reports/{report}/shared-links");
    owner.post(&path, body).await.expect(201)["data"].clone()
}

/// Address of the page at the server of the test.
fn address(app: &TestApp, link: &Value) -> String {
    let path = text(&link["url"]).strip_prefix(PUBLIC_URL).expect("a public address");
    format!("{}{path}", app.url())
}

async fn open(browser: &mut Browser, address: &str) {
    browser.open("about:blank").await;
    browser.open(address).await;
}

async fn enter(browser: &mut Browser, password: &str) {
    let script = format!(
        "document.querySelector('#password').value = {};
         document.querySelector('#password-form').requestSubmit()",
        json!(password)
    );
    browser.value(&script).await;
}

async fn text_of(browser: &mut Browser, selector: &str) -> String {
    let script = format!("document.querySelector({})?.textContent ?? ''", json!(selector));
    browser.value(&script).await.as_str().unwrap_or_default().to_owned()
}

const SHOWS_FORM: &str = "document.querySelector('#password-form')?.hidden === false";
const SHOWS_ERROR: &str = "document.querySelector('#password-error')?.hidden === false";
const SHOWS_REPORT: &str = "document.querySelector('#report')?.hidden === false";

#[tokio::test]
async fn shared_report_page_is_one_document_for_every_link() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let link = link(&owner, plant(&app, owner.account_id).await, Some(PASSWORD), true).await;
    let (id, token) = (text(&link["id"]), text(&link["token"]));
    let anonymous = app.anonymous();
    let path = |key: &str| format!("/v1/history/shared/{key}/page");
    let first = anonymous.get(&path(id)).await;
    assert_eq!(first.status, 200, "{}", first.text);
    for key in [token, "x", "%20%00", "a..b", &"k".repeat(2000)] {
        for path in [path(key), format!("{}?token={token}&a=b", path(key))] {
            for caller in [&anonymous, &owner.caller, &app.bearer("unknown")] {
                let answer = caller.get(&path).await;
                assert_eq!((answer.status, &answer.text), (200, &first.text), "{path}");
                assert_eq!(answer.header("etag"), first.header("etag"), "{path}");
            }
        }
    }
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-cache"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-opener-policy", "same-origin"),
        ("set-cookie", ""),
    ] {
        assert_eq!(first.header(name), value, "{name}");
    }
    // Browsers count UTF-16 units: 128 characters have at most twice as many.
    assert!(first.text.contains("autocomplete=\"off\" maxlength=\"256\""));
    let known = anonymous.request(Method::GET, &path(id)).header("if-none-match", first.header("etag"));
    let known = anonymous.send(known).await;
    assert_eq!((known.status, known.text.as_str()), (304, ""));

    let (_, script) = first.text.split_once("<script type=\"module\">").expect("a script");
    let (script, _) = script.split_once("</script>").expect("its end");
    let hash = format!("script-src 'sha256-{}';", STANDARD.encode(Sha256::digest(script)));
    let policy = first.header("content-security-policy");
    assert!(policy.contains(&hash), "{policy}");
    for closed in ["default-src", "base-uri", "form-action", "frame-ancestors"] {
        assert!(policy.contains(&format!("{closed} 'none'")), "{closed}: {policy}");
    }
    assert!(policy.contains("connect-src 'self'"), "{policy}");
    for word in ["unsafe", "*", "http", "blob:"] {
        assert!(!policy.contains(word), "{word}: {policy}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shared_report_page_shows_the_report_behind_its_password() {
    let Some(mut browser) = Browser::start_as_obs().await else { return };
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let link = link(&owner, plant(&app, owner.account_id).await, Some(PASSWORD), true).await;
    browser.before_each_document(KEEP_FILES).await;
    open(&mut browser, &address(&app, &link)).await;
    browser.until(SHOWS_FORM).await;
    assert_eq!(browser.value(SHOWS_ERROR).await, false);
    assert_eq!(browser.value("document.activeElement.id").await, "password");
    enter(&mut browser, "wrong password").await;
    browser.until(SHOWS_ERROR).await;
    assert_eq!(
        text_of(&mut browser, "#password-error").await,
        "The password is wrong, or the link has ended."
    );
    enter(&mut browser, PASSWORD).await;
    browser.until(SHOWS_REPORT).await;

    let shown = text_of(&mut browser, "#report").await;
    let title = "Großes <script>alert(1)</script> <U+202E>Finale 漢字";
    assert_eq!(text_of(&mut browser, "h1:not(form h1)").await, title);
    for expected in
        ["1,234", "345.67", "98,765", "4,321", "1 h 0 min", "<b>Ada</b>", "Kappa", "12.50", "New title"]
    {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert!(shown.contains(&format!("Kappa<U+3164>{ENGLAND}")), "{shown}");
    assert!(!shown.contains("chatter-77"), "{shown}");
    // A point for each sample, and two parts where samples are missing.
    let curves = "[...document.querySelectorAll('.curve')].map((curve) => {
        const path = curve.getAttribute('d');
        return [curve.classList[1], path.match(/[ML]/g).length, path.match(/M/g).length].join(' ');
    }).join()";
    assert_eq!(browser.value(curves).await, "all 60 1,kick 60 1,twitch 50 2,messages 60 1");
    assert_eq!(browser.value("document.querySelectorAll('line.marker').length").await, 2);
    let key = "(() => {
        const chart = document.querySelector('figure svg');
        chart.focus();
        chart.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
        return document.querySelector('.readout').textContent;
    })()";
    let read = browser.value(key).await;
    assert!(text(&read).ends_with("All platforms 872, Kick 318, Twitch 554"), "{read}");

    let formats =
        "[...document.querySelectorAll('.exports button')].map(({ dataset }) => dataset.format).join()";
    assert_eq!(browser.value(formats).await, "csv,txt,json,pdf");
    browser.value("document.querySelector('[data-format=csv]').click()").await;
    browser.until("document.querySelector('.exports p').textContent === 'The file is saved.'").await;
    assert_eq!(browser.value("files.join()").await, "application/zip true");

    let page = format!("{}/v1/history/shared/{}/page", app.url(), text(&link["id"]));
    assert_eq!(browser.value("location.href").await, page, "the token is gone from the address");
    let kept = "[document.cookie, localStorage.length, sessionStorage.length, document.referrer].join()";
    assert_eq!(browser.value(kept).await, ",0,0,");
    let elsewhere = "performance.getEntriesByType('resource').map(({ name }) => name)
        .filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:')).join()";
    assert_eq!(browser.value(elsewhere).await, "");
    let unexpected = browser.errors().iter().find(|error| !error.contains("401"));
    assert_eq!(unexpected, None, "neither the policy nor a script failed");

    browser.value("scrollTo(0, 0)").await;
    let parts = [
        ("heading", (420, 0, 1080, 180)),
        ("figures", (420, 180, 1080, 240)),
        ("charts", (420, 420, 1080, 660)),
    ];
    pictures::compare(&mut browser, "shared_report", &parts).await;

    browser.value("window.isOld = true").await;
    browser.reload().await;
    browser.until(&format!("window.isOld === undefined && {SHOWS_FORM}")).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shared_report_page_offers_exports_only_where_the_link_allows_them() {
    let Some(mut browser) = Browser::start_as_obs().await else { return };
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let link = link(&owner, plant(&app, owner.account_id).await, None, false).await;
    let page = address(&app, &link);
    open(&mut browser, &page).await;
    browser.until(SHOWS_REPORT).await;
    assert_eq!(browser.value("document.querySelectorAll('.exports').length").await, 0);
    assert_eq!(browser.value("document.documentElement.lang").await, "en");
    let unlabelled = "[...document.querySelectorAll('input, svg, [role=region]')].filter((part) =>
        !(part.labels?.length || part.hasAttribute('aria-label') || part.hasAttribute('aria-labelledby'))).length";
    assert_eq!(browser.value(unlabelled).await, 0);

    // The present page stays; a refresh shows the form without a reason.
    owner.delete(&format!("/v1/history/shared-links/{}", text(&link["id"]))).await.expect(204);
    browser.value("window.isOld = true").await;
    browser.reload().await;
    browser.until(&format!("window.isOld === undefined && {SHOWS_FORM}")).await;
    assert_eq!(text_of(&mut browser, "#report").await, "");
    enter(&mut browser, "any password").await;
    browser.until(SHOWS_ERROR).await;

    let (without_token, _) = page.split_once('#').expect("a fragment");
    open(&mut browser, without_token).await;
    browser.until("document.querySelector('#message').textContent.includes('not complete')").await;
    app.stop().await;
}
