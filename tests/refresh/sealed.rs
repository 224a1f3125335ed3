//! A secret in every place where secrets are stored.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use connection_model::applications;
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use extension_model::{ConfigSchema, seal_secret, sealed as sealed_settings};
use foundation::crypto::{SecretLocation, row};
use live_model::{obs::seal_password, se_tokens};
use lumio_tests::{Person, TestApp};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::{
    id::{self, AccountId, Trust},
    schema::{
        app_credentials, automation_trigger_registrations as registrations, automations,
        developer_payout_settings, developer_team_payout_settings, developer_teams, developer_verifications,
        extension_installs, extension_secrets, idempotent_requests, obs_configs, overlays,
        se_tokens as se_tokens_table, system_connections, timeseries, token_revocations, unconfirmed_logins,
        webhook_endpoints,
    },
    secret::Secret,
};
use uuid::Uuid;
use webhook_model::secrets::SecretColumn;

use super::world::{bot, channel_with, granted, login, stored};
use lumio_tests::world::install;

const DAY: TimeDelta = TimeDelta::days(1);

/// Stores one value in every place; returns the row and the secret by place.
pub(super) async fn one_everywhere(app: &TestApp, owner: &Person) -> BTreeMap<String, (String, String)> {
    let mut values = BTreeMap::new();
    let (refresh, access) = ("refresh_token", "access_token");
    let user = granted(app, Platform::Twitch, "streamer");
    let channel =
        channel_with(app, owner, &user.user, &user.access_token, Some(&user.refresh_token), None).await;
    let (bot, login) = (bot(app, owner, None, DAY).await, login(app, owner, DAY).await);
    for holder in [channel, bot, login] {
        let now = stored(app, holder).await;
        let row = holder.id().to_string();
        values.insert(format!("{}.{access}", holder.table()), (row.clone(), now.access));
        values.insert(format!("{}.{refresh}", holder.table()), (row, now.refresh.unwrap()));
    }
    applications_of(app, owner, &mut values).await;
    revocation(app, &mut values).await;
    extension(app, owner, &mut values).await;
    failed_run(app, owner, &mut values).await;
    webhook(app, owner, &mut values).await;
    unconfirmed_login(app, owner, &mut values).await;
    overlay(app, owner, &mut values).await;
    se_token(app, owner, &mut values).await;
    obs_config(app, owner, &mut values).await;
    developer(app, owner, &mut values).await;
    webhook_endpoint(app, owner, &mut values).await;
    idempotent_request(app, owner, &mut values).await;
    values
}

