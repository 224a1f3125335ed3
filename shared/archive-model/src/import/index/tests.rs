//! Archives whose index states other objects than their directory has.

use std::io::Cursor;

use serde_json::json;

use super::*;
use crate::{
    Target,
    import::{
        inspect, objects,
        packed::{Packed, line, unnamed},
        reader,
        source::Source,
    },
    manifest::{FILE, FORMAT, Manifest, VERSION, object_file},
    writer::ArchiveWriter,
};

const ONE: &str = "files/sounds/one";
const TWO: &str = "files/uploads/two";
const THREE: &str = "files/uploads/xxx";

fn three() -> Packed {
    Packed::of(&[(ONE, "content of one"), (TWO, ""), (THREE, "content of three")])
}

fn refused(archive: &[u8]) -> String {
    inspect(Cursor::new(archive), None, Limits::default()).unwrap_err().to_string()
}

/// Refusal of an archive whose index was changed, and whose manifest states the index as it is now.
fn refused_index(change: impl FnOnce(&mut Vec<String>)) -> String {
    let mut packed = three();
    change(&mut packed.index);
    refused(&packed.bytes())
}

fn mismatch(name: &str) -> String {
    format!("The file {name} is missing, not in objects.ndjson or out of order")
}

#[test]
fn index_states_every_object_of_the_directory_in_its_order() {
    let manifest = inspect(Cursor::new(three().bytes().as_slice()), None, Limits::default()).unwrap();
    let index = manifest.files.iter().find(|file| file.name == INDEX).unwrap();
    assert_eq!(index.rows, Some(3));
    let bytes = three().bytes();
    let (archive, _manifest) = reader::open(Cursor::new(bytes.as_slice()), Limits::default()).unwrap();
    let mut names = Vec::new();
    read(&archive, index, Limits::default(), &mut |objects: Vec<Object>| {
        names.extend(objects.into_iter().map(|object| object.file.name));
        true
    })
    .unwrap();
    assert_eq!(names, [ONE, TWO, THREE]);
}

#[test]
fn index_without_the_line_of_an_object_is_refused() {
    for (missing, name) in [ONE, TWO, THREE].into_iter().enumerate() {
        let error = refused_index(|lines| drop(lines.remove(missing)));
        assert_eq!(error, mismatch(name));
    }
    assert_eq!(refused_index(Vec::clear), mismatch(ONE));
}

#[test]
fn index_with_a_line_without_an_object_is_refused() {
    for (place, name) in [(0, "files/a"), (1, "files/uploads/a"), (3, "files/z")] {
        assert_eq!(refused_index(|lines| lines.insert(place, line(name, ""))), mismatch(name));
    }
    let without = |name: &str| {
        let mut packed = three();
        packed.objects.retain(|(object, _)| object != name);
        refused(&packed.bytes())
    };
    for name in [ONE, TWO, THREE] {
        assert_eq!(without(name), mismatch(name));
    }
}

#[test]
fn index_with_a_line_twice_is_refused() {
    for (place, name) in [ONE, TWO, THREE].into_iter().enumerate() {
        let error = refused_index(|lines| lines.insert(place, lines[place].clone()));
        assert_eq!(error, format!("objects.ndjson has {name} twice"));
    }
    // Not beside the first one, and with another content.
    assert_eq!(
        refused_index(|lines| lines.push(line(ONE, "x"))),
        format!("objects.ndjson is out of order at {ONE}")
    );
}

#[test]
fn index_in_another_order_is_refused() {
    assert_eq!(refused_index(|lines| lines.swap(1, 2)), mismatch(TWO));
    // Also where the directory has the same order.
    let mut packed = three();
    packed.index.swap(1, 2);
    packed.objects.swap(1, 2);
    assert_eq!(refused(&packed.bytes()), format!("objects.ndjson is out of order at {TWO}"));
    let mut packed = three();
    packed.objects.swap(1, 2);
    assert_eq!(refused(&packed.bytes()), mismatch(TWO));
}

#[test]
fn index_whose_line_was_altered_is_refused() {
    let altered = |from: &str, to: &str| {
        let mut packed = three();
        let changed = packed.index[0].replace(from, to);
        assert_ne!(packed.index[0], changed);
        let manifest = packed.manifest();
        packed.index[0] = changed;
        let fitting = refused(&packed.bytes());
        // The manifest states the index as it was.
        packed.manifest = Some(manifest);
        (fitting, refused(&packed.bytes()))
    };
    let other_object = format!("{ONE} is not the file that was stated");
    let other_index = "objects.ndjson is not the file that was stated".to_owned();
    for (from, to) in [
        ("\"bytes\":14", "\"bytes\":15"),
        ("\"bytes\":14", "\"bytes\":13"),
        ("\"sha256\":\"", "\"sha256\":\"0"),
    ] {
        assert_eq!(altered(from, to), (other_object.clone(), other_index.clone()), "{to}");
    }
    let renamed = altered("sounds/one", "sounds/oni");
    assert_eq!(renamed, (mismatch(ONE), mismatch(ONE)));
    let malformed = altered("\"bytes\":14", "\"bytes\":-14").0;
    assert!(malformed.starts_with("a row of objects.ndjson is malformed: "), "{malformed}");
    let counted = format!("objects.ndjson has a number of rows of the object {ONE}");
    assert_eq!(altered("\"rows\":null", "\"rows\":0"), (counted.clone(), counted));
    let unknown = altered("\"bytes\":14", "\"bytes\":14,\"colour\":1").0;
    assert_eq!(unknown, "This version does not know objects.ndjson.colour");
    for outside in ["files/../one", "files/", "files/sounds//one", "tables/one", FILE] {
        let message = format!("The archive has a file outside of its folder: {outside}");
        assert_eq!(altered(ONE, outside).0, message);
    }
}

