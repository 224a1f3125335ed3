//! Code of layers at the address of old clients (reference/extensions.md#bundle-files).

use lumio_tests::TestApp;
use uuid::Uuid;

use super::{
    bundles::{PUBLIC, file, layered, publish},
    reviewer,
};

#[tokio::test]
async fn extension_bundle_serves_the_layer_of_a_published_version() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = studio.public_extension("Layered").await;
    let version = layered(&studio, extension, "1.0.0", "one").await;
    let path = file(extension, "1.0.0", "bundle.js");
    let callers = [app.anonymous(), owner.caller.clone()];
    for caller in &callers {
        caller.get(&path).await.refused("NOT_FOUND", "Bundle file not found");
    }
    publish(&reviewer, version).await;
    for caller in &callers {
        let layer = caller.get(&file(extension, "1.0.0", "layer.js")).await;
        let served = caller.get(&path).await;
        assert_eq!((served.status, served.text.as_str()), (200, "export default 'one';"));
        assert_eq!((served.header("etag"), served.header("cache-control")), (layer.header("etag"), PUBLIC));
    }
    for unknown in [file(extension, "9.9.9", "bundle.js"), file(Uuid::nil(), "1.0.0", "bundle.js")] {
        callers[0].get(&unknown).await.refused("NOT_FOUND", "Bundle file not found");
    }
}
