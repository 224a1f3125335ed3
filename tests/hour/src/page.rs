//! A link to the report, and its page in a browser.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use demo::{fields, result, start_browser, text};
use lumio_tests::Answer;
use reqwest::Method;
use serde_json::{Value, json};
use stack::browser::Browser;

use crate::{
    script::{KICK_FROM, MINUTES, Tally},
    studio::Studio,
    write,
};

/// Password of the link.
pub const PASSWORD: &str = "sponsors only";
const WRONG_PASSWORD: &str = "guessed";
/// Lifetime of the link: a week.
const DURATION_SECS: u32 = 604_800;

const SHOWS_FORM: &str = "document.querySelector('#password-form')?.hidden === false";
const SHOWS_ERROR: &str = "document.querySelector('#password-error')?.hidden === false";
const SHOWS_REPORT: &str = "document.querySelector('#report')?.hidden === false";
/// Lines of the charts with the numbers of their points.
const CURVES: &str = "[...document.querySelectorAll('.curve')].map((curve) =>
    `${curve.classList[1]} ${curve.getAttribute('d').match(/[ML]/g)?.length}`).join()";

/// Link to a report.
pub struct SharedLink {
    /// Address of the page with the token.
    pub url: String,
    id: String,
    report: String,
}

/// Creates a link with a password, and reads the report through it with a wrong one and the right one.
///
/// # Errors
/// A link that shows the report without its password, or another report.
pub async fn share(studio: &Studio, report: &str, tally: &Tally) -> Result<SharedLink> {
    let link = json!({ "duration_secs": DURATION_SECS, "password": PASSWORD, "allow_export": true });
    let link = studio.owner.post(&links_path(report), link).await?;
    let link = &link["data"];
    let (url, token) = (text(link, "/url")?.to_owned(), text(link, "/token")?);
    result(
        "POST /v1/history/reports/{id}/shared-links",
        &fields(link, &["status", "has_password", "allow_export", "expires_at"]),
    );
    let (address, _token) = url.split_once('#').with_context(|| format!("no token in {url}"))?;
    result("its address, without the token", &json!(address));

    let refused = shared_report(studio, token, WRONG_PASSWORD).await;
    ensure!(refused.status == 401, "a wrong password is answered {}: {}", refused.status, refused.text);
    result("GET /v1/history/shared/{token}, wrong password", &fields(&refused.body, &["error", "message"]));
    let shown = shared_report(studio, token, PASSWORD).await;
    ensure!(shown.status == 200, "the password is answered {}: {}", shown.status, shown.text);
    let shared = &shown.body["data"]["report"];
    ensure!(shared["total_messages"] == tally.total_lines(), "the link shows another report: {shared}");
    let chatter = &shared["top_chatters"][0];
    ensure!(chatter["platform_user_id"].is_null(), "a shared report has ids of people: {chatter}");
    result("the same with the password", &fields(shared, &["title", "total_messages", "peak_viewers"]));
    Ok(SharedLink { id: text(link, "/id")?.to_owned(), report: report.to_owned(), url })
}

/// Opens the page of the link as a visitor does, enters the password, and saves a picture of the report. Without a
/// browser the page is fetched only.
///
/// # Errors
/// A page that does not show the report.
pub async fn open(studio: &Studio, link: &SharedLink, picture: &Path) -> Result<()> {
    match start_browser("the page is fetched over HTTP instead").await {
        Some(mut browser) => visit(&mut browser, link, picture).await?,
        None => fetch(studio, link).await?,
    }
    let links = studio.owner.get(&links_path(&link.report)).await?;
    let links = links["data"].as_array().cloned().unwrap_or_default();
    let known = links.iter().find(|known| known["id"] == link.id.as_str());
    let known = known.with_context(|| format!("the link is missing in {links:?}"))?;
    ensure!(known["view_count"].as_i64() > Some(0), "no view was counted: {known}");
    result(
        "GET /v1/history/reports/{id}/shared-links",
        &fields(known, &["status", "view_count", "last_viewed_at"]),
    );
    Ok(())
}

fn links_path(report: &str) -> String {
    format!("/v1/history/reports/{report}/shared-links")
}

/// The report that a link shows to a caller without a credential.
async fn shared_report(studio: &Studio, token: &str, password: &str) -> Answer {
    let visitor = studio.app.anonymous();
    let request = visitor.request(Method::GET, &format!("/v1/history/shared/{token}"));
    visitor.send(request.header("x-share-password", password)).await
}

/// Opens the page in a browser. A browser that fails ends the program by a panic.
async fn visit(browser: &mut Browser, link: &SharedLink, picture: &Path) -> Result<()> {
    browser.open(&link.url).await;
    browser.until(SHOWS_FORM).await;
    enter(browser, WRONG_PASSWORD).await;
    browser.until(SHOWS_ERROR).await;
    result("the page, wrong password", &text_of(browser, "#password-error").await);
    enter(browser, PASSWORD).await;
    browser.until(SHOWS_REPORT).await;
    result("the page with the password", &text_of(browser, "#report h1").await);

    let (all, kick) = (MINUTES, MINUTES - KICK_FROM);
    let expected = format!("all {all},kick {kick},twitch {all},messages {all}");
    browser.until("document.querySelectorAll('.curve').length === 4").await;
    let curves = browser.value(CURVES).await;
    ensure!(curves == expected, "the charts show {curves} instead of `{expected}`");
    result("points in its charts", &curves);
    let unexpected = browser.errors().iter().find(|error| !error.contains("401"));
    ensure!(unexpected.is_none(), "the page failed: {unexpected:?}");

    let drawn = STANDARD.decode(browser.whole_picture().await)?;
    ensure!(drawn.starts_with(b"\x89PNG"), "the picture of {} bytes is no PNG", drawn.len());
    write(picture, &drawn)?;
    result("picture", &json!({ "bytes": drawn.len(), "file": picture.display().to_string() }));
    Ok(())
}

async fn enter(browser: &mut Browser, password: &str) {
    let script = format!(
        "document.querySelector('#password').value = {};
         document.querySelector('#password-form').requestSubmit()",
        json!(password)
    );
    browser.value(&script).await;
}

async fn text_of(browser: &mut Browser, selector: &str) -> Value {
    browser.value(&format!("document.querySelector({})?.textContent ?? ''", json!(selector))).await
}

/// Fetches the page without a browser, which alone could run its script.
async fn fetch(studio: &Studio, link: &SharedLink) -> Result<()> {
    let page = studio.app.anonymous().get(&format!("/v1/history/shared/{}/page", link.id)).await;
    ensure!(page.status == 200, "the page is answered {}: {}", page.status, page.text);
    ensure!(page.text.contains("id=\"password-form\""), "the page has no form for the password");
    result("GET /v1/history/shared/{id}/page: bytes", &json!(page.text.len()));
    Ok(())
}
