use super::*;

fn found(app: AppKind, client_id: &str) -> Found {
    Found { source: CredentialSource::System, app, client_id: client_id.into(), client_secret: None }
}

fn chosen(platform: Platform, purpose: AppKind, apps: &[AppKind]) -> Option<AppKind> {
    let candidates = apps.iter().map(|app| found(*app, "id")).collect();
    first_fitting(platform, purpose, candidates).map(|found| found.app)
}

#[test]
fn applications_of_bots_fall_back_to_that_of_channels() {
    use AppKind::{Bot, Channel, Login};
    for platform in [Platform::Twitch, Platform::Kick, Platform::Trovo] {
        assert_eq!(chosen(platform, Bot, &[Channel, Bot]), Some(Bot), "{platform}");
        assert_eq!(chosen(platform, Bot, &[Login, Channel]), Some(Channel), "{platform}");
    }
    assert_eq!(chosen(Platform::Youtube, Bot, &[Channel, Login]), None);
}

#[test]
fn applications_of_twitch_channels_alone_fall_back_to_login() {
    use AppKind::{Bot, Channel, Login};
    assert_eq!(chosen(Platform::Twitch, Channel, &[Login, Bot]), Some(Login));
    assert_eq!(chosen(Platform::Twitch, Bot, &[Login]), Some(Login));
    for platform in [Platform::Kick, Platform::Trovo, Platform::Youtube, Platform::Spotify] {
        assert_eq!(chosen(platform, Channel, &[Login, Bot]), None, "{platform}");
    }
}

#[test]
fn applications_entered_by_staff_precede_the_configuration() {
    let candidates = vec![found(AppKind::Login, "entered"), found(AppKind::Login, "configured")];
    let first = first_fitting(Platform::Kick, AppKind::Login, candidates);
    assert_eq!(first.map(|found| found.client_id).as_deref(), Some("entered"));
}

fn pin(app: AppKind, client_id: &str) -> Pin {
    let (platform, source) = (Platform::Twitch, CredentialSource::System);
    Pin { platform, account: None, source, app, client_id: Some(client_id.into()) }
}

fn with_secret(app: AppKind, client_id: &str, secret: &str) -> Found {
    Found { client_secret: Some(Secret::new(secret)), ..found(app, client_id) }
}

#[test]
fn applications_of_one_client_id_use_the_first_readable_secret() {
    use AppKind::{Bot, Channel, Login};
    let candidates =
        vec![found(Bot, "app"), with_secret(Channel, "app", "new"), with_secret(Login, "app", "old")];
    match pinned_among(candidates, &pin(Login, "app")) {
        Pinned::Application(app) => assert_eq!(app.client_secret.expose(), "new"),
        other => panic!("{other:?}"),
    }
    let sealed = vec![found(Login, "app")];
    assert!(matches!(pinned_among(sealed, &pin(Login, "app")), Pinned::Undecryptable));
}

#[test]
fn applications_that_are_pinned_are_gone_if_replaced_and_absent_if_missing() {
    use AppKind::{Channel, Login};
    let gone = pinned_among(vec![with_secret(Login, "other", "s")], &pin(Login, "app"));
    assert!(matches!(gone, Pinned::Gone));
    for candidates in [vec![], vec![with_secret(Channel, "other", "s")]] {
        assert!(matches!(pinned_among(candidates, &pin(Login, "app")), Pinned::Absent));
    }
}

#[test]
fn client_id_hint_shows_four_characters_and_never_all() {
    assert_eq!(client_id_hint("abcdefgh"), "efgh");
    assert_eq!(client_id_hint("äöüßé"), "öüßé");
    assert_eq!(client_id_hint("abcd"), "");
}
