//! Faults of the services that Lumio depends on: away, slow, silent, killed or replaced. Each test has servers and
//! processes of its own; those of the job queue are in `shared/queue/tests/faults`, those of single resources beside
//! their other tests.
//!
//! | Fault | Tests |
//! |---|---|
//! | PostgreSQL frozen, killed, restarted | [`postgres`], [`stores`] |
//! | replica behind, killed, promoted; primary lost for good | [`replica`] |
//! | connection pooler that shares connections by transaction, killed | [`pooler`] |
//! | time-series database away | [`timeseries`], [`stores`], `live::row_buffer` |
//! | Redis away, restarted | `realtime::outages`, `runtime::faults`, `live::outbox`, [`network`], [`stores`], queue `outages` |
//! | master of a Redis Cluster killed | [`cluster`] |
//! | Redis flushed | [`redis`], `realtime::outages`, queue `outages` |
//! | network slow, silent, cut (API and worker to PostgreSQL, Redis and a platform) | [`network`], `runtime::faults` |
//! | killed between commit and enqueue | `live::outbox`, [`kills`] |
//! | worker killed inside a job, 100 times | [`kills`], `runtime::kills`, queue `leases` |
//! | worker killed inside an action of an automation | [`automations`], `automations::engine::{killed, recovery}` |
//! | worker killed while it makes sessions, samples and reports | [`history`], `history::reports` |
//! | worker killed between two databases | [`history`], `public_stats::rollups` |
//! | worker killed while it sums samples up | [`public_stats`], `public_stats::rollups` |
//! | API, runtime and daemon that count usage killed | `usage::killed` |
//! | daemon killed while it adds or sends deliveries of outbound webhooks | `webhooks::killed` |
//! | export of an account that no worker ends, that fails in each run, or whose rows are locked | `archives::retention::sweep_archives_removes_what_is_over_and_gives_up_what_does_not_end`, `archives::operations::export_account_refuses_malformed_keys_and_too_many_archives` |
//! | import of an account that ends in the middle | `archives::round_trip::import_account_refuses_an_archive_that_was_changed_and_leaves_nothing` |
//! | crawler killed with claims on channels, or in a directory | [`crawler`], `public_stats::crawler::killed` |
//! | worker killed with a connection to OBS, a socket of tips, polls of players, or an import of a playlist | `integrations::obs::remote`, `integrations::tips::sockets`, `integrations::music::polls`, `integrations::playlists` (each `…_of_a_killed_copy_…`) |
//! | OBS, Spotify and StreamElements silent, slow, cut or away | `integrations::obs::remote`, `integrations::music::polls`, `integrations::tips::sockets`, `rewards::redemptions` (Twitch) |
//! | connection of an overlay's page cut | `pages::connection`, `overlays::live` |
//! | poison jobs and handlers | queue `poison`, `runtime::fairness`, `runtime::limits`, sandbox `limits` |
//! | API killed and frozen with requests that have an `Idempotency-Key` | [`idempotency`] |
//! | attempts, idempotency keys, schedules | queue `attempts`, `delivery`, `schedules` |
//! | rolling restart under load | [`rolling`], queue `shutdown` |
//! | right, key, token revoked | `realtime::revocation`, `rbac::processes`, `identity::rules_of_credentials` |
//! | client cut while it resumes | `realtime::resume` |
//!
//! Malformed and hostile input:
//!
//! | Bad input | Tests |
//! |---|---|
//! | webhooks forged, stale, replayed, truncated | `live::webhooks_*::receive_*_webhook_refuses_unverifiable_deliveries`, `live::webhooks_twitch::receive_twitch_webhook_stores_a_repeated_delivery_once`, `corpora` (bodies behind the signature) |
//! | frames of every wrong kind | `realtime::frames`, `realtime::limits`, `corpora`, the decoder's own |
//! | handlers that return wrong types or megabytes, never settle, flood the log, recurse, allocate, spin | `runtime::hostile` (all at once, with a neighbour), `runtime::limits`, sandbox `limits::{results, memory, time, operations}` |
//! | handlers that request internal addresses in every spelling | `runtime::reach`, the worker's `egress::{address, allow_list, resolver, tests}` |
//! | patterns that explode | `runtime::built_in::built_in_word_filter_matches_explosive_patterns_in_time`, `corpora`, sandbox `limits::time` |
//! | layers of overlays that reach for everything, flood, navigate or fail | `pages::sandbox`, `pages::drawing` |
//! | uploads and sounds that lie about type, length or size, or are cut off | `media::uploads`, `media::sounds`, `extensions::uploads`, the tests of `media::files` and `foundation::images`, `corpora` |
//! | archives and manifests of extensions with false contents | `corpora`, the tests of `extension_bundle` |
//! | archives of accounts that were changed, or made to harm others; an altered audit log | `archives::hostile`, `archives::round_trip`, `archives::secrets`, `archives::audit`, `corpora` |
//! | cursors, idempotency keys and trace headers that are altered or made up | `corpora`, the tests of `api_core` and `trace_context` |
//!
//! With `LUMIO_TEST_SLOW=1`, as `scripts/test` sets it, PostgreSQL is frozen for half a minute and workers are killed a
//! hundred times; without it both last only as long as their effect takes.