#[test]
fn index_of_another_length_than_stated_is_refused() {
    let mut packed = three();
    let manifest = packed.manifest();
    packed.manifest = Some(manifest.replace("\"rows\":3", "\"rows\":2"));
    assert_eq!(refused(&packed.bytes()), "objects.ndjson has another number of rows than stated");
    let mut packed = three();
    packed.index[2].pop();
    assert_eq!(refused(&packed.bytes()), "objects.ndjson has a row that is too long or cut off");
}

#[test]
fn index_of_a_directory_with_an_object_twice_is_refused() {
    for (place, name, other) in [(0, ONE, "files/sounds/onf"), (2, THREE, "files/uploads/xxy")] {
        let mut packed = three();
        packed.objects.insert(place + 1, (other.to_owned(), "another content".to_owned()));
        assert_eq!(refused(&packed.bytes()), mismatch(other));
        assert_eq!(refused(&packed.renamed(other, name)), format!("The archive has {name} twice"));
    }
}

#[test]
fn check_missing_refuses_lines_of_another_form() {
    let of = |lines: &str| {
        let mut packed = three();
        let missing = serde_json::from_str::<Manifest>(&packed.manifest()).unwrap().files.remove(1);
        let (archive, _) = reader::open(Cursor::new(packed.bytes()), Limits::default()).unwrap();
        assert_eq!((missing.name.as_str(), missing.rows), (MISSING, Some(0)));
        check_missing(&archive, &missing, Limits::default()).unwrap();
        // The index has rows of another form.
        packed.index = vec![lines.to_owned()];
        let index = serde_json::from_str::<Manifest>(&packed.manifest()).unwrap().files.remove(0);
        let archive = Archive::open(Cursor::new(packed.bytes())).unwrap();
        check_missing(&archive, &index, Limits::default()).map_err(|error| error.to_string())
    };
    assert_eq!(of("{\"key\":\"accounts/a/uploads/one\"}\n"), Ok(()));
    assert!(of("{\"key\":1}\n").unwrap_err().starts_with("a row of missing_objects.ndjson is malformed: "));
    let unknown = "This version does not know missing_objects.ndjson.name";
    assert_eq!(of("{\"key\":\"a\",\"name\":\"b\"}\n"), Err(unknown.to_owned()));
}

/// Writes an archive of objects as an export does.
async fn written(names: impl Iterator<Item = String>) -> Source {
    let file = unnamed();
    let target = Target::File(tokio::fs::File::from_std(file.try_clone().unwrap()));
    let mut writer = ArchiveWriter::new(target, u64::MAX, None);
    for name in names {
        writer.begin_object(&object_file(&name)).await.unwrap();
        writer.bytes(&name.as_bytes()[..8]).await.unwrap();
        writer.end().await.unwrap();
    }
    writer.write_index().await.unwrap();
    writer.begin_rows(MISSING).await.unwrap();
    writer.end().await.unwrap();
    let manifest = json!({
        "format": FORMAT, "version": VERSION, "account_id": uuid::Uuid::nil(), "account_name": "a",
        "exported_at": "2026-01-01T00:00:00Z", "deployment": "d", "program_version": "0", "plan": "pro",
        "secrets": null, "files": writer.files(),
    });
    writer.begin_bytes(FILE).await.unwrap();
    writer.bytes(manifest.to_string().as_bytes()).await.unwrap();
    writer.end().await.unwrap();
    writer.finish().await.unwrap();
    Source::new(file).unwrap()
}

#[tokio::test]
async fn index_of_more_than_64_mebibytes_is_written_and_read() {
    // Long names, so that few objects have a long list.
    let tail = "n".repeat(60_000);
    let source = written((0..1_150).map(|object| format!("{object:08}{tail}"))).await;
    let (archive, manifest) = reader::open(source, Limits::default()).unwrap();
    let index = manifest.files.iter().find(|file| file.name == INDEX).unwrap();
    assert_eq!(index.rows, Some(1_150));
    assert!(index.bytes > 64 * 1024 * 1024, "{} bytes", index.bytes);
    let mut first = Vec::new();
    read(&archive, index, Limits::default(), &mut |objects: Vec<Object>| {
        first = objects;
        false
    })
    .unwrap();
    // A batch ends at its maximum of bytes.
    assert_eq!(first.len(), 18);
    for (place, Object { file, entry }) in first.iter().enumerate() {
        let mut content = Vec::new();
        archive
            .read_entry(entry, file, objects::read, &mut |bytes: bytes::Bytes| {
                content.extend_from_slice(&bytes);
                true
            })
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&content), format!("{place:08}"));
    }
}
