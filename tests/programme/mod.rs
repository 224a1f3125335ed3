//! Programme of developers: applications, verifications, profiles, limits, payouts and teams.

mod applications;
mod deletion;
mod limit_requests;
mod limits;
mod lists;
mod payouts;
mod profiles;
mod sealed;
mod teams;
mod verifications;

use lumio_tests::{Caller, Person, TestApp};
use serde_json::Value;

const PNG: &[u8] = include_bytes!("../fixtures/media/pixel.png");

/// A member of staff who decides about applications and verifications.
async fn reviewer(app: &TestApp) -> Person {
    app.admin_with(&["developer-verification:read", "developer-verification:edit"]).await
}

/// Notifications of a person, newest first.
async fn notifications(person: &Caller) -> Vec<Value> {
    let listed = person.get("/v1/notifications").await;
    listed.data()["items"].as_array().expect("a list").clone()
}

/// Id of a new image among the uploads of the person's account.
async fn image(person: &Caller) -> String {
    upload(person, "avatar", "a.png", PNG).await
}

/// Id of a new document among the uploads of the person's account.
async fn document(person: &Caller) -> String {
    upload(person, "developer_document", "a.pdf", b"%PDF-1.7 a document").await
}

async fn upload(person: &Caller, purpose: &str, name: &str, content: &[u8]) -> String {
    const BOUNDARY: &str = "lumio-programme-boundary";
    let mut body = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\n{purpose}\r\n\
         --{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(content);
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    let stored =
        person.post_raw("/v1/uploads", &format!("multipart/form-data; boundary={BOUNDARY}"), body).await;
    stored.expect(201)["data"]["id"].as_str().expect("an id").to_owned()
}
