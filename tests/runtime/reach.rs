//! Access of a handler to the outside: listed hosts, and its secrets (reference/handlers.md#egress).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use extension_model::seal_secret;
use shared::{schema::extension_secrets, secret::Secret};

use super::stage::{Module, Stage};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reach_of_internal_and_unlisted_hosts_is_denied() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "
        const urls = [
            'https://not-listed.example/', 'http://listed.example/', 'https://127.0.0.1/', 'https://2130706433/',
            'https://[::ffff:169.254.169.254]/', 'https://listed.example:22/',
        ];
        export async function run(ctx) {
            for (const url of urls) {
                try { await ctx.fetch(url); ctx.log.info(`reached ${url}`) } catch (error) { ctx.log.info(error.name) }
            }
            await ctx.fetch('https://169.254.169.254/latest/meta-data/');
        }";
    let module = Module { allow_hosts: vec!["listed.example"], ..Module::command("fetch", code) };
    let install = stage.install(&ada, module).await;
    stage.say(&ada, "!fetch").await;

    let (error_type, message) = stage.errors(&install, 1).await.remove(0);
    assert_eq!(error_type, "EGRESS_DENIED");
    assert!(message.contains("egress.allowHosts"), "{message}");
    let lines = stage.logs(&install, 7).await;
    let names: Vec<&str> =
        lines.iter().filter(|(level, _)| level == "info").map(|(_, line)| line.as_str()).collect();
    assert_eq!(names, ["EgressError"; 6]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reach_of_secrets_excludes_the_log() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export async function run(ctx) {
        const key = ctx.secrets.get('API_KEY');
        ctx.log.info(`the key is ${key}, the other ${ctx.secrets.get('OTHER')}`);
        return { action: 'send_message', message: `${key.length} characters` };
    }";
    let module = Module::command("secret", code);
    let extension_id = stage.publish(&module).await;
    let sealed =
        seal_secret(&stage.app.state.keyring, extension_id, "API_KEY", &Secret::new("s3cret-value")).unwrap();
    insert_into(extension_secrets::table)
        .values((
            extension_secrets::extension_id.eq(extension_id),
            extension_secrets::key.eq("API_KEY"),
            extension_secrets::value.eq(sealed),
        ))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let install = stage.install_published(&ada, extension_id, &module.permissions).await;
    assert_eq!(install.extension_id, extension_id);

    stage.say(&ada, "!secret").await;
    assert_eq!(stage.sent(&ada, 1).await, ["12 characters"]);
    let logged = stage.logs(&install, 1).await;
    assert_eq!(logged, [("info".to_owned(), "the key is [secret], the other null".to_owned())]);
}
