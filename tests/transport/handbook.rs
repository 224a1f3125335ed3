//! The pages of the handbook.

use std::fs;

use lumio_tests::{Answer, TestApp};
use reqwest::Method;
use tempfile::TempDir;

/// A folder as the build leaves it, with a file beside it that no request may reach.
fn built() -> TempDir {
    let folder = TempDir::new().unwrap();
    let docs = folder.path().join("docs");
    fs::create_dir_all(docs.join("start")).unwrap();
    for (name, text) in [
        ("docs/index.html", "<!DOCTYPE html><title>Handbook</title>"),
        ("docs/start/index.html", "<!DOCTYPE html><title>Start</title>"),
        ("docs/start/concepts.html", "<!DOCTYPE html><title>Concepts</title>"),
        ("docs/book-a0b12cfe.js", "const book = 1;"),
        ("docs/.hidden", "hidden"),
        ("secret.html", "secret"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

async fn with_header(app: &TestApp, path: &str, name: &str, value: &str) -> Answer {
    let caller = app.anonymous();
    caller.send(caller.request(Method::GET, path).header(name, value)).await
}

#[tokio::test]
async fn handbook_pages_are_those_of_the_folder_and_run_only_its_scripts() {
    let folder = built();
    let app = TestApp::builder().with("LUMIO_DOCS_DIR", folder.path().join("docs").display()).start().await;
    let caller = app.anonymous();
    for (path, target) in [("/docs", "/docs/"), ("/docs/start", "/docs/start/")] {
        let answer = caller.get(path).await;
        assert_eq!((answer.status, answer.header("location")), (307, target));
    }
    for (path, title) in [
        ("/docs/", "Handbook"),
        ("/docs/index.html", "Handbook"),
        ("/docs/start/", "Start"),
        ("/docs/start/concepts.html", "Concepts"),
    ] {
        let page = caller.get(path).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        assert!(page.text.contains(&format!("<title>{title}</title>")), "{path}: {}", page.text);
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("cache-control"), "public, no-cache");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'; script-src 'self';"), "{policy}");
    }
    let script = caller.get("/docs/book-a0b12cfe.js").await;
    assert!(
        script.header("content-type").starts_with("text/javascript"),
        "{}",
        script.header("content-type")
    );
    assert_eq!(script.header("cache-control"), "public, max-age=31536000, immutable");
    let tag = caller.get("/docs/").await.header("etag").to_owned();
    let unchanged = with_header(&app, "/docs/", "if-none-match", &tag).await;
    assert_eq!((unchanged.status, unchanged.text.as_str()), (304, ""));

    for path in [
        "/docs/none.html",
        "/docs/.hidden",
        "/docs/..%2fsecret.html",
        "/docs/..%2F..%2F..%2Fetc%2Fpasswd",
        "/docs/start/..%2f..%2fsecret.html",
        "/docs/%2e%2e%2fsecret.html",
        "/docs/%252e%252e%252fsecret.html",
        "/docs/%00",
        "/docs/start/index.html/x",
        "/docs/index.html/",
        "/docs//index.html",
        "/docs/start//index.html",
    ] {
        let answer = caller.get(path).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.text);
        answer.refused("NOT_FOUND", "There is no such file");
    }
}

#[tokio::test]
async fn handbook_that_is_not_built_is_reported() {
    let empty = TempDir::new().unwrap();
    let app = TestApp::builder().with("LUMIO_DOCS_DIR", empty.path().display()).start().await;
    for path in ["/docs/", "/docs/start/index.html"] {
        let answer = app.anonymous().get(path).await;
        assert_eq!(answer.status, 503, "{path}");
        answer.refused("SERVICE_UNAVAILABLE", "The handbook is not built: run scripts/handbook");
    }
}
