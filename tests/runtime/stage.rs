//! A server with a worker, extensions in accounts, and chat for them.

mod seen;

use diesel::{dsl::sql, insert_into, prelude::*, sql_types::Bool};
use diesel_async::RunQueryDsl;
use extension_model::announce::refresh;
use foundation::{
    crypto::{self, SecretLocation},
    events::Event,
    jobs::RunTriggers,
};
use live_model::{AccountEvent, Badge, ChatMessage};
use lumio_tests::{Person, TestApp, redis_server_url};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};
use shared::{
    config::Config,
    id,
    schema::{channel_connections, extension_installs, extension_secrets, extension_versions, extensions},
    secret::Secret,
};
use uuid::Uuid;

/// A server with a worker.
pub struct Stage {
    pub app: TestApp,
    pub worker: Running,
}

/// An account with a Twitch channel.
pub struct Streamer {
    pub person: Person,
    pub channel: User,
}

/// An extension to install.
pub struct Module {
    pub code: String,
    pub bot_module: Value,
    pub permissions: Vec<&'static str>,
    pub allow_hosts: Vec<&'static str>,
    /// `functions` and `tables` of the manifest.
    pub functions: Value,
    pub tables: Value,
}

impl Module {
    /// A module whose command `name` runs the export `run`.
    pub fn command(name: &str, code: &str) -> Self {
        Self::of(json!({ "commands": [{ "name": name, "handler": "run" }] }), code)
    }

    pub fn of(bot_module: Value, code: &str) -> Self {
        Self {
            code: code.to_owned(),
            bot_module,
            permissions: vec!["chat:read", "chat:send"],
            allow_hosts: Vec::new(),
            functions: json!({}),
            tables: json!({}),
        }
    }

    /// An extension with server functions: kinds by name.
    pub fn with_functions(functions: Value, code: &str) -> Self {
        Self { functions, ..Self::of(json!({}), code) }
    }

    /// A command that replies with a text.
    pub fn answering(name: &str, text: &str) -> Self {
        let code =
            format!("export const run = async () => ({{ action: 'send_message', message: '{text}' }})");
        Self::command(name, &code)
    }
}

