//! Accepted and refused variables, and a comparison of the documents with the variables that exist.

use super::*;

fn read(variables: &[(&str, &str)]) -> Result<Config, Vec<String>> {
    Config::from_variables(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

#[test]
fn config_needs_no_variable_in_development() {
    let config = read(&[]).unwrap();
    assert_eq!(config.environment, Environment::Development);
    assert_eq!(config.http.bind.port(), 8080);
    assert_eq!(config.rate_limits.anonymous, 120);
}

#[test]
fn config_variables_are_all_in_env_example() {
    let example = include_str!("../../../.env.example");
    let names = example.lines().filter_map(|line| line.trim_start_matches("# ").split_once('='));
    let listed: std::collections::BTreeSet<String> = names
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_'))
        .filter(|name| name != "POSTGRES_PASSWORD")
        .collect();
    let read = Settings::read(Reader::new([])).variables;
    assert_eq!(
        listed,
        read.iter().map(|variable| variable.name.clone()).collect(),
        ".env.example (left) and the configuration (right) name different variables"
    );
    for variable in read {
        let line = example.lines().find_map(|line| line.strip_prefix(&format!("# {}=", variable.name)));
        let (shown, default) = (line.unwrap_or_default(), variable.value.unwrap_or_default());
        assert!(shown.is_empty() || shown == default.trim_end(), "{}={default}, not {shown}", variable.name);
    }
}

#[test]
fn config_own_hosts_are_those_of_every_address_of_the_deployment() {
    let hosts = |variables: &[(&str, &str)]| {
        let mut hosts: Vec<String> = read(variables).unwrap().own_hosts().into_iter().collect();
        hosts.sort();
        hosts
    };
    assert_eq!(hosts(&[]), ["127.0.0.1", "localhost"]);
    let variables = [
        ("LUMIO_PUBLIC_URL", "https://API.example.com"),
        ("LUMIO_BUNDLE_URL", "https://bundles.example:8443"),
        ("LUMIO_API_URL", "http://lumio-api:80"),
    ];
    assert_eq!(hosts(&variables), ["api.example.com", "bundles.example", "lumio-api"]);
}

#[test]
fn config_errors_name_every_variable_and_show_no_value() {
    let mistakes = read(&[
        ("LUMIO_HTTP_BIND", "nowhere"),
        ("LUMIO_PUBLIC_URL", "s3cret"),
        ("LUMIO_DATABASE_POOL", "1"),
        ("LUMIO_GRAPHIQL", "yes"),
    ])
    .unwrap_err();
    for name in ["LUMIO_HTTP_BIND", "LUMIO_PUBLIC_URL", "LUMIO_DATABASE_POOL", "LUMIO_GRAPHIQL"] {
        assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{name} in {mistakes:?}");
    }
    assert!(!mistakes.concat().contains("s3cret"));
}

#[test]
fn config_of_a_deployment_needs_the_values_of_development() {
    for environment in ["staging", "preview", "production"] {
        let mistakes = read(&[("LUMIO_ENV", environment), ("LUMIO_TWITCH_CLIENT_ID", "id")]).unwrap_err();
        for name in [
            "LUMIO_JWT_SECRET",
            "LUMIO_ENCRYPTION_KEYS",
            "DATABASE_URL",
            "LUMIO_PUBLIC_URL",
            "LUMIO_TWITCH_CLIENT_SECRET",
            "LUMIO_TWITCH_EVENTSUB_SECRET",
        ] {
            assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{name} in {mistakes:?}");
        }
    }
    let copied = secrets::DEVELOPMENT_JWT_SECRET;
    let mistakes = read(&[("LUMIO_ENV", "production"), ("LUMIO_JWT_SECRET", copied)]).unwrap_err();
    assert!(mistakes.iter().any(|mistake| mistake.starts_with("LUMIO_JWT_SECRET")));
}

#[test]
fn config_allows_inner_hosts_of_handlers_in_development_only() {
    let hosts = ("LUMIO_EGRESS_TEST_HOSTS", "127.0.0.1:9000, localhost:1");
    assert_eq!(read(&[hosts]).unwrap().workers.egress_test_hosts, ["127.0.0.1:9000", "localhost:1"]);
    let wrong = [
        &[("LUMIO_ENV", "production"), hosts][..],
        &[("LUMIO_ENV", "staging"), hosts],
        &[("LUMIO_EGRESS_TEST_HOSTS", "127.0.0.1")],
    ];
    for variables in wrong {
        let mistakes = read(variables).unwrap_err();
        assert!(
            mistakes.iter().any(|mistake| mistake.starts_with("LUMIO_EGRESS_TEST_HOSTS")),
            "{mistakes:?}"
        );
    }
}

#[test]
fn config_keeps_obs_off_private_addresses_unless_the_operator_allows_them() {
    assert!(!read(&[]).unwrap().workers.obs_allow_private);
    for (text, allowed) in [("1", true), ("true", true), ("0", false), ("false", false)] {
        assert_eq!(read(&[("LUMIO_OBS_ALLOW_PRIVATE", text)]).unwrap().workers.obs_allow_private, allowed);
    }
    let mistakes = read(&[("LUMIO_OBS_ALLOW_PRIVATE", "yes")]).unwrap_err();
    assert_eq!(mistakes, ["LUMIO_OBS_ALLOW_PRIVATE must be `1` or `0`"]);
}

#[test]
fn config_normalises_allowed_origins_as_browsers_do() {
    let given = "https://App.Example/, http://localhost:5173,https://a.example:443";
    let config = read(&[("LUMIO_ALLOWED_ORIGINS", given)]).unwrap();
    let expected = ["https://app.example", "http://localhost:5173", "https://a.example"];
    assert_eq!(config.http.allowed_origins, expected);
    for wrong in ["*", "https://*.example", "app.example", "https://a.example/path", "ftp://a.example"] {
        let mistakes = read(&[("LUMIO_ALLOWED_ORIGINS", wrong)]).unwrap_err();
        assert!(mistakes[0].starts_with("LUMIO_ALLOWED_ORIGINS must be origins"), "{wrong}: {mistakes:?}");
    }
}

#[test]
fn config_refuses_passwords_in_urls_that_are_printed() {
    for name in ["LUMIO_STORAGE_URL", "LUMIO_OTLP_URL", "LUMIO_PUBLIC_URL", "LUMIO_API_URL"] {
        for url in ["https://user:hunter2@host/", "https://user@host/"] {
            let mistakes = read(&[(name, url)]).unwrap_err();
            assert_eq!(mistakes, [format!("{name} must not hold a user name or a password")]);
        }
    }
}

#[test]
fn config_ignores_foreign_variables_that_are_no_text() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt};
    let variable = |name: &[u8]| (OsString::from_vec(name.to_vec()), OsString::from_vec(vec![0xff]));
    let foreign = [variable(b"LS_COLORS"), variable(&[0xfe])];
    assert!(Settings::read(Reader::of_os(foreign)).config.is_ok());
    let mistakes = Settings::read(Reader::of_os([variable(b"LUMIO_OTLP_URL")])).config.unwrap_err();
    assert_eq!(mistakes, ["LUMIO_OTLP_URL must be text in UTF-8"]);
}

