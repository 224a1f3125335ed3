//! Limits of the developer API (specification B §8), each crossed.

use chrono::Duration;
use lumio_tests::TestApp;
use serde_json::json;

use super::refused;

const PATH: &str = "/developer/v1/extensions";

#[tokio::test]
async fn the_eleventh_extension_of_an_hour_waits_and_the_twenty_sixth_is_refused() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    for batch in 0..2 {
        for number in 0..10 {
            studio.extension(&format!("E {batch} {number}")).await;
        }
        let answer = studio.key.post(PATH, json!({ "name": "Eleventh" })).await;
        refused(&answer, 429, "rate_limited", "Rate limit exceeded");
        let wait: u64 = answer.header("retry-after").parse().unwrap();
        assert!((1..=3600).contains(&wait));
        // Another key of the same developer counts with the first.
        let other = app.personal_key(&studio.person, &["extension-dev:*"]).await;
        assert_eq!(other.post(PATH, json!({ "name": "Eleventh" })).await.status, 429);
        app.clock.advance(Duration::hours(1));
    }
    for number in 20..25 {
        studio.extension(&format!("E {number}")).await;
    }
    let answer = studio.key.post(PATH, json!({ "name": "E 26" })).await;
    refused(&answer, 422, "validation_error", "A developer can have at most 25 extensions");
}

#[tokio::test]
async fn reads_and_deletes_are_limited_per_minute() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    // A whole minute lies before the next window.
    let into_minute = app.clock.now().timestamp() % 60;
    app.clock.advance(Duration::seconds(60 - into_minute));
    for _ in 0..120 {
        studio.key.get(PATH).await.expect(200);
    }
    refused(&studio.key.get(PATH).await, 429, "rate_limited", "Rate limit exceeded");
    other.key.get(PATH).await.expect(200);
    let missing = format!("{PATH}/{}", uuid::Uuid::nil());
    for _ in 0..30 {
        assert_eq!(studio.key.delete(&missing).await.status, 404);
    }
    refused(&studio.key.delete(&missing).await, 429, "rate_limited", "Rate limit exceeded");
}
