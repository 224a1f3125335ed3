//! Cursors of lists that grow without end (reference/conventions.md#cursors): a list continues where its own cursor
//! states, and refuses every other text.

use api_core::{
    CursorRequest, Position, Result,
    cursor::{CURSOR_LENGTH, List, Part},
};
use chrono::DateTime;
use shared::{
    id::{AccountId, Trust},
    secret::Secret,
};
use uuid::Uuid;

const KEY: &str = "a key of this property";
const REFUSAL: &str = "Invalid cursor: give the one of the part before, with the same filter";

/// The input begins with the content of a cursor: time, id, page and total. A place in the cursor and the character that
/// replaces the one there follow. The rest is a text in the place of the cursor.
pub fn check(input: &[u8]) {
    let mut rest = input;
    let at = DateTime::from_timestamp_micros(i64::from_be_bytes(take(&mut rest))).unwrap_or_default();
    let position = Position { at, id: Uuid::from_bytes(take(&mut rest)) };
    let page = i64::from(i32::from_be_bytes(take(&mut rest)).max(1));
    let total = i64::from_be_bytes(take(&mut rest));
    let [place, character] = take::<2>(&mut rest);

    let cursor = written(position, page, total);
    is_continued(&cursor, position, page, total);
    for list in others() {
        is_refused(list, &cursor);
    }
    let place = usize::from(place) % CURSOR_LENGTH;
    let mut altered = cursor.clone();
    altered.replace_range(place..=place, &char::from(character).to_string());
    let texts = [altered, format!("{cursor}A"), cursor[1..].to_owned(), String::from_utf8_lossy(rest).into()];
    for text in texts.iter().filter(|text| **text != cursor) {
        is_refused(own(), text);
    }
}

/// The next bytes of the input, with zeros behind its end.
fn take<const N: usize>(input: &mut &[u8]) -> [u8; N] {
    let (head, rest) = input.split_at(N.min(input.len()));
    let mut taken = [0; N];
    taken[..head.len()].copy_from_slice(head);
    *input = rest;
    taken
}

fn own() -> List {
    list("events", Some(1), ("chat", 1), KEY)
}

/// Lists that differ from the own one by operation, account, filter or key.
fn others() -> [List; 6] {
    [
        list("auditLog", Some(1), ("chat", 1), KEY),
        list("events", Some(2), ("chat", 1), KEY),
        list("events", None, ("chat", 1), KEY),
        list("events", Some(1), ("chat", 2), KEY),
        list("events", Some(1), ("chats", 1), KEY),
        list("events", Some(1), ("chat", 1), "another key"),
    ]
}

fn list(name: &'static str, account: Option<u128>, filter: (&str, i64), key: &str) -> List {
    let account = account.map(|id| AccountId::trusted(Uuid::from_u128(id), Trust::Test));
    List::new(name, account, &filter, Secret::new(key))
}

/// Cursor behind a page that ends with a row.
fn written(last: Position, page: i64, total: i64) -> String {
    let first = CursorRequest { page: Some(page), limit: Some(1), cursor: None };
    let part = first.check_in(own()).expect("a page within its bounds");
    let rows = vec![(last, ()); 2];
    let cursor = part.page(rows, total).next_cursor.expect("a row follows the page");
    assert_eq!(cursor.len(), CURSOR_LENGTH, "{cursor}");
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    assert!(cursor.bytes().all(is_bare), "{cursor} must be escaped in an address");
    cursor
}

fn is_continued(cursor: &str, last: Position, page: i64, total: i64) {
    let part = continued(own(), cursor).expect("a cursor of the list");
    assert_eq!((part.after(), part.offset(), part.total()), (Some(last), 0, Some(total)));
    let next = part.page(Vec::<(Position, ())>::new(), total);
    assert_eq!((next.page.window.page, next.is_continued), (page + 1, true));
    let with_page = CursorRequest { page: Some(page), limit: None, cursor: Some(cursor.to_owned()) };
    let refusal = with_page.check_in(own()).expect_err("a page beside a cursor");
    assert_eq!(refusal.message, "page must not be given with cursor");
}

fn continued(list: List, cursor: &str) -> Result<Part> {
    CursorRequest { page: None, limit: None, cursor: Some(cursor.to_owned()) }.check_in(list)
}

fn is_refused(list: List, cursor: &str) {
    let refusal = match continued(list, cursor) {
        Ok(part) => panic!("{cursor:?} continues {part:?}"),
        Err(refusal) => refusal,
    };
    assert_eq!((refusal.code.status().as_u16(), refusal.message.as_str()), (400, REFUSAL));
    let details = refusal.details.expect("the field is named");
    assert_eq!(details["fields"][0]["field"], "cursor", "{details}");
}