/// Variables that a deployment needs.
const DEPLOYMENT: [(&str, &str); 5] = [
    ("LUMIO_ENV", "production"),
    ("LUMIO_JWT_SECRET", "a signing secret of a test that is long enough"),
    ("LUMIO_ENCRYPTION_KEYS", "k1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="),
    ("DATABASE_URL", "postgres://lumio@db/lumio"),
    ("LUMIO_PUBLIC_URL", "https://api.lumio.example"),
];

fn deployed(more: &[(&str, &str)]) -> Result<Config, Vec<String>> {
    read(&[&DEPLOYMENT, more].concat())
}

#[test]
fn config_of_a_deployment_refuses_urls_of_the_own_machine() {
    let config = deployed(&[]).unwrap().http;
    assert_eq!(config.security_txt, "Contact: mailto:security@api.lumio.example\n");
    assert_eq!(config.web_url.as_str(), "https://api.lumio.example/", "links in mails lead there");
    for url in [
        "http://localhost:8080",
        "http://LocalHost.:8080",
        "https://lumio.localhost",
        "http://127.0.0.1",
        "http://127.1:8080",
        "http://[::1]:8080",
        "http://[::ffff:127.0.0.1]",
        "http://0.0.0.0:8080",
    ] {
        for name in ["LUMIO_PUBLIC_URL", "LUMIO_WEB_URL"] {
            let mistakes = deployed(&[(name, url)]).unwrap_err();
            assert!(mistakes.len() == 1 && mistakes[0].starts_with(name), "{url}: {mistakes:?}");
            assert!(mistakes[0].contains("such as https://"), "{mistakes:?}");
        }
        assert!(read(&[("LUMIO_PUBLIC_URL", url)]).is_ok(), "development: {url}");
    }
    let by_address = deployed(&[("LUMIO_PUBLIC_URL", "http://192.0.2.1:8080")]).unwrap().http;
    assert_eq!(by_address.security_txt, "Contact: http://192.0.2.1:8080/\n");
}

