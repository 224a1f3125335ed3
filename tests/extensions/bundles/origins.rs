//! Files of versions for other origins, and the origin of their own (reference/extensions.md#bundle-origin).

use lumio_tests::{Answer, Caller, TestApp};

use super::{file, layered, publish};
use crate::reviewer;

/// Headers of a file for other origins: resource policy, allowed origin, allowed credentials.
fn shared_with(answer: &Answer) -> [String; 3] {
    ["cross-origin-resource-policy", "access-control-allow-origin", "access-control-allow-credentials"]
        .map(|name| answer.header(name).to_owned())
}

#[tokio::test]
async fn extension_bundle_file_is_shared_with_every_origin_without_credentials() {
    const LISTED: &str = "https://dashboard.example";
    let app = TestApp::builder().with("LUMIO_ALLOWED_ORIGINS", LISTED).start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Layered").await;
    let version = layered(&studio, extension, "1.0.0", "one").await;
    let path = file(extension, "1.0.0", "layer.js");
    let get = async |path: &str, origin: &str| {
        let request = studio.person.caller.request(reqwest::Method::GET, path).header("origin", origin);
        studio.person.caller.send(request).await
    };
    // An unpublished file needs a credential, and is shared with the listed origins only.
    assert_eq!(shared_with(&get(&path, "null").await), ["", "", ""]);
    assert_eq!(shared_with(&get(&path, LISTED).await), ["", LISTED, "true"]);
    publish(&reviewer, version).await;
    for origin in ["null", "https://elsewhere.example", LISTED] {
        let served = get(&path, origin).await;
        assert_eq!(
            (served.status, shared_with(&served)),
            (200, ["cross-origin", "*", ""].map(str::to_owned))
        );
    }
    let own = get("/v1/users/me", LISTED).await;
    assert_eq!(shared_with(&own), ["", LISTED, "true"], "other answers are as they were");
}

#[tokio::test]
async fn extension_bundle_file_moves_to_the_configured_origin() {
    let app = TestApp::builder().with("LUMIO_BUNDLE_URL", "https://bundles.example").start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Layered").await;
    let version = layered(&studio, extension, "1.0.0", "one").await;
    let path = file(extension, "1.0.0", "layer.js");
    let at = async |host: &str, caller: &Caller, path: &str| {
        caller.send(caller.request(reqwest::Method::GET, path).header("host", host)).await
    };
    let (anonymous, developer) = (app.anonymous(), &studio.person.caller);
    let own = at("api.example", developer, &path).await;
    assert_eq!(
        (own.status, own.text.as_str()),
        (200, "export default 'one';"),
        "not published: with a credential"
    );
    publish(&reviewer, version).await;
    for caller in [&anonymous, developer] {
        for path in [path.clone(), file(extension, "1.0.0", "bundle.js")] {
            let elsewhere = at("api.example", caller, &path).await;
            assert_eq!(elsewhere.status, 307, "{}", elsewhere.text);
            assert_eq!(elsewhere.header("location"), format!("https://bundles.example{path}"));
            assert_eq!(shared_with(&elsewhere), ["cross-origin", "*", ""]);
        }
    }
    for host in ["bundles.example", "BUNDLES.example:443"] {
        let served = at(host, &anonymous, &path).await;
        assert_eq!((served.status, served.text.as_str()), (200, "export default 'one';"), "{host}");
        for other in ["/v1/users/me", "/v1/health", "/v1/live", "/"] {
            let refused = at(host, developer, other).await;
            assert_eq!(refused.status, 404, "{other}: nothing else is served there");
        }
    }
    assert_eq!(
        at("bundles.example:8080", &anonymous, &path).await.status,
        307,
        "another port, another origin"
    );
}
