//! SVG uploads of extensions: they run no script and send no request (reference/extensions.md#uploads).

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use api_core::token::TokenKind;
use lumio_tests::{Answer, Caller, TestApp, browser::Browser, extensions::multipart};
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt, net::TcpListener};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

async fn upload(token: &Caller, extension: Uuid, drawing: &str) -> Answer {
    let (content_type, body) = multipart(&[("file", drawing.as_bytes())]);
    token.post_raw(&format!("/v1/extensions/{extension}/uploads"), &content_type, body).await
}

/// Extension and the token of an install of it.
async fn stage(app: &TestApp) -> (Uuid, Caller) {
    let (studio, reviewer, owner) = (app.studio().await, reviewer(app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let install = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let token = app.surface_token(TokenKind::Extension, owner.account_id, &install.to_string(), None).await;
    (extension, token)
}

/// Path of an upload, without the public address of the server.
fn path_of(answer: &Answer) -> String {
    let url = answer.data()["url"].as_str().unwrap();
    url[url.find("/v1/").unwrap()..].to_owned()
}

/// Server that counts the requests it receives. A browser may open a connection ahead of a frame that the
/// policy then refuses; it sends no request on it.
async fn elsewhere() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let counted = counted.clone();
            tokio::spawn(async move {
                if socket.read_u8().await.is_ok() {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    (address, requests)
}

const SETTLE_DELAY: Duration = Duration::from_millis(300);
const HIT: &str = "document.documentElement.setAttribute('data-hit', '1')";

/// Drawings that would run a script or send a request.
fn attacks(elsewhere: &str) -> Vec<String> {
    let drawing = |inside: &str| {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">{inside}</svg>"
        )
    };
    let html = |inside: &str| {
        drawing(&format!(
            "<foreignObject width=\"9\" height=\"9\"><body xmlns=\"http://www.w3.org/1999/xhtml\">{inside}</body></foreignObject>"
        ))
    };
    vec![
        drawing(&format!("<script>{HIT}</script>")),
        drawing(&format!(
            "<script href=\"{elsewhere}/a.js\"/><script xlink:href=\"data:text/javascript,{HIT}\"/>"
        )),
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"{HIT}\"></svg>"),
        drawing(&format!(
            "<animate attributeName=\"x\" begin=\"0s\" dur=\"1ms\" onbegin=\"{HIT}\" onend=\"{HIT}\"/>"
        )),
        drawing(&format!("<image href=\"{elsewhere}/a.png\" onerror=\"{HIT}\"/>")),
        drawing(&format!(
            "<use href=\"{elsewhere}/a.svg#x\"/><style>@import url({elsewhere}/a.css); rect {{ fill: url({elsewhere}/f.svg#f) }}</style><rect width=\"9\" height=\"9\"/>"
        )),
        html(&format!(
            "<img src=\"{elsewhere}/b.png\" onerror=\"{HIT}\"/><iframe src=\"{elsewhere}/frame\"></iframe>"
        )),
        html(&format!(
            "<iframe srcdoc=\"&lt;script&gt;parent.{HIT}&lt;/script&gt;\"></iframe><meta http-equiv=\"refresh\" content=\"0;url={elsewhere}/\"/>"
        )),
        format!(
            "<?xml version=\"1.0\"?><?xml-stylesheet href=\"{elsewhere}/c.css\"?><!DOCTYPE svg SYSTEM \"{elsewhere}/d.dtd\"><svg xmlns=\"http://www.w3.org/2000/svg\"/>"
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drawings_run_no_script_and_send_no_request_when_opened() {
    let app = TestApp::start().await;
    let (extension, token) = stage(&app).await;
    let (elsewhere, requests) = elsewhere().await;
    let mut browser = Browser::start().await;
    for drawing in attacks(&elsewhere) {
        let answer = upload(&token, extension, &drawing).await;
        assert_eq!(answer.status, 201, "{drawing}: {}", answer.text);
        let path = path_of(&answer);
        let served = app.anonymous().get(&path).await;
        assert_eq!((served.status, served.header("content-type")), (200, "image/svg+xml"));
        assert_eq!(served.header("content-security-policy"), "sandbox; default-src 'none'");
        assert_eq!(served.header("x-content-type-options"), "nosniff");
        assert_eq!(served.header("cache-control"), "public, max-age=86400, immutable");
        let Some(browser) = &mut browser else { continue };
        browser.open(&format!("{}{path}", app.url())).await;
        // Long enough for a script or a request; a page without scripts has no timers to wait by.
        tokio::time::sleep(SETTLE_DELAY).await;
        let hit = browser.value("document.documentElement.getAttribute('data-hit')").await;
        assert_eq!(hit, Value::Null, "{drawing}");
        let origin = browser.value("self.origin").await;
        assert_eq!(origin, "null", "a drawing has no origin: {drawing}");
        assert_eq!(browser.value("document.documentElement.localName").await, "svg", "{drawing}");
    }
    assert_eq!(requests.load(Ordering::SeqCst), 0, "somebody was asked");
    app.stop().await;
}

#[tokio::test]
async fn upload_extension_file_refuses_drawings_with_entities() {
    let app = TestApp::start().await;
    let (extension, token) = stage(&app).await;
    let lol: String =
        (1..9).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10))).collect();
    for (what, drawing) in [
        (
            "a bomb",
            format!("<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY l0 \"ha\">{lol}]><svg>&l8;</svg>"),
        ),
        ("a file", "<!DOCTYPE svg [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><svg>&f;</svg>".to_owned()),
        ("a parameter", "<!doctype svg [<!ENTITY % p SYSTEM \"http://example.com/x\">%p;]><svg/>".to_owned()),
        ("an attribute list", "<!DOCTYPE svg [<!ATTLIST svg onload CDATA \"x\">]><svg/>".to_owned()),
        ("behind a quoted end", "<!DOCTYPE svg PUBLIC \">\" \"\" [<!ENTITY a \"b\">]><svg/>".to_owned()),
        ("behind a comment", "<!-- > --><!DOCTYPE svg\n[<!ENTITY a \"b\">]><svg/>".to_owned()),
        ("not first", "text <svg/>".to_owned()),
    ] {
        let answer = upload(&token, extension, &drawing).await;
        assert_eq!(answer.status, 400, "{what}: {}", answer.text);
        answer.refused("VALIDATION_ERROR", "file must be a PNG, JPEG, GIF, SVG, WebP or AVIF image");
    }
}