#[test]
fn config_refuses_half_a_credential() {
    for platform in ["TWITCH", "YOUTUBE", "KICK", "TROVO", "SPOTIFY", "DISCORD"] {
        let (id, secret) = (format!("LUMIO_{platform}_CLIENT_ID"), format!("LUMIO_{platform}_CLIENT_SECRET"));
        let mistakes = |name: &str| read(&[(name, "hunter2")]).unwrap_err();
        assert_eq!(mistakes(&id), [format!("{secret} must be set beside {id}")]);
        assert_eq!(mistakes(&secret), [format!("{id} must be set beside {secret}")]);
        assert!(read(&[(&id, "a"), (&secret, "b")]).is_ok());
    }
}

#[test]
fn config_errors_of_urls_give_an_example() {
    for (name, example) in [
        ("LUMIO_PUBLIC_URL", "http://localhost:8080"),
        ("LUMIO_WEB_URL", "http://localhost:3000"),
        ("LUMIO_API_URL", "http://127.0.0.1:8080"),
        ("LUMIO_ADMIN_URL", "https://admin.example.com"),
        ("LUMIO_OTLP_URL", "http://127.0.0.1:4318"),
        ("LUMIO_STORAGE_URL", "file:///var/lib/lumio/storage or s3://bucket/prefix"),
    ] {
        for wrong in ["lumio.example", "localhost:8080", "ftp://lumio.example", "/path"] {
            let expected = format!("{name} must be a URL such as {example}");
            assert_eq!(read(&[(name, wrong)]).unwrap_err(), [expected], "{wrong}");
        }
    }
}

#[test]
fn config_reads_the_system_key_from_a_variable_or_a_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("key");
    let by_file = [("LUMIO_SYSTEM_KEY_FILE", path.to_str().unwrap())];
    let key = read(&by_file).unwrap().workers.system_key.unwrap();
    assert!(key.read().unwrap_err().to_string().starts_with("LUMIO_SYSTEM_KEY_FILE: "), "there is no file");
    std::fs::write(&path, "\n").unwrap();
    assert!(key.read().unwrap_err().to_string().ends_with("the file is empty"));
    std::fs::write(&path, "lm_sys_1\n").unwrap();
    assert_eq!(key.read().unwrap().expose(), "lm_sys_1");
    std::fs::write(&path, "lm_sys_2\n").unwrap();
    assert_eq!(key.read().unwrap().expose(), "lm_sys_2", "it is read again");
    let both = [by_file[0], ("LUMIO_SYSTEM_KEY", "lm_sys_3")];
    assert_eq!(read(&both).unwrap_err(), ["LUMIO_SYSTEM_KEY_FILE must not be set beside LUMIO_SYSTEM_KEY"]);
}

