//! State of one install is invisible to others.

use super::stage::{Module, Stage};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn isolation_hides_other_accounts_and_earlier_calls() {
    let stage = Stage::start().await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let code = "
        let kept = 'nothing';
        export async function run(ctx, input) {
            const seen = [globalThis.kept, Object.prototype.kept, kept].join();
            globalThis.kept = Object.prototype.kept = kept = ctx.auth.accountId;
            return { action: 'send_message', message: `${seen} ${ctx.auth.installId}` };
        }";
    let module = Module::command("look", code);
    let extension_id = stage.publish(&module).await;
    let of_ada = stage.install_published(&ada, extension_id, &module.permissions).await;
    let of_bob = stage.install_published(&bob, extension_id, &module.permissions).await;

    stage.say(&ada, "!look").await;
    assert_eq!(stage.sent(&ada, 1).await, [format!(",,nothing {}", of_ada.id)]);
    stage.say(&bob, "!look").await;
    assert_eq!(stage.sent(&bob, 1).await, [format!(",,nothing {}", of_bob.id)]);
    stage.say(&ada, "!look").await;
    assert_eq!(stage.sent(&ada, 2).await[1], format!(",,nothing {}", of_ada.id));
}
