//! Developer API, uploads, review, and the developer's view of their extensions.

mod bounds;
mod envelope;
mod extensions;
mod limits;
mod metric_caps;
mod own_access;
mod own_extensions;
mod own_versions;
mod review;
mod secrets;
mod telemetry;
mod uploads;

use lumio_tests::Answer;

/// Asserts an error of the developer API.
#[track_caller]
fn refused(answer: &Answer, status: u16, code: &str, message: &str) {
    let error = &answer.body["error"];
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(
        (&error["code"], &error["message"], &error["status"]),
        (&code.into(), &message.into(), &status.into())
    );
}
