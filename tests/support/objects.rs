//! Object storage of one test: a folder, or a bucket of its own on the server of S3 that the tests share.

use std::path::Path;

/// Variables of a program that stores the objects of a test with this name.
pub(crate) async fn variables(test: &str, folder: &Path) -> Vec<(String, String)> {
    if std::env::var("LUMIO_TEST_S3").as_deref() != Ok("1") {
        let url = url::Url::from_directory_path(folder).expect("an absolute path");
        return vec![("LUMIO_STORAGE_URL".to_owned(), url.to_string())];
    }
    let bucket = create_bucket(test).await;
    let url = ("LUMIO_STORAGE_URL".to_owned(), format!("s3://{bucket}/objects"));
    // Other programs do not inherit the environment.
    std::env::vars().filter(|(name, _)| name.starts_with("AWS_")).chain([url]).collect()
}

/// Creates a bucket, which lasts as long as the server. Returns its name.
async fn create_bucket(test: &str) -> String {
    let server = std::env::var("LUMIO_TEST_S3_URL").expect("LUMIO_TEST_S3_URL is set: run scripts/s3");
    // Names of buckets have no underscores.
    let bucket = test.replace('_', "-");
    let created = crate::app::client().put(format!("{server}/{bucket}")).send().await;
    let created = created.expect("the server of S3 answers").error_for_status();
    created.expect("the server of S3 creates the bucket");
    bucket
}
