//! Variables as an operator sees them: name, value in force and source, with secrets masked.

use std::fmt;

use serde::Serialize;

/// A variable with the value in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// Name of the variable.
    pub name: String,
    /// Value in force, masked if it is secret; `None` when the variable is not set and has no default.
    pub value: Option<String>,
    /// Source of the value.
    pub source: Source,
    /// Default of the program, masked if it is secret; `None` when there is none.
    pub default: Option<String>,
    /// Meaning of the variable.
    pub description: String,
}

/// Source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Default of the program.
    Default,
    /// File that `LUMIO_CONFIG_FILE` names.
    File,
    /// Environment of the process.
    Environment,
}

/// Prints one line in the syntax of a shell.
impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.as_deref().unwrap_or_default();
        let is_plain =
            !value.contains(|c: char| c.is_whitespace() || c.is_control() || "#\"'\\$`".contains(c));
        let source = match self.source {
            Source::Default => "default",
            Source::File => "file",
            Source::Environment => "environment",
        };
        if is_plain {
            write!(f, "{}={value}  # {source}", self.name)
        } else {
            write!(f, "{}={value:?}  # {source}", self.name)
        }
    }
}

/// Part of a value that is secret.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mask {
    #[default]
    Nothing,
    /// The password of a URL.
    Password,
    Whole,
}

/// Properties of a variable that the reading code declares.
#[derive(Debug, Default)]
pub(super) struct Declared {
    default: Option<String>,
    mask: Mask,
}

const MASKED: &str = "***";

impl Declared {
    /// Merges the declarations of several readers of a variable: a known default is kept, the stricter mask
    /// wins.
    pub fn merge(&mut self, default: Option<&str>, mask: Mask) {
        if let Some(default) = default {
            self.default = Some(default.to_owned());
        }
        self.mask = self.mask.max(mask);
    }

    /// The variable as an operator sees it; `set` is its value with the source of the value.
    pub fn variable(&self, name: &str, set: Option<(&str, Source)>, description: String) -> Variable {
        let masked = |text: &str| match self.mask {
            Mask::Nothing => text.to_owned(),
            Mask::Password => without_password(text),
            Mask::Whole => MASKED.to_owned(),
        };
        let default = self.default.as_deref().map(masked);
        let (value, source) = match set {
            Some((text, source)) => (Some(masked(text)), source),
            None => (default.clone(), Source::Default),
        };
        Variable { name: name.to_owned(), value, source, default, description }
    }
}

/// URL with a masked password. It masks rather too much than too little, because a password that is not
/// percent-encoded may contain any character.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return MASKED.to_owned() };
    let (credentials, address) = match rest.rsplit_once('@') {
        Some((credentials, address)) => {
            let user = credentials.split_once(':').map(|(user, _password)| format!("{user}:{MASKED}@"));
            (user.unwrap_or_else(|| format!("{credentials}@")), address)
        }
        None => (String::new(), rest),
    };
    let address = match address.split_once('?') {
        Some((address, query)) => {
            let parameters: Vec<String> = query.split('&').map(without_secret_value).collect();
            format!("{address}?{}", parameters.join("&"))
        }
        None => address.to_owned(),
    };
    format!("{scheme}://{credentials}{address}")
}

fn without_secret_value(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, _value)) if name.to_lowercase().contains("pass") => format!("{name}={MASKED}"),
        _ => parameter.to_owned(),
    }
}

/// First part of every name of the project.
const PREFIX: &str = "LUMIO_";

/// Names that scripts, builds, tests and other programs read. The processes that they start inherit them.
pub const OTHER_NAMES: [&str; 21] = [
    "LUMIO_API_PROGRAM",
    "LUMIO_BUILD_COMMIT",
    "LUMIO_CLUSTER",
    "LUMIO_COMMIT",
    "LUMIO_DATA",
    "LUMIO_DEPLOY",
    "LUMIO_DOCUMENTS",
    "LUMIO_DOCUMENTS_DIR",
    "LUMIO_FUZZ_DIR",
    "LUMIO_METRICS_URL",
    "LUMIO_PGBENCH",
    "LUMIO_POOLER",
    "LUMIO_PORT",
    "LUMIO_PSQL",
    "LUMIO_RELEASE",
    "LUMIO_ROOT",
    "LUMIO_S3",
    "LUMIO_SOCKETS",
    "LUMIO_STAND_IN_URL",
    "LUMIO_TOKEN",
    "LUMIO_URL",
];
/// Prefixes of such names.
pub const OTHER_PREFIXES: [&str; 4] = ["LUMIO_BENCH_", "LUMIO_CLIENTS_", "LUMIO_DRILL_", "LUMIO_TEST_"];

