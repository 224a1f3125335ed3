//! The schema in the code and in the migrations.

mod generated;
mod statements;

use lumio_tests::TestDatabase;
use shared::{config::DatabasesConfig, secret::Secret};

#[tokio::test]
async fn schema_migrations_can_be_reverted_and_applied_again() {
    let database = TestDatabase::create().await;
    let url = Secret::new(&database.url);
    let config = DatabasesConfig::new(url.clone(), url);
    foundation::db::revert(&config).await.unwrap();
    let ran = foundation::db::migrate(&config).await.unwrap();
    assert!(ran.len() >= 7, "{ran:?}");
    let again = foundation::db::migrate(&config).await.unwrap();
    assert!(again.is_empty(), "{again:?}");
}
