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
    assert_eq!(json.as_array().unwrap().len(), lines.len());
    assert!(!printed.stdout.contains("hunter2"));
}
