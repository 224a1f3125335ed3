//! Sealed data of the programme: bound to its row, and in no log (reference/programme.md#sealed-data).

use std::collections::BTreeMap;

use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;

use super::{
    reviewer,
    verifications::{PATH, STAFF, body, developer, gql_submit, id_of, submit, submitted, with},
};

const PAYOUTS: &str = "/v1/developer/payouts";
const PAYOUT_SETTINGS: &str = "/v1/developer/payout-settings";
const FEATURE: &str = "feature:extension_development";

#[tokio::test]
async fn developer_verification_and_payout_settings_open_in_their_own_row_only() {
    let app = TestApp::start().await;
    let ((ada, _), (bob, _)) = (submitted(&app).await, submitted(&app).await);
    for person in [&ada, &bob] {
        app.override_feature(person.account_id, FEATURE, true).await;
        person.post(PAYOUTS, json!({ "bank_name": "Hidden Bank" })).await.expect(200);
    }
    for table in ["developer_verifications", "developer_payout_settings"] {
        let sql = format!(
            "UPDATE {table} SET details = of_other.details
             FROM {table} AS of_other
             WHERE of_other.developer_id = (SELECT id FROM developer_profiles WHERE user_id = $1)
                 AND {table}.developer_id = (SELECT id FROM developer_profiles WHERE user_id = $2)"
        );
        let moved = sql_query(sql).bind::<SqlUuid, _>(ada.user_id).bind::<SqlUuid, _>(bob.user_id);
        let rows = moved.execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
        assert_eq!(rows, 1, "{table}");
    }
    for path in [PATH, PAYOUT_SETTINGS] {
        ada.get(path).await.expect(200);
        let read = bob.get(path).await;
        assert_eq!(read.status, 500, "{path}: {}", read.text);
        assert!(!read.text.contains("Secretname") && !read.text.contains("Hidden"), "{path}: {}", read.text);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn developer_verification_and_payout_settings_are_in_no_line_of_a_log() {
    let (app, folder) = (TestApp::start().await, tempfile::TempDir::new().unwrap());
    let log = folder.path().join("api.log");
    let variables = BTreeMap::from([("LUMIO_LOG".to_owned(), "debug".to_owned())]);
    let (staff, developer) = (reviewer(&app).await, developer(&app).await);
    app.override_feature(developer.account_id, FEATURE, true).await;
    let (mut process, url) = app.second_process_logging(&log, &variables).await;
    let (staff, developer) = (staff.at(&url), developer.at(&url));
    let id = id_of(&submit(&developer, &body()).await.expect(201)["data"]);
    gql_submit(&developer, &with("country", json!("DEU"))).await.refused_with("VALIDATION_ERROR");
    developer.get(PATH).await.expect(200);
    staff.get(&format!("{STAFF}/{id}")).await.expect(200);
    let settings = json!({
        "payout_method": "bank", "bank_iban": "DE44500105175407324931", "payment_connect_id": "acct_covert",
        "paypal_style_email": "covert@example.org",
    });
    developer.post(PAYOUTS, settings).await.expect(200);
    let wrong = json!({ "bank_iban": "DE45500105175407324931" });
    developer.post(PAYOUTS, wrong).await.refused_with("VALIDATION_ERROR");
    // Texts of queries that hold data themselves; the second one does not parse.
    for end in [" { id } }", ""] {
        let arguments = "input: { legalName: \"Ada Secretname\", country: \"DEU\" }";
        let document = format!("mutation {{ submitDeveloperVerification({arguments}){end}");
        assert!(!developer.graphql(&document, json!({})).await.error().1.is_empty());
    }
    process.terminate();
    process.ended().await;

    let logged = std::fs::read_to_string(&log).unwrap();
    for route in [PATH, PAYOUTS] {
        assert!(logged.contains(route), "no line names {route}");
    }
    let data = ["Secretname", "Hidden Works", "Covert", "DE123456789", "HRB 987654", "5001051754", "covert"];
    for line in logged.lines() {
        assert!(!data.iter().any(|text| line.contains(text)), "{line}");
    }
    app.stop().await;
}