mod automations;
mod cluster;
mod crawler;
mod history;
mod idempotency;
mod kills;
mod network;
mod pooler;
mod postgres;
mod public_stats;
mod redis;
mod replica;
mod rolling;
mod stores;
mod streams;
mod timeseries;

use std::time::{Duration, Instant};

use lumio_tests::{Answer, DEADLINE, Person, TestApp, eventually, eventually_none, is_slow};
use platforms_stand_in::{DeliveryOptions, Platform, User, twitch};

use lumio_tests::world::connect;

/// Shortest time for which PostgreSQL is frozen.
fn outage() -> Duration {
    if is_slow() { Duration::from_secs(30) } else { Duration::from_secs(3) }
}

/// An account with a Twitch channel, and a viewer who writes there.
struct Channel {
    owner: Person,
    streamer: User,
    viewer: User,
}

impl Channel {
    async fn open(app: &TestApp) -> Self {
        let owner = app.owner().await;
        let name = |role: &str| format!("{role}{}", &owner.account_id.simple().to_string()[20..]);
        let streamer = connect(app, owner.account_id, Platform::Twitch, &name("s")).await;
        let viewer = app.platforms.create_user(Platform::Twitch, &name("v")).0;
        Self { owner, streamer, viewer }
    }

    fn line(&self, text: &str) -> twitch::Event {
        twitch::Event::chat_message(&self.streamer, &self.viewer, text)
    }

    /// Delivers a line; returns the number of deliveries that it took.
    async fn say(&self, app: &TestApp, text: &str) -> usize {
        deliver(app, &self.line(text)).await
    }
}

/// Delivers an event until it is accepted, as the platform does; returns the number of deliveries that it took.
async fn deliver(app: &TestApp, event: &twitch::Event) -> usize {
    deliver_with(app, event, &DeliveryOptions::default()).await
}

/// The same with other options.
async fn deliver_with(app: &TestApp, event: &twitch::Event, options: &DeliveryOptions) -> usize {
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let began = Instant::now();
    for deliveries in 1.. {
        let delivery =
            app.platforms.deliver_twitch_to(&callback, "stand-in-eventsub-secret", event, options).await;
        if delivery.statuses() == [Some(200)] {
            return deliveries;
        }
        assert!(began.elapsed() < DEADLINE, "it is never accepted: {delivery:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    unreachable!("it is accepted or the deadline passes")
}

/// Asserts the response to a request while the database is away.
#[track_caller]
fn is_database_error(answer: &Answer) {
    answer.expect(500);
    answer.refused("DATABASE_ERROR", "Internal database error");
}

/// Status of the whole and of one service, as the health endpoint reports them.
async fn health(app: &TestApp, service: &str) -> (String, String) {
    let answer = app.anonymous().get("/v1/health").await;
    let data = answer.data();
    let text = |value: &serde_json::Value| value.as_str().expect("a status").to_owned();
    (text(&data["status"]), text(&data["services"][service]["status"]))
}
