//! The API or Redis away for a while: the last known feed serves, nothing is lost or repeated.

use std::{net::SocketAddr, time::Duration};

use tokio::sync::watch;
use url::Url;

use super::{
    proxy::Proxy,
    stage::{Module, Stage},
};

/// A proxy to the server of a URL.
pub(super) async fn open_proxy(sender: &watch::Sender<Option<SocketAddr>>) -> Proxy {
    Proxy::to(sender.subscribe()).await
}

pub(super) fn through(url: &str, proxy: &Proxy, target: &watch::Sender<Option<SocketAddr>>) -> Url {
    let mut url = Url::parse(url).unwrap();
    let address = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    target.send_replace(Some(address.parse().unwrap()));
    url.set_port(Some(proxy.address.port())).unwrap();
    url
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_api_lose_and_repeat_no_reply() {
    let target = watch::Sender::new(None);
    let proxy = open_proxy(&target).await;
    let stage = Stage::start_with(|config| {
        config.workers.api_url = through(config.workers.api_url.as_str(), &proxy, &target);
    })
    .await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, Module::answering("hello", "hi")).await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["hi"]);

    proxy.shut();
    for _ in 0..5 {
        stage.say(&ada, "!hello").await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.sent_now(&ada).len(), 1);
    proxy.open();
    assert_eq!(stage.sent(&ada, 6).await, ["hi"; 6]);
    stage.done(6).await;
    assert!(stage.invocations(&install).await >= 6);
    assert_eq!(stage.sent_now(&ada).len(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_redis_hide_no_announcement() {
    let target = watch::Sender::new(None);
    let proxy = open_proxy(&target).await;
    let stage = Stage::start_on_server(|config| {
        let url = through(config.redis.url.expose(), &proxy, &target);
        config.redis.url = shared::secret::Secret::new(url.to_string());
    })
    .await;
    let ada = stage.streamer().await;
    stage.install(&ada, Module::answering("first", "one")).await;

    proxy.shut();
    let mut added = 1;
    let is_behind = async |added: i64| {
        tokio::time::sleep(Duration::from_millis(300)).await;
        stage.figure("lumio_runtime_feed_installs", "") < added
    };
    // Reads in progress may still find an install; more are added until none does.
    loop {
        added += 1;
        let module = Module::answering(&format!("number{added}"), "added");
        let extension_id = stage.publish(&module).await;
        stage.add_install(&ada, extension_id, &module.permissions).await;
        stage.announce(&ada).await;
        if is_behind(added).await {
            break;
        }
        assert!(added < 6, "nobody has told the worker");
    }
    proxy.open();
    stage.feed_has_settled().await;
    stage.say(&ada, "!first").await;
    stage.say(&ada, &format!("!number{added}")).await;
    let mut sent = stage.sent(&ada, 2).await;
    sent.sort();
    assert_eq!(sent, ["added", "one"]);
}