#[test]
fn config_variables_are_printed_without_secrets() {
    let secrets = [
        ("DATABASE_URL", "postgres://u:hunter2@db/x"),
        ("LUMIO_TIMESCALEDB_URL", "postgres://u:hunter2@db/x"),
        ("PGPASSWORD", "hunter2"),
        ("REDIS_URL", "redis://:hunter2@r"),
        ("LUMIO_JWT_SECRET", "hunter2 and some more, so that it is long enough"),
        ("LUMIO_SYSTEM_KEY", "hunter2"),
        ("LUMIO_SMTP_URL", "smtps://u:hunter2@mail.example"),
        ("LUMIO_KICK_CLIENT_ID", "id"),
        ("LUMIO_KICK_CLIENT_SECRET", "hunter2"),
        ("LUMIO_TWITCH_EVENTSUB_SECRET", "hunter2hunter2"),
        ("LUMIO_TROVO_WEBHOOK_SECRET", "hunter2hunter2hunter2"),
        ("LUMIO_SHOPIFY_WEBHOOK_SECRET", "hunter2hunter2hunter2"),
        ("LUMIO_PAYOUTS_WEBHOOK_SECRET", "hunter2hunter2hunter2"),
        ("LUMIO_YOUTUBE_HUB_SECRET", "hunter2hunter2hunter2"),
        ("LUMIO_HTTP_BIND", "127.0.0.1:9"),
    ];
    let variables = secrets.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings = Settings::read(Reader::new(variables));
    assert!(settings.config.is_ok(), "{:?}", settings.config);
    let lines: Vec<String> = settings.variables.iter().map(ToString::to_string).collect();
    assert!(!lines.concat().contains("hunter2"), "{lines:#?}");
    for line in [
        "LUMIO_HTTP_BIND=127.0.0.1:9  # environment",
        "LUMIO_METRICS_BIND=127.0.0.1:9100  # default",
        "DATABASE_URL=postgres://u:***@db/x  # environment",
        "LUMIO_SYSTEM_KEY=***  # environment",
        "LUMIO_TWITCH_API_URL=https://api.twitch.tv  # default",
        "LUMIO_RATE_ANONYMOUS=120  # default",
        "LUMIO_JWT_ED25519_PEM=  # default",
    ] {
        assert!(lines.iter().any(|other| other == line), "{line} in {lines:#?}");
    }
    // A variable that is added later must be declared as a secret.
    let is_secret = |name: &str| {
        let end = name.rsplit('_').next().unwrap_or_default();
        // A rate of requests with a key, not a key.
        let is_rate = name.starts_with("LUMIO_RATE_");
        !is_rate && ["SECRET", "KEY", "KEYS", "PEM", "PASSWORD", "PGPASSWORD", "TOKEN"].contains(&end)
    };
    let every = settings.variables.iter().map(|variable| variable.name.clone());
    let set: Vec<(String, String)> = every.map(|name| (name, "hunter2".to_owned())).collect();
    for variable in Settings::read(Reader::new(set)).variables {
        let shown = variable.value.unwrap_or_default();
        assert!(!is_secret(&variable.name) || shown == "***", "{}={shown}", variable.name);
    }
}