/// Warnings, one for each `LUMIO_` name that is never read.
pub(super) fn unknown<'a>(set: impl Iterator<Item = &'a str>, known: &[&str]) -> Vec<String> {
    let is_other = |name: &str| {
        OTHER_NAMES.contains(&name) || OTHER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    set.filter(|name| name.starts_with(PREFIX) && !known.contains(name) && !is_other(name))
        .map(|name| {
            let nearest = nearest(name, known).map(|nearest| format!("; did you mean {nearest}?"));
            format!("{name} is not a variable of Lumio and is ignored{}", nearest.unwrap_or_default())
        })
        .collect()
}

/// Known name that a name was probably meant to be.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let short = |name: &'a str| name.strip_prefix(PREFIX).unwrap_or(name);
    let wanted = name.strip_prefix(PREFIX).unwrap_or(name);
    let distances = known.iter().map(|known| (strsim::damerau_levenshtein(wanted, short(known)), *known));
    let (distance, nearest) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= (wanted.len() * 2 / 5).max(1)).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_password_masks_every_form_of_a_url() {
        for (url, shown) in [
            ("postgres://lumio:hunter2@db:5432/lumio", "postgres://lumio:***@db:5432/lumio"),
            ("postgres://lumio:hun@ter/2?x@db/lumio", "postgres://lumio:***@db/lumio"),
            ("postgres://lumio@db/lumio?sslmode=disable", "postgres://lumio@db/lumio?sslmode=disable"),
            ("postgres://db/lumio?user=u&password=hunter2", "postgres://db/lumio?user=u&password=***"),
            ("redis://:hunter2@r", "redis://:***@r"),
            ("redis+unix:///run/redis.sock?pass=hunter2&db=1", "redis+unix:///run/redis.sock?pass=***&db=1"),
            ("host=db password=hunter2", "***"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }

    #[test]
    fn unknown_variables_get_the_nearest_name() {
        let known = ["LUMIO_HTTP_BIND", "LUMIO_METRICS_BIND", "DATABASE_URL", "LUMIO_TIMESCALEDB_URL"];
        let set = ["LUMIO_HTPP_BIND", "LUMIO_HTTP_BIND", "LUMIO_DATA", "LUMIO_TEST_SLOW", "PATH"];
        assert_eq!(
            unknown(set.into_iter(), &known),
            ["LUMIO_HTPP_BIND is not a variable of Lumio and is ignored; did you mean LUMIO_HTTP_BIND?"]
        );
        let far = unknown(["LUMIO_SOMETHING_ELSE_ENTIRELY"].into_iter(), &known);
        assert_eq!(far, ["LUMIO_SOMETHING_ELSE_ENTIRELY is not a variable of Lumio and is ignored"]);
        let meant = unknown(["LUMIO_TIMESERIES_URL", "LUMIO_DATABASE_URL"].into_iter(), &known);
        assert!(meant[0].ends_with("did you mean LUMIO_TIMESCALEDB_URL?"), "{meant:?}");
        assert!(meant[1].ends_with("did you mean DATABASE_URL?"), "{meant:?}");
    }

    #[test]
    fn variable_is_printed_on_one_line() {
        let variable = |value: &str| Variable {
            name: "NAME".into(),
            value: Some(value.into()),
            source: Source::Environment,
            default: None,
            description: String::new(),
        };
        assert_eq!(variable("a=b").to_string(), "NAME=a=b  # environment");
        assert_eq!(variable("two words\n").to_string(), "NAME=\"two words\\n\"  # environment");
        let unset = Variable { value: None, source: Source::Default, ..variable("") };
        assert_eq!(unset.to_string(), "NAME=  # default");
    }
}