impl Stage {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// With changed settings of the worker.
    pub async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        Self::of(TestApp::start().await, change).await
    }

    /// With changed settings of the worker, which may put a proxy before the one Redis server.
    pub async fn start_on_server(change: impl FnOnce(&mut Config)) -> Self {
        Self::of(TestApp::builder().with("REDIS_URL", redis_server_url()).start().await, change).await
    }

    async fn of(app: TestApp, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = app.config();
        config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
        let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
        config.workers.engine_dir = engine.to_str().expect("a readable path").to_owned();
        change(&mut config);
        let daemons = [Daemon::ExtensionRuntime];
        let worker =
            lumio_worker::start_with(config, app.clock.clone(), &daemons).await.expect("the worker starts");
        Self { app, worker }
    }

    /// Without a runtime of its own: a test starts its processes.
    pub async fn start_without_runtime() -> Self {
        let app = TestApp::start().await;
        let (config, clock) = (app.config(), app.clock.clone());
        let worker =
            lumio_worker::start_with(config, clock, &[Daemon::Outbox]).await.expect("the worker starts");
        Self { app, worker }
    }

    pub async fn streamer(&self) -> Streamer {
        let person = self.app.owner().await;
        let login = format!("s{}", &id::new().simple().to_string()[20..]);
        let (channel, token) = self.app.platforms.create_user(Platform::Twitch, &login);
        let connection_id = id::new();
        let row = crypto::row(connection_id);
        let place = SecretLocation { table: "channel_connections", column: "access_token", row: &row };
        let sealed = self.app.state.keyring.seal(place, &Secret::new(token)).unwrap();
        insert_into(channel_connections::table)
            .values((
                channel_connections::id.eq(connection_id),
                channel_connections::account_id.eq(person.account_id),
                channel_connections::platform.eq("twitch"),
                channel_connections::platform_channel_id.eq(&channel.id),
                channel_connections::channel_name.eq(&channel.login),
                channel_connections::display_name.eq(&channel.display_name),
                channel_connections::credential_source.eq("system"),
                channel_connections::access_token.eq(sealed),
                channel_connections::bot_enabled.eq(true),
            ))
            .execute(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        Streamer { person, channel }
    }

    /// Installs a new extension and notifies the workers, as the operations do.
    pub async fn install(&self, streamer: &Streamer, module: Module) -> Installed {
        let extension_id = self.publish(&module).await;
        self.install_published(streamer, extension_id, &module.permissions).await
    }

    pub async fn publish(&self, module: &Module) -> Uuid {
        let extension_id = id::new();
        let manifest = json!({
            "extensionId": extension_id,
            "name": "Test",
            "description": "Test",
            "category": "bot_module",
            "version": "1.0.0",
            "server": true,
            "permissions": module.permissions,
            "egress": { "allowHosts": module.allow_hosts, "allowPorts": [] },
            "config_schema": { "word": { "type": "string", "label": "Word", "default": "default word" } },
            "functions": module.functions,
            "tables": module.tables,
            "bot_module": module.bot_module,
        });
        let version_id = self.app.plant_extension(&manifest, &module.code).await;
        diesel::update(extensions::table.find(extension_id))
            .set(extensions::current_version_id.eq(version_id))
            .execute(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        extension_id
    }

    pub async fn install_published(
        &self,
        streamer: &Streamer,
        extension_id: Uuid,
        granted: &[&str],
    ) -> Installed {
        let install = self.add_install(streamer, extension_id, granted).await;
        self.announce(streamer).await;
        self.feed_has_settled().await;
        install
    }

    /// Writes an install without a notification.
    pub async fn add_install(&self, streamer: &Streamer, extension_id: Uuid, granted: &[&str]) -> Installed {
        let version_id: Uuid = extension_versions::table
            .filter(extension_versions::extension_id.eq(extension_id))
            .select(extension_versions::id)
            .first(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        let account = streamer.person.account_id;
        let install_id = self.app.plant_install(account, (extension_id, version_id), granted).await;
        Installed { id: install_id, extension_id }
    }

    /// Publishes another version with the same manifest and other code, and moves an install to it as a roll-out does.
    pub async fn new_version(&self, install: &Installed, code: &str) {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        let manifest: Value = extension_versions::table
            .filter(extension_versions::extension_id.eq(install.extension_id))
            .select(extension_versions::manifest)
            .first(&mut *db)
            .await
            .unwrap();
        let version_id = id::new();
        insert_into(extension_versions::table)
            .values((
                extension_versions::id.eq(version_id),
                extension_versions::extension_id.eq(install.extension_id),
                extension_versions::version.eq(format!("1.{}.0", version_id.as_u128() % 1_000_000)),
                extension_versions::status.eq("approved"),
                extension_versions::manifest.eq(manifest),
                extension_versions::bundle_size_bytes.eq(1),
                extension_versions::handler_code.eq(code),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        let account_id: Uuid = diesel::update(extension_installs::table.find(install.id))
            .set((
                extension_installs::version_id.eq(version_id),
                extension_installs::updated_at.eq(self.app.clock.now()),
            ))
            .returning(extension_installs::account_id)
            .get_result(&mut *db)
            .await
            .unwrap();
        refresh(&self.app.state.redis, account_id).await.unwrap();
    }

    /// Gives an extension a secret.
    pub async fn secret(&self, install: &Installed, key: &str, value: &str) {
        let keyring = &self.app.state.keyring;
        let sealed =
            extension_model::seal_secret(keyring, install.extension_id, key, &Secret::new(value)).unwrap();
        insert_into(extension_secrets::table)
            .values((
                extension_secrets::extension_id.eq(install.extension_id),
                extension_secrets::key.eq(key),
                extension_secrets::value.eq(sealed),
            ))
            .execute(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    }

    /// Notifies the workers that an account's installs changed, as the operations do.
    pub async fn announce(&self, streamer: &Streamer) {
        refresh(&self.app.state.redis, streamer.person.account_id).await.unwrap();
    }

    /// Waits until the worker has read every install with triggers.
    pub async fn feed_has_settled(&self) {
        let expected: i64 = extension_installs::table
            .inner_join(
                extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id)),
            )
            .filter(sql::<Bool>("jsonb_typeof(manifest -> 'bot_module') = 'object'"))
            .count()
            .get_result(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        self.eventually("the feed holds every install", async || {
            self.figure("lumio_runtime_feed_installs", "") == expected
        })
        .await;
    }

    /// A viewer writes a line.
    pub async fn say(&self, streamer: &Streamer, text: &str) -> Event {
        self.say_as(streamer, text, &[]).await
    }

    pub async fn say_as(&self, streamer: &Streamer, text: &str, badges: &[&str]) -> Event {
        let badge = |id: &&str| Badge { id: (*id).to_owned(), version: "1".to_owned(), info: None };
        let event_id = id::new();
        let message = ChatMessage {
            id: event_id,
            account_id: streamer.person.account_id,
            platform: "twitch".to_owned(),
            platform_message_id: event_id.to_string(),
            platform_user_id: "4711".to_owned(),
            username: "ada".to_owned(),
            display_name: "Ada".to_owned(),
            color: None,
            badges: badges.iter().map(badge).collect(),
            text: text.to_owned(),
            fragments: Vec::new(),
            emotes: Vec::new(),
            reply_to: None,
            is_deleted: false,
            is_action: false,
            sent_at: self.app.clock.now(),
            forgets_user: false,
            counted_as: None,
        };
        let event = message.announcement().unwrap();
        // As in the ingest: lines are published before they trigger anything.
        self.app.state.events.append(&event).await.unwrap();
        self.deliver(streamer, &event, &event.id.to_string()).await;
        event
    }

    /// Adds the job of an event of the platform.
    pub async fn happen(&self, streamer: &Streamer, event_type: &str, data: Value) {
        let event = AccountEvent {
            id: id::new(),
            account_id: streamer.person.account_id,
            event_type: event_type.to_owned(),
            platform: Some("twitch".to_owned()),
            platform_user_id: Some("4711".to_owned()),
            username: Some("ada".to_owned()),
            display_name: Some("Ada".to_owned()),
            avatar_url: None,
            amount: None,
            currency: None,
            message: None,
            data,
            is_test: false,
            occurred_at: self.app.clock.now(),
        };
        let event = event.announcement().unwrap();
        self.deliver(streamer, &event, &event.id.to_string()).await;
    }

    /// Adds the job of an event, under a key.
    pub async fn deliver(&self, streamer: &Streamer, event: &Event, key: &str) {
        let job = RunTriggers {
            account_id: streamer.person.account_id,
            event: event.clone(),
            channel_id: Some(streamer.channel.id.clone()),
        };
        assert!(self.app.state.jobs.enqueue(&job, key).await.unwrap(), "a job of its own");
    }

    pub async fn eventually(&self, what: &str, holds: impl AsyncFnMut() -> bool) {
        lumio_tests::eventually(what, holds).await;
    }
}

/// An install and its extension.
#[derive(Debug, Clone, Copy)]
pub struct Installed {
    pub id: Uuid,
    pub extension_id: Uuid,
}