#[test]
fn config_warns_of_unknown_variables() {
    let variables = [("LUMIO_HTPP_BIND", "127.0.0.1:1"), ("LUMIO_DATA", "/x"), ("LUMIO_EMPTY", "")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings = Settings::read(Reader::new(variables));
    assert_eq!(
        settings.warnings,
        ["LUMIO_HTPP_BIND is not a variable of Lumio and is ignored; did you mean LUMIO_HTTP_BIND?"]
    );
}

#[test]
fn config_debug_output_shows_no_secret() {
    let config = read(&[
        ("DATABASE_URL", "postgres://u:hunter2@db/x"),
        ("REDIS_URL", "redis://:hunter2@r"),
        ("LUMIO_TWITCH_CLIENT_ID", "id"),
        ("LUMIO_TWITCH_CLIENT_SECRET", "hunter2"),
        ("LUMIO_SYSTEM_KEY", "hunter2"),
    ])
    .unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
}

/// Names of `LUMIO_` variables in a text. A prefix of names ends in `_`.
fn names_in(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = text.split(|c| !is_part(c)).filter(|word| word.len() > "LUMIO_".len());
    words.filter(|word| word.starts_with("LUMIO_")).map(str::to_owned).collect()
}

#[test]
fn config_variables_in_documents_and_scripts_exist() {
    let known: Vec<String> =
        Settings::read(Reader::new([])).variables.into_iter().map(|variable| variable.name).collect();
    let exists = |name: &String| {
        let is_beginning = name.ends_with('_');
        let begins = |other: &str| other.starts_with(name.as_str());
        known.contains(name)
            || OTHER_NAMES.contains(&name.as_str())
            || OTHER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || (is_beginning
                && (known.iter().any(|other| begins(other)) || OTHER_PREFIXES.contains(&name.as_str())))
    };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut files, mut seen) = (Vec::new(), 0);
    let parts =
        ["start", "creators", "extensions", "frontends", "operators"].map(|part| format!("docs/{part}"));
    for folder in ["", "scripts", "scripts/lib", "docs"].into_iter().chain(parts.iter().map(String::as_str)) {
        let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let is_text = |path: &std::path::PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let of_root = ["compose.yaml", "Dockerfile", "Procfile", ".env.example"].contains(&name);
            path.is_file() && (!folder.is_empty() || of_root || name.ends_with(".md"))
        };
        files.extend(entries.filter(is_text));
    }
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let names = names_in(&text);
        seen += names.len();
        let wrong: Vec<&String> = names.iter().filter(|name| !exists(name)).collect();
        assert!(wrong.is_empty(), "{} names {wrong:?}, which nothing reads", file.display());
    }
    assert!(seen > 100, "{seen} names were found");
    assert_eq!(names_in("a LUMIO_A_1, LUMIO_… `LUMIO_B_*` XLUMIO_C"), ["LUMIO_A_1", "LUMIO_B_"]);
}

#[test]
fn config_refuses_development_keys_beyond_the_own_machine() {
    for bind in ["0.0.0.0:8080", "[::]:8080", "192.168.1.5:80"] {
        let mistakes = read(&[("LUMIO_HTTP_BIND", bind)]).unwrap_err();
        for name in ["LUMIO_JWT_SECRET", "LUMIO_ENCRYPTION_KEYS"] {
            assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{bind}: {mistakes:?}");
        }
        let own = read(&[
            ("LUMIO_HTTP_BIND", bind),
            ("LUMIO_JWT_SECRET", "a secret of this test that is long enough"),
            ("LUMIO_ENCRYPTION_KEYS", "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
        ]);
        assert!(own.is_ok(), "{bind}: {own:?}");
    }
    for bind in ["127.0.0.1:8080", "[::1]:8080", "127.1.2.3:80"] {
        assert!(read(&[("LUMIO_HTTP_BIND", bind)]).is_ok(), "{bind}");
    }
}

#[test]
fn config_treats_local_names_as_one_origin_in_development_only() {
    let own = [("LUMIO_PUBLIC_URL", "http://localhost:8080"), ("LUMIO_ALLOWED_ORIGINS", "https://a.example")];
    let http = read(&own).unwrap().http;
    let allows = |origin, environment| http.allows_origin(origin, environment);
    for origin in ["http://localhost:8080", "https://a.example"] {
        assert!(allows(origin, Environment::Production), "{origin}");
    }
    for origin in ["http://127.0.0.1:8080", "http://[::1]:8080"] {
        assert!(allows(origin, Environment::Development), "{origin}");
        for environment in [Environment::Staging, Environment::Preview, Environment::Production] {
            assert!(!allows(origin, environment), "{origin} in {environment:?}");
        }
    }
    let foreign = [
        "http://localhost:8081",
        "https://localhost:8080",
        "http://127.0.0.2:8080",
        "http://localhost.example:8080",
        "http://user@localhost:8080",
        "http://127.0.0.1:8080/",
        "http://127.1:8080",
        "null",
    ];
    for origin in foreign {
        assert!(!allows(origin, Environment::Development), "{origin}");
    }
    let public = read(&[("LUMIO_PUBLIC_URL", "https://lumio.example")]).unwrap().http;
    assert!(!public.allows_origin("http://localhost:8080", Environment::Development));
}