async fn overlay(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let (id, token) = (id::new(), "token of an overlay");
    let named = row(id);
    let place = SecretLocation { table: "overlays", column: "token", row: &named };
    let sealed = app.state.keyring.seal(place, &Secret::new(token)).unwrap();
    insert_into(overlays::table)
        .values((
            overlays::id.eq(id),
            overlays::account_id.eq(owner.account_id),
            overlays::name.eq("rotated"),
            overlays::key.eq("rotated-rows"),
            overlays::width.eq(10),
            overlays::height.eq(10),
            overlays::background.eq("transparent"),
            overlays::token.eq(sealed),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    values.insert("overlays.token".into(), (named, token.to_owned()));
}

async fn se_token(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let token = "token of StreamElements";
    let sealed = se_tokens::seal(&app.state.keyring, owner.account_id, "kick", &Secret::new(token)).unwrap();
    insert_into(se_tokens_table::table)
        .values((
            se_tokens_table::id.eq(id::new()),
            se_tokens_table::account_id.eq(owner.account_id),
            se_tokens_table::platform.eq("kick"),
            se_tokens_table::token.eq(sealed),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    values.insert("se_tokens.token".into(), (format!("{}/kick", owner.account_id), token.to_owned()));
}

async fn obs_config(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let (named, password) = (owner.account_id.to_string(), "password of OBS");
    let account = AccountId::trusted(owner.account_id, Trust::Test);
    let sealed = seal_password(&app.state.keyring, account, &Secret::new(password)).unwrap();
    insert_into(obs_configs::table)
        .values((obs_configs::account_id.eq(owner.account_id), obs_configs::password.eq(sealed)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    values.insert("obs_configs.password".into(), (named, password.to_owned()));
}

async fn developer(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let (developer, id, team) = (app.developer_profile(owner.user_id).await, id::new(), id::new());
    let mut seal = |table: &'static str, row: Uuid| {
        let (named, secret) = (row.to_string(), format!("data of {table}"));
        let place = SecretLocation { table, column: "details", row: &named };
        let sealed = app.state.keyring.seal(place, &Secret::new(&secret)).unwrap();
        values.insert(format!("{table}.details"), (named, secret));
        sealed
    };
    let settings = seal("developer_payout_settings", developer);
    let verification = seal("developer_verifications", id);
    let of_team = seal("developer_team_payout_settings", team);
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(developer_teams::table)
        .values((
            developer_teams::id.eq(team),
            developer_teams::owner_id.eq(owner.user_id),
            developer_teams::name.eq("rotated"),
            developer_teams::slug.eq("rotated"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    insert_into(developer_team_payout_settings::table)
        .values((
            developer_team_payout_settings::team_id.eq(team),
            developer_team_payout_settings::details.eq(of_team),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    insert_into(developer_payout_settings::table)
        .values((
            developer_payout_settings::developer_id.eq(developer),
            developer_payout_settings::details.eq(settings),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    insert_into(developer_verifications::table)
        .values((
            developer_verifications::id.eq(id),
            developer_verifications::developer_id.eq(developer),
            developer_verifications::details.eq(verification),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
}

async fn unconfirmed_login(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let (id, token) = (id::new(), "token of a login that a key linked");
    let named = row(id);
    let place = SecretLocation { table: "unconfirmed_logins", column: "access_token", row: &named };
    let sealed = app.state.keyring.seal(place, &Secret::new(token)).unwrap();
    insert_into(unconfirmed_logins::table)
        .values((
            unconfirmed_logins::id.eq(id),
            unconfirmed_logins::user_id.eq(owner.user_id),
            unconfirmed_logins::platform.eq("kick"),
            unconfirmed_logins::provider_user_id.eq("4711"),
            unconfirmed_logins::username.eq("linked"),
            unconfirmed_logins::display_name.eq("Linked"),
            unconfirmed_logins::access_token.eq(sealed),
            unconfirmed_logins::created_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    values.insert("unconfirmed_logins.access_token".into(), (named, token.to_owned()));
}

async fn webhook(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let (id, automation, install) = (id::new(), id::new(), install(app, owner, &[]).await);
    let (named, secret) = (row(id), "secret of a webhook");
    let place =
        SecretLocation { table: "automation_trigger_registrations", column: "webhook_secret", row: &named };
    let sealed = app.state.keyring.seal(place, &Secret::new(secret)).unwrap();
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(automations::table)
        .values((
            automations::id.eq(automation),
            automations::account_id.eq(owner.account_id),
            automations::name.eq("rotated"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    insert_into(registrations::table)
        .values((
            registrations::id.eq(id),
            registrations::account_id.eq(owner.account_id),
            registrations::automation_id.eq(automation),
            registrations::node_id.eq(id::new()),
            registrations::install_id.eq(install),
            registrations::mode.eq("webhook"),
            registrations::webhook_secret.eq(sealed),
            registrations::webhook_secret_hash.eq(api_core::token::hash(secret)),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    values.insert("automation_trigger_registrations.webhook_secret".into(), (named, secret.to_owned()));
}

async fn webhook_endpoint(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let id = id::new();
    let mut sealed = |column: SecretColumn, name: &str| {
        let secret = webhook_model::secrets::generate();
        values.insert(format!("webhook_endpoints.{name}"), (row(id), secret.expose().to_owned()));
        webhook_model::secrets::seal(&app.state.keyring, id, column, &secret).unwrap()
    };
    let (secret, previous) =
        (sealed(SecretColumn::Current, "secret"), sealed(SecretColumn::Previous, "previous_secret"));
    insert_into(webhook_endpoints::table)
        .values((
            webhook_endpoints::id.eq(id),
            webhook_endpoints::account_id.eq(owner.account_id),
            webhook_endpoints::url.eq("https://hooks.example/"),
            webhook_endpoints::event_types.eq(vec!["*"]),
            webhook_endpoints::secret.eq(secret),
            webhook_endpoints::previous_secret.eq(previous),
            webhook_endpoints::previous_secret_until.eq(app.clock.now() + DAY),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn idempotent_request(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let (id, answer) = (id::new(), "an answer that shows a secret once");
    let named = row(id);
    let place = SecretLocation { table: "idempotent_requests", column: "sealed_answer", row: &named };
    let sealed = app.state.keyring.seal(place, &Secret::new(answer)).unwrap();
    insert_into(idempotent_requests::table)
        .values((
            idempotent_requests::id.eq(id),
            idempotent_requests::request.eq(id::new()),
            idempotent_requests::account_id.eq(owner.account_id),
            idempotent_requests::operation.eq("rotated"),
            idempotent_requests::fingerprint.eq(api_core::token::hash(answer)),
            idempotent_requests::status.eq(201_i16),
            idempotent_requests::sealed_answer.eq(sealed),
            idempotent_requests::started_at.eq(app.clock.now()),
            idempotent_requests::created_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    values.insert("idempotent_requests.sealed_answer".into(), (named, answer.to_owned()));
}

async fn failed_run(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    use timeseries::extension_failed_runs::dsl;
    let (id, run) = (id::new(), "what a chatter wrote");
    let named = row(id);
    let place = SecretLocation { table: "extension_failed_runs", column: "run", row: &named };
    let sealed = app.state.keyring.seal(place, &Secret::new(run)).unwrap();
    insert_into(dsl::extension_failed_runs)
        .values((
            dsl::id.eq(id),
            dsl::extension_id.eq(Uuid::nil()),
            dsl::install_id.eq(Uuid::nil()),
            dsl::account_id.eq(owner.account_id),
            dsl::version_id.eq(Uuid::nil()),
            dsl::handler.eq("run"),
            dsl::run.eq(sealed),
            dsl::failed_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    values.insert("extension_failed_runs.run".into(), (named, run.to_owned()));
}

async fn applications_of(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let mut db = app.databases.postgres.get().await.unwrap();
    for table in ["app_credentials", "system_connections"] {
        let (id, secret) = (id::new(), format!("secret of {table}"));
        let sealed = applications::seal(&app.state.keyring, table, id, &Secret::new(&secret)).unwrap();
        if table == "app_credentials" {
            use app_credentials::dsl;
            let row = (
                dsl::id.eq(id),
                dsl::account_id.eq(owner.account_id),
                dsl::platform.eq("kick"),
                dsl::kind.eq("channel"),
                dsl::client_id.eq("client"),
                dsl::client_secret.eq(sealed),
            );
            insert_into(dsl::app_credentials).values(row).execute(&mut *db).await.unwrap();
        } else {
            use system_connections::dsl;
            let row = (
                dsl::id.eq(id),
                dsl::platform.eq("kick"),
                dsl::kind.eq("channel"),
                dsl::client_id.eq("client"),
                dsl::client_secret.eq(sealed),
            );
            insert_into(dsl::system_connections).values(row).execute(&mut *db).await.unwrap();
        }
        values.insert(format!("{table}.client_secret"), (id.to_string(), secret));
    }
}

async fn revocation(app: &TestApp, values: &mut BTreeMap<String, (String, String)>) {
    use token_revocations::dsl;
    let id = id::new();
    let mut seal = |column: &str| {
        let (row, secret) = (row(id), format!("{column} of a revocation"));
        let place = SecretLocation { table: "token_revocations", column, row: &row };
        let sealed = app.state.keyring.seal(place, &Secret::new(&secret)).unwrap();
        values.insert(format!("token_revocations.{column}"), (row.clone(), secret));
        sealed
    };
    let row = (
        dsl::id.eq(id),
        dsl::platform.eq("kick"),
        dsl::credential_source.eq("system"),
        dsl::credential_app.eq("login"),
        dsl::client_secret.eq(seal("client_secret")),
        dsl::access_token.eq(seal("access_token")),
        dsl::refresh_token.eq(seal("refresh_token")),
    );
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(dsl::token_revocations).values(row).execute(&mut *db).await.unwrap();
}

async fn extension(app: &TestApp, owner: &Person, values: &mut BTreeMap<String, (String, String)>) {
    let install_id = install(app, owner, &[]).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    let extension_id: Uuid = extension_installs::table
        .find(install_id)
        .select(extension_installs::extension_id)
        .first(&mut *db)
        .await
        .unwrap();
    let secret = Secret::new("secret of an extension");
    let value = seal_secret(&app.state.keyring, extension_id, "API_KEY", &secret).unwrap();
    insert_into(extension_secrets::table)
        .values((
            extension_secrets::extension_id.eq(extension_id),
            extension_secrets::key.eq("API_KEY"),
            extension_secrets::value.eq(value),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    let named = format!("{extension_id}/API_KEY");
    values.insert("extension_secrets.value".into(), (named, secret.expose().into()));

    let schema: ConfigSchema =
        serde_json::from_value(json!({ "token": { "type": "string", "label": "T", "secret": true } }))
            .unwrap();
    let config = json!({ "token": "secret setting", "name": "n" });
    let config = config.as_object().unwrap().clone();
    let sealed =
        sealed_settings(&app.state.keyring, &schema, install_id, config, &serde_json::Map::new()).unwrap();
    diesel::update(extension_installs::table.find(install_id))
        .set(extension_installs::config.eq(Value::Object(sealed)))
        .execute(&mut *db)
        .await
        .unwrap();
    values.insert("extension_installs.config".into(), (install_id.to_string(), "secret setting".into()));
}
