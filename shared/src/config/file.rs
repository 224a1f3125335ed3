//! Variables in a file, for secrets that are in the environment of no process. The environment wins.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Name of the variable that names the file.
pub const CONFIG_FILE: &str = "LUMIO_CONFIG_FILE";
/// Maximum size of the file.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reads the variables of a file.
///
/// # Errors
/// The reason why the file cannot be used, without any of its values.
pub fn read(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let text = contents(path).map_err(|error| format!("names a file that cannot be read: {error}"))?;
    parse(&text).map_err(|line| format!("names a file whose line {line} is not NAME=value"))
}

fn contents(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    Ok(text)
}

/// Parses lines of the form `NAME=value`. Empty lines and lines that begin with `#` count as comments. The last
/// of several lines with one name counts.
///
/// # Errors
/// The number of the first line of another form.
fn parse(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let mut variables = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = assigned(line).ok_or(index + 1)?;
        variables.insert(name, value);
    }
    Ok(variables)
}

fn assigned(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    let is_name = |name: &str| {
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && name.starts_with(|c: char| !c.is_ascii_digit())
    };
    is_name(name).then_some(())?;
    Some((name.to_owned(), unquoted(value.trim())?))
}

/// Text of a value: literal in single quotes, with `\n`, `\"` and `\\` in double quotes. Without quotes it ends
/// at a comment.
fn unquoted(value: &str) -> Option<String> {
    if let Some(rest) = value.strip_prefix('\'') {
        let (text, rest) = rest.split_once('\'')?;
        return is_comment(rest).then(|| text.to_owned());
    }
    let Some(quoted) = value.strip_prefix('"') else {
        return Some(value.split(" #").next().unwrap_or_default().trim_end().to_owned());
    };
    let (mut text, mut rest) = (String::new(), quoted.chars());
    loop {
        match rest.next()? {
            '"' => return is_comment(rest.as_str()).then_some(text),
            '\\' => text.push(match rest.next()? {
                'n' => '\n',
                other => other,
            }),
            plain => text.push(plain),
        }
    }
}

fn is_comment(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with('#')
}

/// Line of the file that sets a variable.
#[must_use]
pub fn line(name: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/+=,@%".contains(c);
    if value.chars().all(is_plain) {
        return format!("{name}={value}");
    }
    if !value.contains(['\'', '\n']) {
        return format!("{name}='{value}'");
    }
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{name}=\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Settings, Source};

    fn parsed(text: &str) -> Vec<(String, String)> {
        parse(text).unwrap().into_iter().collect()
    }

    #[test]
    fn parse_reads_every_form_of_a_value() {
        for (line, value) in [
            ("A=b", "b"),
            ("  A = ", ""),
            ("A=", ""),
            ("A=b c  # environment", "b c"),
            ("A=b#c", "b#c"),
            ("A=x=y", "x=y"),
            ("A='b # \\n c' # d", "b # \\n c"),
            (r#"A="b \"c\" \\ # \n d""#, "b \"c\" \\ # \n d"),
        ] {
            let line = line.replace("A = ", "A=");
            assert_eq!(parsed(&line), [("A".to_owned(), value.to_owned())], "{line}");
        }
        let text = "# a comment\n\nA=1\r\nB=2\nA=3\n";
        assert_eq!(parsed(text), [("A".to_owned(), "3".to_owned()), ("B".to_owned(), "2".to_owned())]);
    }

    #[test]
    fn parse_names_the_line_that_is_no_assignment() {
        for wrong in ["A", "=b", "1A=b", "A B=c", "A='b", "A=\"b", "A='b'c", "A=\"b\"c", "A=\"b\\"] {
            assert_eq!(parse(&format!("A=1\n# x\n{wrong}\n")), Err(3), "{wrong}");
        }
    }

    #[test]
    fn line_is_read_back_as_the_same_value() {
        for value in ["", "k1:MDEy+/=", "two words", "it's", "a\"b'c\\d\ne", "# no comment", "$x `y`"] {
            let line = line("A", value);
            assert_eq!(line.lines().count(), 1, "{line}");
            assert_eq!(parsed(&line), [("A".to_owned(), value.to_owned())], "{line}");
        }
    }

    #[test]
    fn file_variables_count_where_the_environment_sets_none() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("lumio.env");
        let text = "LUMIO_HTTP_BIND=127.0.0.1:1\nLUMIO_LOG=warn\nLUMIO_LOGG=x\nPGPASSWORD='hunter2'\n";
        std::fs::write(&path, text).unwrap();
        let given = [(CONFIG_FILE, path.to_str().unwrap()), ("LUMIO_LOG", "debug"), ("PGPASSWORD", "")];
        let settings =
            Settings::from_variables(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let config = settings.config.unwrap();
        assert_eq!((config.http.bind.port(), config.telemetry.log.as_str()), (1, "debug"));
        assert!(config.databases.postgres.expose().contains("hunter2"), "an empty variable counts as unset");
        let source = |name: &str| settings.variables.iter().find(|other| other.name == name).unwrap().source;
        assert_eq!(source("LUMIO_HTTP_BIND"), Source::File);
        assert_eq!(source("PGPASSWORD"), Source::File);
        assert_eq!(source("LUMIO_LOG"), Source::Environment);
        assert_eq!(source(CONFIG_FILE), Source::Environment);
        assert_eq!(source("LUMIO_METRICS_BIND"), Source::Default);
        let lines: Vec<String> = settings.variables.iter().map(ToString::to_string).collect();
        assert!(lines.contains(&"PGPASSWORD=***  # file".to_owned()), "{lines:#?}");
        assert!(settings.warnings[0].starts_with("LUMIO_LOGG is not a variable"), "{:?}", settings.warnings);
    }

    #[test]
    fn file_that_cannot_be_used_is_a_mistake_without_its_values() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("lumio.env");
        let mistakes = || {
            let given = (CONFIG_FILE.to_owned(), path.to_str().unwrap().to_owned());
            Settings::from_variables([given]).config.unwrap_err()
        };
        assert!(mistakes()[0].starts_with("LUMIO_CONFIG_FILE names a file that cannot be read: "));
        std::fs::write(&path, "A=1\nhunter2\n").unwrap();
        assert_eq!(mistakes(), ["LUMIO_CONFIG_FILE names a file whose line 2 is not NAME=value"]);
        std::fs::write(&path, vec![b'#'; 1024 * 1024 + 1]).unwrap();
        assert!(mistakes()[0].ends_with("it is larger than 1 MiB"));
    }
}
