//! Published documents as files, so that a change of a right or a shape is a line in a review. After an intended
//! change: `INSTA_UPDATE=always ./scripts/test -E 'binary(parity)'`.

use std::fmt::Write;

use super::published::{openapi, routes};

#[test]
fn snapshots_hold_the_reviewed_access_matrix() {
    let mut table = String::from("operation | who | scope | permission | grants | feature | route\n");
    let routes = routes();
    let mut rules: Vec<_> = lumio_api::operations::rules().collect();
    rules.sort_by_key(|rule| rule.name);
    for rule in rules {
        let route: Vec<String> = routes
            .iter()
            .filter(|route| route.operation_id == rule.name)
            .map(|route| format!("{} {}", route.method, route.path))
            .collect();
        writeln!(
            table,
            "{} | {:?} | {} | {} | {} | {} | {}",
            rule.name,
            rule.who,
            rule.needs.scope(),
            rule.needs
                .text()
                .map_or_else(|| "-".to_owned(), |text| text + if rule.or_own { " (or own)" } else { "" })
                + &rule.in_team_text().map_or_else(String::new, |text| format!(" (in a team: {text})")),
            rule.grants.text(),
            rule.feature.map_or("-", |feature| feature.key()),
            if route.is_empty() { "-".to_owned() } else { route.join(", ") },
        )
        .expect("a text grows");
    }
    insta::assert_snapshot!("access_matrix", table);
}

#[test]
fn snapshots_hold_the_reviewed_openapi_document() {
    let mut document = openapi();
    // The version changes with every release and does not affect shapes.
    document["info"]["version"] = "…".into();
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&document).expect("JSON"));
}

#[test]
fn snapshots_hold_the_reviewed_graphql_schema() {
    insta::assert_snapshot!("schema", lumio_api::graphql::schema(true).as_sdl());
}
