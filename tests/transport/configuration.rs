//! Mistakes in the environment as an operator sees them: the programs alone, with only these variables.

use std::collections::BTreeMap;

use lumio_tests::run;
use serde_json::Value;

fn variables(given: &[(&str, &str)]) -> BTreeMap<String, String> {
    given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn configuration_mistakes_are_reported_by_name_without_values() {
    for (given, expected) in [
        (&[("DATABASE_URL", "mysql://u:hunter2@db/x")][..], "DATABASE_URL must be postgres://"),
        (&[("LUMIO_TIMESCALEDB_URL", "hunter2")], "LUMIO_TIMESCALEDB_URL must be postgres://"),
        (&[("REDIS_URL", "localhost:6379")], "REDIS_URL must be redis://"),
        (&[("LUMIO_PUBLIC_URL", "lumio.example")], "LUMIO_PUBLIC_URL must be a URL such as http://"),
        (
            &[("LUMIO_TWITCH_CLIENT_ID", "hunter2")],
            "LUMIO_TWITCH_CLIENT_SECRET must be set beside LUMIO_TWITCH_CLIENT_ID",
        ),
        (&[("LUMIO_ENV", "production")], "LUMIO_PUBLIC_URL must be set outside development"),
        (
            &[("LUMIO_ENV", "staging"), ("LUMIO_PUBLIC_URL", "http://localhost:8080")],
            "LUMIO_PUBLIC_URL must be set outside development",
        ),
    ] {
        for (program, arguments) in [("lumio-api", &["config"][..]), ("lumio-worker", &["all"])] {
            let ended = run(program, arguments, &variables(given)).await;
            assert_eq!(ended.code, Some(78), "{given:?}: {ended:?}");
            let named = |line: &str| line.starts_with(&format!("{program}: {expected}"));
            assert!(ended.stderr.lines().any(named), "{given:?}: {}", ended.stderr);
            assert!(ended.stdout.is_empty() && !ended.stderr.contains("hunter2"), "{ended:?}");
        }
    }
}

#[tokio::test]
async fn configuration_is_printed_with_one_variable_a_line() {
    let given = variables(&[
        ("LUMIO_HTTP_BIND", "127.0.0.1:9"),
        ("LUMIO_HTPP_BIND", "127.0.0.1:9"),
        ("DATABASE_URL", "postgres://lumio:hunter2@db/lumio"),
        ("LUMIO_SYSTEM_KEY", "hunter2"),
    ]);
    let printed = run("lumio-api", &["config"], &given).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(!printed.stdout.contains("hunter2"), "{}", printed.stdout);
    let lines: Vec<&str> = printed.stdout.lines().collect();
    for line in [
        "LUMIO_HTTP_BIND=127.0.0.1:9  # environment",
        "LUMIO_METRICS_BIND=127.0.0.1:9100  # default",
        "DATABASE_URL=postgres://lumio:***@db/lumio  # environment",
        "LUMIO_SYSTEM_KEY=***  # environment",
    ] {
        assert!(lines.contains(&line), "{line}: {lines:#?}");
    }
    let example = include_str!("../../.env.example");
    let names = example.lines().filter_map(|line| line.strip_prefix("# ")?.split_once('='));
    let is_name =
        |name: &str| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    for (name, _) in names.filter(|(name, _)| is_name(name) && *name != "POSTGRES_PASSWORD") {
        let of_name = lines.iter().filter(|line| line.starts_with(&format!("{name}="))).count();
        assert_eq!(of_name, 1, "{name}: {lines:#?}");
    }
    let warning =
        "lumio-api: LUMIO_HTPP_BIND is not a variable of Lumio and is ignored; did you mean LUMIO_HTTP_BIND?";
    assert_eq!(printed.stderr.lines().collect::<Vec<_>>(), [warning]);

    let printed = run("lumio-api", &["config", "--json"], &given).await;
    let json: Value = serde_json::from_str(&printed.stdout).unwrap();
    let bind =
        json.as_array().unwrap().iter().find(|variable| variable["name"] == "LUMIO_HTTP_BIND").unwrap();
    assert_eq!((&bind["value"], &bind["source"]), (&"127.0.0.1:9".into(), &"environment".into()));
    assert_eq!(bind["default"], "127.0.0.1:8080");
    assert_eq!(bind["description"], "Address on which the API serves.");
    assert_eq!(json.as_array().unwrap().len(), lines.len());
    assert!(!printed.stdout.contains("hunter2"));
}

#[tokio::test]
async fn configuration_file_gets_secrets_once_and_is_read_by_every_program() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, password) = (path("lumio.env"), path("password"));
    let arguments = ["init-env", "--file", &file, "--database-password-file", &password];
    let given = variables(&[("LUMIO_JWT_SECRET", "given by 'hand', and long enough")]);
    let made = run("lumio-api", &arguments, &given).await;
    let names =
        "LUMIO_ENCRYPTION_KEYS, LUMIO_AUDIT_KEYS, LUMIO_JWT_SECRET, LUMIO_TWITCH_EVENTSUB_SECRET, PGPASSWORD";
    assert_eq!((made.code, made.stdout), (Some(0), format!("{file} holds new values of {names}\n")));
    let text = std::fs::read_to_string(&file).unwrap();
    let kept = std::fs::read_to_string(&password).unwrap();
    assert!(text.contains(&format!("PGPASSWORD={kept}\n")) && kept.len() == 64, "{text}");
    assert!(text.contains("given by 'hand', and long enough"), "{text}");
    for path in [&file, &password] {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }

    let again = run("lumio-api", &arguments, &variables(&[])).await;
    assert_eq!(again.stdout.trim(), format!("{file} holds every secret"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let without_one: String =
        text.lines().filter(|line| !line.starts_with("PGPASSWORD")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, format!("# a comment\nLUMIO_LOG=warn\n{without_one}")).unwrap();
    let partly = run("lumio-api", &arguments, &variables(&[("PGPASSWORD", "p w")])).await;
    assert_eq!(partly.stdout.trim(), format!("{file} holds new values of PGPASSWORD"));
    assert_eq!(std::fs::read_to_string(&password).unwrap(), "p w");
    let extended = std::fs::read_to_string(&file).unwrap();
    assert_eq!(extended, format!("# a comment\nLUMIO_LOG=warn\n{without_one}PGPASSWORD='p w'\n"));

    let deployed = variables(&[
        ("LUMIO_ENV", "production"),
        ("LUMIO_PUBLIC_URL", "https://api.lumio.example"),
        ("DATABASE_URL", "postgres://lumio@127.0.0.1:1/lumio"),
        ("LUMIO_CONFIG_FILE", &file),
    ]);
    let printed = run("lumio-api", &["config"], &deployed).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    for line in ["LUMIO_LOG=warn  # file", "LUMIO_JWT_SECRET=***  # file", "PGPASSWORD=***  # file"] {
        assert!(printed.stdout.lines().any(|other| other == line), "{line}: {}", printed.stdout);
    }
    std::fs::write(&file, "hunter2").unwrap();
    let expected = "LUMIO_CONFIG_FILE names a file whose line 1 is not NAME=value";
    for (program, arguments) in [("lumio-api", &["config"][..]), ("lumio-worker", &["all"])] {
        let ended = run(program, arguments, &deployed).await;
        assert_eq!(ended.code, Some(78), "{ended:?}");
        assert!(ended.stderr.contains(&format!("{program}: {expected}")), "{}", ended.stderr);
    }
    let refused = run("lumio-api", &arguments, &variables(&[])).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(!refused.stderr.contains("hunter2") && refused.stderr.contains("line 1"), "{}", refused.stderr);
}
