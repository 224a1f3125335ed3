//! Many processes at once, against a platform that rotates, revokes and fails
//! (reference/connections.md#concurrency-of-refreshes).

use platform_access::PlatformAccess as _;
use std::time::Duration;

use chrono::TimeDelta;
use lumio_tests::TestApp;
use platform_credentials::tokens::{Holder, Outcome, Tokens};
use platforms::PlatformError;
use platforms_stand_in::{Failure, Platform, Rotation};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use shared::connection::OAuthApp;
use shared::secret::Secret;

use lumio_tests::world::count;

use super::world::{another_process, asked_refreshes, channel, granted, granted_refreshes, notified, stored};

const PLATFORMS: [Platform; 4] = [Platform::Twitch, Platform::Kick, Platform::Youtube, Platform::Spotify];
const PROCESSES: usize = 4;
const ACCOUNTS: usize = 2;
const ROUNDS: usize = 4;
const SEEDS: [u64; 3] = [1, 20_261_121, 0xdead_beef];

/// A connection, and true when its user has revoked the application's authorisation.
struct Watched {
    holder: Holder,
    platform: Platform,
    owner: uuid::Uuid,
    is_revoked: bool,
}

/// In any order of events: no grant is lost, no refresh token is accepted twice (a guarded one would take the whole
/// grant with it), every refresh that a platform granted is stored, and every dead grant is flagged once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contention_loses_no_grant_and_refreshes_none_twice() {
    for seed in SEEDS {
        println!("seed {seed}");
        play(StdRng::seed_from_u64(seed)).await;
    }
}

/// Premise of the other test: without one refresh at a time it would fail.
#[tokio::test]
async fn contention_check_relies_on_a_stand_in_that_revokes_reused_tokens() {
    let app = TestApp::start().await;
    app.platforms.set_rotation(Platform::Twitch, Rotation::Guarded);
    let (created, own) = (granted(&app, Platform::Twitch, "streamer"), app.platforms.app(Platform::Twitch));
    let own = OAuthApp { client_id: own.client_id, client_secret: Secret::new(own.client_secret) };
    let client = app.state.platforms().client(shared::platform::Platform::Twitch);
    let token = Secret::new(created.refresh_token);
    let fresh = client.refresh(&own, &token).await.unwrap();
    assert!(app.platforms.is_live(Platform::Twitch, fresh.access_token.expose()));
    assert!(matches!(client.refresh(&own, &token).await, Err(PlatformError::InvalidGrant { .. })));
    assert!(!app.platforms.is_live(Platform::Twitch, fresh.access_token.expose()));
    app.stop().await;
}

async fn play(mut dice: StdRng) {
    let app = TestApp::start().await;
    for platform in PLATFORMS {
        let rotation = *[Rotation::Guarded, Rotation::Guarded, Rotation::Silent].choose(&mut dice).unwrap();
        app.platforms.set_rotation(platform, rotation);
    }
    let config = app.config();
    let processes: Vec<Tokens> = (0..PROCESSES).map(|_| another_process(&app, &config)).collect();
    let mut watched = Vec::new();
    for _ in 0..ACCOUNTS {
        let owner = app.owner().await;
        for platform in PLATFORMS {
            let holder = channel(&app, &owner, platform, TimeDelta::minutes(1)).await;
            watched.push(Watched { holder, platform, owner: owner.user_id, is_revoked: false });
        }
    }
    for _ in 0..ROUNDS {
        disturb(&app, &mut watched, &mut dice).await;
        scramble(&processes, &watched, &app, &mut dice).await;
        settle(&app, &processes).await;
        inspect(&app, &watched).await;
        // Every token is due again.
        app.clock.advance(TimeDelta::days(8));
    }
    let stored_refreshes = total_versions(&app, &watched).await;
    let granted: usize = PLATFORMS.iter().map(|platform| granted_refreshes(&app, *platform)).sum();
    assert_eq!(
        stored_refreshes,
        i64::try_from(granted).unwrap(),
        "every granted refresh is stored, and only those"
    );
    let asked: usize = PLATFORMS.iter().map(|platform| asked_refreshes(&app, *platform)).sum();
    let revoked = watched.iter().filter(|watched| watched.is_revoked).count();
    assert_eq!(asked - granted, revoked, "a dead grant is presented once");
    app.stop().await;
}

