//! Lines of a file of rows.

use std::{
    collections::BTreeSet,
    fmt,
    io::{BufRead, BufReader, Read, Seek},
};

use serde::{
    Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use shared::json::Readable;

use super::{
    archive::{Archive, Emit},
    limits::Limits,
};
use crate::{Error, Result, manifest};

/// Rows of one statement.
const MAX_BATCH_ROWS: usize = 200;
/// Bytes of one statement, from which on no further row is added.
const MAX_BATCH_BYTES: usize = 1024 * 1024;

/// Reads a file of rows in batches.
pub(super) fn read(
    file: manifest::File,
    limits: Limits,
) -> impl FnOnce(&mut dyn Read, Emit<'_, Vec<String>>) -> Result<()> + Send + 'static {
    move |reader, emit| {
        let mut reader = BufReader::new(reader);
        let (mut batch, mut bytes, mut rows) = (Vec::new(), 0, 0);
        while let Some(line) = next_line(&mut reader, &file.name, limits)? {
            rows += 1;
            bytes += line.len();
            batch.push(line);
            if batch.len() >= MAX_BATCH_ROWS || bytes >= MAX_BATCH_BYTES {
                bytes = 0;
                if !emit(std::mem::take(&mut batch)) {
                    return Ok(());
                }
            }
        }
        if !batch.is_empty() && !emit(batch) {
            return Ok(());
        }
        if file.rows != Some(rows) {
            return Err(Error::Archive(format!("{} has another number of rows than stated", file.name)));
        }
        Ok(())
    }
}

fn next_line(reader: &mut impl BufRead, name: &str, limits: Limits) -> Result<Option<String>> {
    let mut line = Vec::new();
    reader.take(limits.line_bytes).read_until(b'\n', &mut line)?;
    match line.pop() {
        None => return Ok(None),
        Some(b'\n') => {}
        Some(_) => return Err(Error::Archive(format!("{name} has a row that is too long or cut off"))),
    }
    let line = String::from_utf8(line);
    line.map(Some).map_err(|_malformed| Error::Archive(format!("{name} is not UTF-8")))
}

/// Reads a file of rows, and checks each of them.
pub(super) fn check<R: Read + Seek + Clone>(
    archive: &Archive<R>,
    file: &manifest::File,
    limits: Limits,
    check_row: impl Fn(&str) -> Result<()>,
) -> Result<()> {
    let mut checked: Result<()> = Ok(());
    archive.read_file(file, read(file.clone(), limits), &mut |batch: Vec<String>| {
        checked = batch.iter().try_for_each(|row| check_row(row));
        checked.is_ok()
    })?;
    checked
}

/// Checks that a row is an object with no other fields than these, whose values can be read again.
pub(super) fn check_fields(name: &str, line: &str, known: &BTreeSet<&'static str>) -> Result<()> {
    let mut json = serde_json::Deserializer::from_str(line);
    let unknown = json.deserialize_map(Unknown(known)).and_then(|unknown| json.end().map(|()| unknown));
    match unknown {
        Ok(None) => Ok(()),
        Ok(Some(field)) => Err(Error::Refused(format!("This version does not know {name}.{field}"))),
        Err(error) => Err(Error::Archive(format!("a row of {name} is malformed: {error}"))),
    }
}

/// Search for the first field that is not known. It keeps no other one, however many there are.
struct Unknown<'a>(&'a BTreeSet<&'static str>);

impl<'de> Visitor<'de> for Unknown<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<String>, A::Error> {
        let mut unknown = None;
        while let Some(field) = fields.next_key::<String>()? {
            let value = fields.next_value::<&RawValue>()?;
            serde_json::from_str::<Readable>(value.get()).map_err(A::Error::custom)?;
            if unknown.is_none() && !self.0.contains(field.as_str()) {
                unknown = Some(field);
            }
        }
        Ok(unknown)
    }
}

/// JSON array of rows.
pub(super) fn array(lines: &[String]) -> String {
    format!("[{}]", lines.join(","))
}

#[cfg(test)]
mod tests {
    use shared::json::RESERVED;

    use super::*;

    fn file(rows: u64) -> manifest::File {
        manifest::File { name: "tables/x.ndjson".into(), rows: Some(rows), bytes: 0, sha256: String::new() }
    }

    fn batches(text: &[u8], rows: u64) -> Result<Vec<usize>> {
        let (mut sizes, mut reader) = (Vec::new(), text);
        read(file(rows), Limits::default())(&mut reader, &mut |batch: Vec<String>| {
            sizes.push(batch.len());
            true
        })?;
        Ok(sizes)
    }

    #[test]
    fn read_divides_rows_into_batches_and_counts_them() {
        let text = "{}\n".repeat(450);
        assert_eq!(batches(text.as_bytes(), 450).unwrap(), [200, 200, 50]);
        assert!(batches(text.as_bytes(), 449).is_err());
        assert_eq!(batches(b"", 0).unwrap(), [0; 0]);
        assert!(batches(b"{}\n{}", 2).is_err(), "the last row is cut off");
        assert!(batches(b"\xff\n", 1).is_err());
    }

    #[test]
    fn read_ends_a_batch_at_its_maximum_of_bytes() {
        let text = format!("{}\n", "x".repeat(600 * 1024)).repeat(3);
        assert_eq!(batches(text.as_bytes(), 3).unwrap(), [2, 1]);
    }

    #[test]
    fn read_refuses_a_row_above_the_maximum() {
        let row = |bytes: usize| format!("{}\n", "x".repeat(bytes - 1));
        assert_eq!(batches(row(16 * 1024 * 1024).as_bytes(), 1).unwrap(), [1]);
        let error = batches(row(16 * 1024 * 1024 + 1).as_bytes(), 1).unwrap_err();
        assert_eq!(error.to_string(), "tables/x.ndjson has a row that is too long or cut off");
    }

    #[test]
    fn check_fields_names_the_unknown_one() {
        let known = BTreeSet::from(["id", "name"]);
        assert!(check_fields("x", r#"{"id":1}"#, &known).is_ok());
        let error = check_fields("x", r#"{"id":1,"colour":2}"#, &known).unwrap_err();
        assert_eq!(error.to_string(), "This version does not know x.colour");
        for malformed in ["[]", "{", "{} {}", "{\"id\"}", ""] {
            let error = check_fields("x", malformed, &known).unwrap_err();
            assert!(error.to_string().starts_with("a row of x is malformed"), "{malformed}: {error}");
        }
    }

    #[test]
    fn check_fields_refuses_values_that_cannot_be_read_again() {
        let known = BTreeSet::from(["id"]);
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let check = |value: &str| {
            let read = serde_json::from_str::<serde_json::Value>(value);
            (check_fields("x", &format!("{{\"id\":{value}}}"), &known).is_ok(), read.is_ok())
        };
        let (deep, deeper) = (nested(127), nested(128));
        let long = format!("{{\"{}\":1,\"{RESERVED}\":1}}", "z".repeat(40));
        for value in
            ["null", "true", "-1", "18446744073709551616", "1e308", "\"a\"", "[{\"a\":[]}]", deep.as_str()]
        {
            assert_eq!(check(value), (true, true), "{value}");
        }
        for value in ["1e400", "[-1e309]", "\"\\ud800\"", deeper.as_str()] {
            assert_eq!(check(value), (false, false), "{value}");
        }
        // PostgreSQL puts the shorter name first.
        assert_eq!(check(&long), (false, true));
    }
}
