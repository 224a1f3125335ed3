//! `compose.yaml`: its services fit together and the programs accept its settings.

use std::collections::{BTreeMap, BTreeSet};

use clap::Parser;
use lumio_api::cli::Cli;
use serde_json::{Map, Value, json};
use shared::config::Settings;

const SERVICES: [&str; 6] = ["postgres", "redis", "migrate", "system-key", "api", "worker"];
const OURS: [&str; 4] = ["migrate", "system-key", "api", "worker"];

struct Compose(Value);

impl Compose {
    fn read() -> Self {
        let text = include_str!("../../compose.yaml");
        let lines =
            text.lines().filter(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty());
        let mut lines: Vec<&str> = lines.rev().collect();
        Self(mapping(&mut lines, 0, &mut BTreeMap::new()))
    }

    fn service(&self, name: &str) -> &Value {
        &self.0["services"][name]
    }

    /// Variables of a service, with those of `.env` filled in.
    fn environment(&self, service: &str, dotenv: &BTreeMap<&str, &str>) -> BTreeMap<String, String> {
        let of_file = dotenv.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let own = self.service(service)["environment"].as_object().expect("variables").iter();
        let own = own.map(|(name, value)| (name.clone(), interpolated(text(value), dotenv)));
        of_file.chain(own).collect()
    }
}

/// Parses a block of keys from the last of the lines on: the subset of YAML that the file uses.
fn mapping(lines: &mut Vec<&str>, indent: usize, anchors: &mut BTreeMap<String, Value>) -> Value {
    let (mut merged, mut own) = (Map::new(), Map::new());
    while let Some(line) = lines.last().copied()
        && indent_of(line) == indent
    {
        lines.pop();
        let (key, rest) = line.trim().split_once(':').unwrap_or_else(|| panic!("no key: {line}"));
        let mut rest = rest.trim();
        let mut anchor = rest.strip_prefix('&');
        if let Some((name, after)) = anchor.and_then(|named| named.split_once(' ')) {
            (anchor, rest) = (Some(name), after);
        }
        let has_block = rest.is_empty() || anchor == rest.strip_prefix('&') && anchor.is_some();
        let value = match lines.last().map(|next| indent_of(next)) {
            Some(deeper) if has_block && deeper > indent => mapping(lines, deeper, anchors),
            _ => scalar(rest, anchors),
        };
        if let Some(name) = anchor {
            anchors.insert(name.to_owned(), value.clone());
        }
        match (key, value) {
            ("<<", Value::Object(base)) => merged.extend(base),
            (key, value) => {
                own.insert(key.to_owned(), value);
            }
        }
    }
    merged.extend(own);
    Value::Object(merged)
}

fn scalar(text: &str, anchors: &BTreeMap<String, Value>) -> Value {
    if let Some(name) = text.strip_prefix('*') {
        return anchors.get(name).cloned().unwrap_or_else(|| panic!("no anchor {name}"));
    }
    if let Some(list) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return list.split(',').map(|item| scalar(item.trim(), anchors)).collect();
    }
    if let Some(pairs) = text.strip_prefix("{ ").and_then(|text| text.strip_suffix(" }")) {
        let (key, value) = pairs.split_once(": ").expect("one pair");
        return json!({ key: scalar(value, anchors) });
    }
    Value::from(text.trim_matches('"'))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}")).iter().map(text).collect()
}

/// `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, a text with one of them at most.
fn interpolated(template: &str, variables: &BTreeMap<&str, &str>) -> String {
    let Some((before, rest)) = template.split_once("${") else { return template.to_owned() };
    let (expression, after) = rest.split_once('}').expect("an end");
    let (name, otherwise) = expression.split_once(':').unwrap_or((expression, "-"));
    let value = match (variables.get(name), otherwise.strip_prefix('-')) {
        (Some(value), _) => *value,
        (None, Some(default)) => default,
        (None, None) => panic!("{name} is asked for: {otherwise}"),
    };
    format!("{before}{value}{after}")
}

