//! Lines of a file of rows.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, Read},
};

use serde::de::IgnoredAny;

use super::reader::Emit;
use crate::{Error, Result, manifest};

/// Largest row.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;
/// Rows of one statement.
const MAX_BATCH_ROWS: usize = 200;
/// Bytes of one statement, from which on no further row is added.
const MAX_BATCH_BYTES: usize = 1024 * 1024;

/// Reads a file of rows in batches.
pub(super) fn read(
    file: manifest::File,
) -> impl FnOnce(&mut dyn Read, Emit<'_, Vec<String>>) -> Result<()> + Send + 'static {
    move |reader, emit| {
        let mut reader = BufReader::new(reader);
        let (mut batch, mut bytes, mut rows) = (Vec::new(), 0, 0);
        while let Some(line) = next_line(&mut reader, &file.name)? {
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

fn next_line(reader: &mut impl BufRead, name: &str) -> Result<Option<String>> {
    let mut line = Vec::new();
    reader.take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    match line.pop() {
        None => return Ok(None),
        Some(b'\n') => {}
        Some(_) => return Err(Error::Archive(format!("{name} has a row that is too long or cut off"))),
    }
    let line = String::from_utf8(line);
    line.map(Some).map_err(|_malformed| Error::Archive(format!("{name} is not UTF-8")))
}

/// Checks that a row is an object with no other fields than these.
pub(super) fn check_fields(name: &str, line: &str, known: &BTreeSet<&'static str>) -> Result<()> {
    let fields: BTreeMap<String, IgnoredAny> = serde_json::from_str(line)
        .map_err(|error| Error::Archive(format!("a row of {name} is malformed: {error}")))?;
    match fields.keys().find(|field| !known.contains(field.as_str())) {
        Some(field) => Err(Error::Refused(format!("This version does not know {name}.{field}"))),
        None => Ok(()),
    }
}

/// JSON array of rows.
pub(super) fn array(lines: &[String]) -> String {
    format!("[{}]", lines.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: u64) -> manifest::File {
        manifest::File { name: "tables/x.ndjson".into(), rows: Some(rows), bytes: 0, sha256: String::new() }
    }

    fn batches(text: &[u8], rows: u64) -> Result<Vec<usize>> {
        let (mut sizes, mut reader) = (Vec::new(), text);
        read(file(rows))(&mut reader, &mut |batch: Vec<String>| {
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
    fn check_fields_names_the_unknown_one() {
        let known = BTreeSet::from(["id", "name"]);
        assert!(check_fields("x", r#"{"id":1}"#, &known).is_ok());
        let error = check_fields("x", r#"{"id":1,"colour":2}"#, &known).unwrap_err();
        assert_eq!(error.to_string(), "This version does not know x.colour");
        assert!(check_fields("x", "[]", &known).is_err());
    }
}
