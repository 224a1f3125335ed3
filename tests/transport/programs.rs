//! The commands of the console as programs of their own.

use std::{collections::BTreeMap, process::Stdio};

use lumio_tests::{TestApp, TestDatabase, command, run};

#[tokio::test]
async fn programs_do_not_fail_when_their_reader_closes() {
    let app = TestApp::start().await;
    for arguments in [&["admin", "jobs", "list"][..], &["config"], &["openapi"]] {
        let mut command = command("lumio-api", arguments, &app.variables());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // As `head` does: the pipe is no longer read.
        drop(child.stdout.take());
        let ended = tokio::task::spawn_blocking(move || child.wait_with_output()).await.unwrap().unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success() && !stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
}

#[tokio::test]
async fn programs_migrate_and_name_what_ran() {
    let (app, empty) = (TestApp::start().await, TestDatabase::empty().await);
    let mut variables = app.variables();
    variables.insert("DATABASE_URL".into(), empty.url.clone());
    let first = run("lumio-api", &["migrate"], &variables).await;
    assert_eq!(first.code, Some(0), "{first:?}");
    let folders = |set: &str, store: &str| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(set);
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let mut names: Vec<String> = entries
            .filter(|entry| entry.path().is_dir())
            .map(|entry| format!("{store}: {}", entry.file_name().into_string().unwrap()))
            .collect();
        names.sort();
        names
    };
    let expected = [folders("postgres", "postgres"), folders("timeseries", "timescaledb")].concat();
    assert_eq!(first.stdout.lines().collect::<Vec<_>>(), expected);
    let second = run("lumio-api", &["migrate"], &variables).await;
    assert_eq!(second.stdout, "nothing to do: both schemas are those of this version\n");
}

#[tokio::test]
async fn programs_describe_every_option() {
    let nothing = BTreeMap::new();
    let help = async |arguments: &[&str]| run("lumio-api", arguments, &nothing).await.stdout;
    for (name, options) in [
        ("create-user", &["--display-name", "--username", "--email", "--account"][..]),
        ("create-system-key", &["--label", "--file"]),
        ("grant-admin", &["--user", "--role"]),
        ("issue-session", &["--user", "--account", "--lifetime-seconds"]),
        ("create-developer", &["--user", "--display-name", "--verified"]),
        ("record-payment", &["--extension", "--reference", "--amount", "--paid-at"]),
        (
            "connect-channel",
            &["--account", "--platform", "--channel-id", "--channel-name", "--access-token-stdin"],
        ),
        (
            "simulate",
            &["--account", "--scenario", "--event-type", "--platform", "--seed", "--rate", "--seconds"],
        ),
    ] {
        let text = help(&["admin", name, "--help"]).await;
        for option in options {
            let mut lines = text.lines().map(str::trim);
            let line = lines.find(|line| line.split([' ', '=']).next() == Some(*option)).unwrap_or_default();
            // The text follows the option, or is below it where one is long.
            let behind = line.split_once("  ").map(|(_, text)| text.trim().to_owned());
            let text = behind.or_else(|| lines.next().map(str::to_owned)).unwrap_or_default();
            assert!(text.len() > 5 && !text.starts_with('-'), "{name} {option}: {text:?}");
        }
    }
    let platforms = "[possible values: twitch, youtube, kick, trovo, spotify, discord]";
    for command in ["connect-channel", "simulate"] {
        assert!(help(&["admin", command, "--help"]).await.contains(platforms), "{command}");
    }
}

#[tokio::test]
async fn programs_write_a_system_key_to_a_file_until_it_is_accepted() {
    let app = TestApp::start().await;
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("workers");
    let write = async || {
        let arguments =
            ["admin", "create-system-key", "--label", "workers", "--file", file.to_str().unwrap()];
        let ended = run("lumio-api", &arguments, &app.variables()).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let key = std::fs::read_to_string(&file).unwrap();
        assert!(
            !ended.stdout.contains(key.trim()) && !ended.stderr.contains(key.trim()),
            "it is not printed"
        );
        key
    };
    let first = write().await;
    assert_eq!(write().await, first, "the API accepts it");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    std::fs::write(&file, "lm_sys_of_another_database\n").unwrap();
    let second = write().await;
    assert!(second.starts_with("lm_sys_") && second != first);
    app.bearer(second.trim()).get("/v1/internal/bot-modules/handlers").await.expect(200);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    assert_eq!(app.audited("system_key:created").await.len(), 2);
}

#[tokio::test]
async fn programs_report_readiness_of_the_process_beside_them() {
    let app = TestApp::start().await;
    let mut variables = app.variables();
    let metrics = app.metrics_url().replace("http://", "");
    variables.insert("LUMIO_METRICS_BIND".into(), metrics.clone());
    variables.insert("LUMIO_WORKER_METRICS_BIND".into(), metrics);
    app.ready().await;
    for program in ["lumio-api", "lumio-worker"] {
        let ended = run(program, &["health"], &variables).await;
        assert_eq!((ended.code, ended.stdout.contains(r#""status":"ready""#)), (Some(0), true), "{ended:?}");
    }
    app.state.readiness.drain();
    let ended = run("lumio-api", &["health"], &variables).await;
    assert!(ended.code == Some(1) && ended.stderr.contains("draining"), "{ended:?}");
    let unused_address = lumio_tests::free_address().to_string();
    variables.insert("LUMIO_METRICS_BIND".into(), unused_address.clone());
    let ended = run("lumio-api", &["health"], &variables).await;
    assert!(
        ended.code == Some(1) && ended.stderr.contains(&format!("{unused_address}/ready does not answer")),
        "{ended:?}"
    );
}

#[tokio::test]
async fn programs_name_the_role_that_grant_admin_gave() {
    let app = TestApp::start().await;
    let user = app.owner().await.user_id.to_string();
    for (role, name) in [(&[][..], "System Admin"), (&["--role", "System Admin"], "System Admin")] {
        let arguments = [&["admin", "grant-admin", "--user", &user], role].concat();
        let granted = run("lumio-api", &arguments, &app.variables()).await;
        assert_eq!((granted.code, granted.stdout), (Some(0), format!("{user} has the role {name}\n")));
    }
}