#[test]
fn deployment_builds_one_image_for_every_service() {
    let compose = Compose::read();
    let services: BTreeSet<&str> =
        compose.0["services"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(services, BTreeSet::from(SERVICES));
    for name in OURS {
        assert_eq!(text(&compose.service(name)["image"]), "lumio");
    }
    let built: Vec<&str> =
        SERVICES.into_iter().filter(|name| !compose.service(name)["build"].is_null()).collect();
    assert_eq!(built, ["migrate"]);
    assert_eq!(text(&compose.service("migrate")["build"]["args"]["LUMIO_COMMIT"]), "${LUMIO_COMMIT:-}");
    assert_eq!(texts(&compose.service("worker")["command"]), ["lumio-worker", "all"]);
}

#[test]
fn deployment_probes_services_and_gives_them_time_to_drain() {
    let compose = Compose::read();
    for (name, probe) in [("api", "lumio-api"), ("worker", "lumio-worker")] {
        let service = compose.service(name);
        assert_eq!(texts(&service["healthcheck"]["test"]), ["CMD", probe, "health"]);
        let grace: u64 = text(&service["stop_grace_period"]).trim_end_matches('s').parse().unwrap();
        assert!(grace > lumio_worker::DRAIN_TIMEOUT.as_secs(), "{name}");
    }
    for name in ["migrate", "system-key"] {
        assert_eq!(compose.service(name)["healthcheck"]["disable"], "true", "{name} ends");
    }
}

#[test]
fn deployment_variables_are_accepted_whatever_the_password() {
    let compose = Compose::read();
    let password = "p/w@h:x?#%&'";
    let dotenv = BTreeMap::from([
        ("POSTGRES_PASSWORD", password),
        ("LUMIO_PUBLIC_URL", "https://api.lumio.example"),
        ("LUMIO_JWT_SECRET", "a signing secret of a test that is long enough"),
        ("LUMIO_ENCRYPTION_KEYS", "k1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="),
        // Of an older installation, which created it by hand.
        ("LUMIO_SYSTEM_KEY", "lm_sys_old"),
    ]);
    for name in OURS {
        let settings = Settings::from_variables(compose.environment(name, &dotenv));
        let config = settings.config.unwrap_or_else(|mistakes| panic!("{name}: {mistakes:?}"));
        assert!(settings.warnings.is_empty(), "{name}: {:?}", settings.warnings);
        let database: tokio_postgres::Config = config.databases.postgres.expose().parse().unwrap();
        assert_eq!(database.get_password(), Some(password.as_bytes()));
        let command = texts(&compose.service(name)["command"]);
        if command[0] == "lumio-api" {
            Cli::try_parse_from(command).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    for name in ["POSTGRES_PASSWORD", "LUMIO_PUBLIC_URL"] {
        let asked = format!("${{{name}:?");
        assert!(include_str!("../../compose.yaml").contains(&asked), "{name} is asked for");
    }
}

#[test]
fn deployment_shares_the_system_key_file_with_the_workers() {
    let compose = Compose::read();
    let command = texts(&compose.service("system-key")["command"]);
    let file = command.last().copied().unwrap();
    assert_eq!(command[..3], ["lumio-api", "admin", "create-system-key"]);
    assert_eq!(text(&compose.service("worker")["environment"]["LUMIO_SYSTEM_KEY_FILE"]), file);
    let folder = file.rsplit_once('/').unwrap().0;
    let mounts = |name: &str| texts(&compose.service(name)["volumes"]).contains(&&*format!("keys:{folder}"));
    assert!(mounts("system-key"));
    let read_only = format!("keys:{folder}:ro");
    assert!(texts(&compose.service("worker")["volumes"]).contains(&&*read_only));
    assert!(
        include_str!("../../Dockerfile").contains(folder),
        "the image has the folder, so that it is ours"
    );
    let waits_for =
        |name: &str, other: &str| text(&compose.service(name)["depends_on"][other]["condition"]).to_owned();
    assert_eq!(waits_for("worker", "system-key"), "service_completed_successfully");
    assert_eq!(waits_for("system-key", "migrate"), "service_completed_successfully");
    assert_eq!(waits_for("api", "migrate"), "service_completed_successfully");
}