/// Revokes some authorisations and plans failures of some calls.
async fn disturb(app: &TestApp, watched: &mut [Watched], dice: &mut StdRng) {
    if dice.random_bool(0.7) {
        let unlucky = dice.random_range(0..watched.len());
        let watched = &mut watched[unlucky];
        let refresh_token = stored(app, watched.holder).await.refresh.unwrap();
        app.platforms.revoke_authorisation(watched.platform, &refresh_token);
        watched.is_revoked = true;
    }
    for platform in PLATFORMS {
        for _ in 0..dice.random_range(0..3) {
            let failure = match dice.random_range(0..4) {
                0 => Failure::ServerError,
                1 => Failure::Reset,
                2 => Failure::RateLimited { retry_after: Duration::from_secs(dice.random_range(1..60)) },
                _ => Failure::Slow(Duration::from_millis(dice.random_range(20..150))),
            };
            app.platforms.fail_next_at(platform, "/token", failure);
        }
    }
}

/// Refreshes every token in every process at about the same time, as daemons and callers do.
async fn scramble(processes: &[Tokens], watched: &[Watched], app: &TestApp, dice: &mut StdRng) {
    let mut tasks = Vec::new();
    for watched in watched {
        let (holder, version) = (watched.holder, stored(app, watched.holder).await.version);
        for tokens in processes {
            let (tokens, wait) = (tokens.clone(), Duration::from_millis(dice.random_range(0..40)));
            let as_caller = dice.random_bool(0.3);
            tasks.push(tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                if as_caller {
                    // Tokens are checked afterwards.
                    drop(tokens.access(holder).await);
                } else {
                    tokens.refresh(holder, version).await.unwrap();
                }
            }));
        }
    }
    for task in tasks {
        task.await.unwrap();
    }
}

/// Runs the processes until nothing is due, through every pause after a failure.
async fn settle(app: &TestApp, processes: &[Tokens]) {
    for round in 0..40 {
        let tokens = &processes[round % processes.len()];
        for due in tokens.due(100).await.unwrap() {
            let outcome = tokens.refresh(due.holder, due.version).await.unwrap();
            assert_ne!(outcome, Outcome::Busy, "nobody else is at it");
        }
        let waiting = count(app, "token_refreshes WHERE retry_at IS NOT NULL").await;
        if waiting == 0 && tokens.due(100).await.unwrap().is_empty() {
            return;
        }
        app.clock.advance(TimeDelta::minutes(1));
    }
    panic!("something is due without end");
}

async fn inspect(app: &TestApp, watched: &[Watched]) {
    for Watched { holder, platform, owner, is_revoked } in watched {
        let now = stored(app, *holder).await;
        assert_eq!(now.flagged, *is_revoked, "{platform} {now:?}");
        if *is_revoked {
            assert!(!notified(app, *owner).await.is_empty());
            continue;
        }
        assert!(app.platforms.is_live(*platform, &now.access), "{platform}: the stored access token is dead");
        let refresh_token = now.refresh.as_deref().unwrap();
        assert!(
            app.platforms.is_live(*platform, refresh_token),
            "{platform}: the stored refresh token is dead"
        );
        assert!(now.expires_at.unwrap() > app.clock.now(), "{platform} {now:?}");
    }
    let revoked = watched.iter().filter(|watched| watched.is_revoked).count();
    assert_eq!(app.audited("connection:flagged").await.len(), revoked);
    assert_eq!(count(app, "notifications").await, i64::try_from(revoked).unwrap());
    assert_eq!(count(app, "mails").await, i64::try_from(revoked).unwrap());
}

async fn total_versions(app: &TestApp, watched: &[Watched]) -> i64 {
    let mut total = 0;
    for watched in watched {
        total += stored(app, watched.holder).await.version;
    }
    total
}
