//! Connecting a channel as a browser does: to the platform's page, and back with a code.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use url::Url;

use crate::{
    api::{Api, text},
    stand_in::PlatformUser,
    steps::result,
};

/// Connects a user's channel to the account that they act in.
///
/// # Errors
/// An error when the platform or the API refuses.
pub async fn connect(owner: &Api, platform: &str, user: &PlatformUser) -> Result<()> {
    let path = format!("/v1/connections/channel/{platform}/authorize");
    let authorized = owner.post(&path, json!({})).await?;
    let mut page: Url = text(&authorized, "/data/authorize_url")?.parse()?;
    page.query_pairs_mut().append_pair("stand_in_user", &user.id);
    let back = agree(page).await?;
    let parameter = |name: &str| {
        let found = back.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        found.with_context(|| format!("no {name} in {back}"))
    };
    let grant = json!({ "code": parameter("code")?, "state": parameter("state")? });
    let exchanged = owner.post(&format!("/v1/connections/oauth/{platform}/exchange"), grant).await?;
    let connection = &exchanged["data"]["connection"];
    result(
        &format!("{platform}: connected"),
        &json!({ "channel_name": connection["channel_name"], "credential_source": connection["credential_source"],
                 "expires_at": connection["expires_at"] }),
    );
    Ok(())
}

/// Opens the platform's page as a user who agrees immediately; returns the address that the browser is redirected to.
async fn agree(page: Url) -> Result<Url> {
    let browser =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let answer = browser.get(page.clone()).send().await?;
    let location = answer.headers().get("location").context("the platform's page does not lead back")?;
    let back: Url = location.to_str()?.parse()?;
    ensure!(back.query_pairs().all(|(name, _)| name != "error"), "the platform refused: {back}");
    Ok(back)
}
