//! Cursors of lists that grow without end (reference/conventions.md#cursors).
//!
//! A cursor holds time and id of the last row of a part, so that rows which come or go meanwhile move nothing. It also
//! holds the numbers of the page that follows, so that a continued list counts nothing again. It is signed, and bound
//! to its list, filter and account.

use std::hash::{Hash, Hasher};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::{config::JwtKey, id::AccountId, secret::Secret};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::{ApiError, Cx, Page, PageRequest, Result, access::AnyOperation, page::Window};

/// Number of characters of a cursor.
pub const CURSOR_LENGTH: usize = 71;

/// Separates these signatures from others of the same key.
const CONTEXT: &str = "lumio cursor";
/// First byte of a cursor. Cursors of another version are invalid.
const VERSION: u8 = 1;
/// Bytes before the signature: version, time, id, page and total.
const SIGNED_BYTES: usize = 1 + 8 + 16 + 4 + 8;
/// Bytes of the signature.
const SIGNATURE_BYTES: usize = 16;

/// Time and id of a row in a list that is ordered by both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Time of the order, as exact as it is stored.
    pub at: DateTime<Utc>,
    /// Id of the row, which orders rows of one time.
    pub id: Uuid,
}

/// `page`, `limit` and `cursor` of a request, not yet checked by [`CursorRequest::check`].
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CursorRequest {
    /// 1 or more; 1 when absent. Not with `cursor`.
    #[param(value_type = Option<crate::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<crate::page::PageLimit>, inline)]
    pub limit: Option<i64>,
    /// Cursor of the part before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

/// Requested part of a list: a page by its number, or the rows after a cursor.
#[derive(Debug, Clone)]
pub struct Part {
    list: List,
    window: Window,
    after: Option<Position>,
    total: Option<i64>,
}

/// Part of a list that has a cursor.
#[derive(Debug, Clone)]
pub struct CursorPage<T> {
    /// Rows and numbers.
    pub page: Page<T>,
    /// Cursor of the rows that follow; `None` when there are none.
    pub next_cursor: Option<String>,
    /// True for a part that was requested by a cursor.
    pub is_continued: bool,
}

/// List, filter and account that a cursor is bound to.
#[derive(Debug, Clone)]
pub struct List {
    name: &'static str,
    filter: [u8; 32],
    key: Secret,
}

/// Content of a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// Last row before the part.
    after: Position,
    /// Number of the part.
    page: i64,
    /// Rows of the list when its first part was read.
    total: i64,
}

impl CursorRequest {
    /// Request with the numbers of either protocol.
    #[must_use]
    pub fn new<N: Into<i64>>(page: Option<N>, limit: Option<N>, cursor: Option<String>) -> Self {
        Self { page: page.map(Into::into), limit: limit.map(Into::into), cursor }
    }

    /// Checks the numbers and the cursor, for a list of an operation. `filter` holds everything else that selects or
    /// orders its rows.
    ///
    /// # Errors
    /// 400 that names the field: a number out of bounds, both `page` and `cursor`, and a cursor of another list,
    /// filter or account.
    pub fn check(self, cx: &Cx, operation: &dyn AnyOperation, filter: &impl Hash) -> Result<Part> {
        self.check_in(List::of(cx, operation, filter))
    }

    /// As [`CursorRequest::check`], for a list that is known already. Operations use `check`: it binds the cursor to the
    /// account of the caller.
    ///
    /// # Errors
    /// As [`CursorRequest::check`].
    pub fn check_in(self, list: List) -> Result<Part> {
        let Self { page, limit, cursor } = self;
        let window = PageRequest { page, limit }.check()?;
        list.part(window, page, cursor)
    }

    /// As [`CursorRequest::check`], for a window that is checked already. `page` is its number as requested.
    ///
    /// # Errors
    /// As [`CursorRequest::check`].
    pub fn check_window(
        self,
        window: Window,
        cx: &Cx,
        operation: &dyn AnyOperation,
        filter: &impl Hash,
    ) -> Result<Part> {
        List::of(cx, operation, filter).part(window, self.page, self.cursor)
    }
}

impl Part {
    /// Rows to read: one more than the part has, which shows that others follow.
    #[must_use]
    pub const fn limit(&self) -> i64 {
        self.window.limit + 1
    }

    /// Rows to skip: none after a cursor.
    #[must_use]
    pub const fn offset(&self) -> i64 {
        if self.after.is_some() { 0 } else { self.window.offset() }
    }

    /// Last row before the part; `None` without a cursor.
    #[must_use]
    pub const fn after(&self) -> Option<Position> {
        self.after
    }

    /// Time of the last row before the part; `None` without a cursor.
    #[must_use]
    pub fn after_at(&self) -> Option<DateTime<Utc>> {
        self.after.map(|position| position.at)
    }

    /// Id of the last row before the part; `None` without a cursor.
    #[must_use]
    pub fn after_id(&self) -> Option<Uuid> {
        self.after.map(|position| position.id)
    }

    /// Rows of the list when its first part was read; `None` when they must be counted.
    #[must_use]
    pub const fn total(&self) -> Option<i64> {
        self.total
    }

    /// Rows of the list as the cursor holds them, else as the first row of the part has counted them. `None` for a page
    /// beyond the end, whose rows must be counted.
    #[must_use]
    pub fn total_or(&self, counted: Option<i64>) -> Option<i64> {
        let of_empty_list = (self.offset() == 0).then_some(0);
        self.total.or(counted).or(of_empty_list)
    }

    /// Page of rows that were read with [`Part::limit`].
    #[must_use]
    pub fn page<T>(self, mut rows: Vec<(Position, T)>, total: i64) -> CursorPage<T> {
        let Self { list, window, after, .. } = self;
        let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().map(|(position, _)| *position).filter(|_| has_more);
        let next_cursor =
            last.map(|after| list.write(Mark { after, page: window.page.saturating_add(1), total }));
        let items = rows.into_iter().map(|(_, item)| item).collect();
        CursorPage { page: Page { items, total, window }, next_cursor, is_continued: after.is_some() }
    }
}

impl<T> CursorPage<T> {
    /// The same part with other rows.
    ///
    /// # Errors
    /// The first error of `map`.
    pub fn try_map<U>(self, map: impl FnMut(T) -> Result<U>) -> Result<CursorPage<U>> {
        let Self { page: Page { items, total, window }, next_cursor, is_continued } = self;
        let items = items.into_iter().map(map).collect::<Result<_>>()?;
        Ok(CursorPage { page: Page { items, total, window }, next_cursor, is_continued })
    }
}

impl List {
    fn of(cx: &Cx, operation: &dyn AnyOperation, filter: &impl Hash) -> Self {
        let (JwtKey::Hs256(key) | JwtKey::EdDsa(key)) = &cx.state().config.secrets.jwt;
        Self::new(operation.rule().name, cx.principal().account(), filter, key.clone())
    }

    /// List under the name of its operation, for an account and a filter. The key signs its cursors. Operations get theirs
    /// by [`CursorRequest::check`].
    #[must_use]
    pub fn new(name: &'static str, account: Option<AccountId>, filter: &impl Hash, key: Secret) -> Self {
        let mut fingerprint = Fingerprint(Sha256::new());
        (account, filter).hash(&mut fingerprint);
        Self { name, filter: fingerprint.0.finalize().into(), key }
    }

    fn part(self, window: Window, page: Option<i64>, cursor: Option<String>) -> Result<Part> {
        let Some(cursor) = cursor else { return Ok(Part { list: self, window, after: None, total: None }) };
        if page.is_some() {
            return Err(ApiError::invalid("page must not be given with cursor"));
        }
        let mark = self.read(&cursor).ok_or_else(|| {
            ApiError::invalid("Invalid cursor: give the one of the part before, with the same filter")
        })?;
        let window = Window { page: mark.page, ..window };
        Ok(Part { list: self, window, after: Some(mark.after), total: Some(mark.total) })
    }

    fn write(&self, mark: Mark) -> String {
        let page = u32::try_from(mark.page).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(SIGNED_BYTES + SIGNATURE_BYTES);
        bytes.push(VERSION);
        bytes.extend(mark.after.at.timestamp_micros().to_be_bytes());
        bytes.extend(mark.after.id.as_bytes());
        bytes.extend(page.to_be_bytes());
        bytes.extend(mark.total.to_be_bytes());
        let signature = self.mac(&bytes).finalize().into_bytes();
        bytes.extend(signature.iter().take(SIGNATURE_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Content of a cursor; `None` for one that this list did not write.
    fn read(&self, cursor: &str) -> Option<Mark> {
        // Anything else is not decoded: the text may be as long as an address.
        if cursor.len() != CURSOR_LENGTH {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (signed, signature) = bytes.split_at_checked(SIGNED_BYTES)?;
        self.mac(signed).verify_truncated_left(signature).ok()?;
        let (version, rest) = signed.split_first()?;
        let (at, rest) = rest.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        let (page, rest) = rest.split_first_chunk()?;
        let (total, _) = rest.split_first_chunk()?;
        let after = Position {
            at: DateTime::from_timestamp_micros(i64::from_be_bytes(*at))?,
            id: Uuid::from_bytes(*id),
        };
        let mark = Mark { after, page: u32::from_be_bytes(*page).into(), total: i64::from_be_bytes(*total) };
        (*version == VERSION).then_some(mark)
    }

    fn mac(&self, signed: &[u8]) -> Hmac<Sha256> {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.key.expose().as_bytes()) else {
            unreachable!("HMAC takes keys of any length")
        };
        for part in [CONTEXT.as_bytes(), b"\n", self.name.as_bytes(), b"\n", &self.filter, signed] {
            mac.update(part);
        }
        mac
    }
}

/// SHA-256 of what a filter writes into a hasher.
struct Fingerprint(Sha256);

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Not used: the whole digest is.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(name: &'static str, filter: &impl Hash) -> List {
        List::new(name, None, filter, Secret::new("a key of this test"))
    }

    fn position(number: u128) -> Position {
        let at = DateTime::from_timestamp_micros(1_700_000_000_123_456).unwrap();
        Position { at, id: Uuid::from_u128(number) }
    }

    const WINDOW: Window = Window { page: 1, limit: 2 };

    #[test]
    fn cursor_continues_its_list_where_the_part_ended() {
        let rows = |numbers: &[u128]| -> Vec<(Position, u128)> {
            numbers.iter().map(|number| (position(*number), *number)).collect()
        };
        let list = list("events", &("a", 1));
        let first = list.clone().part(WINDOW, Some(1), None).unwrap();
        assert_eq!((first.limit(), first.offset(), first.after(), first.total()), (3, 0, None, None));
        assert_eq!((first.total_or(Some(5)), first.total_or(None)), (Some(5), Some(0)));
        let first = first.page(rows(&[9, 8, 7]), 5);
        assert_eq!((first.page.items.as_slice(), first.is_continued), ([9, 8].as_slice(), false));
        let cursor = first.next_cursor.unwrap();
        assert_eq!(cursor.len(), CURSOR_LENGTH);
        let second = list.part(WINDOW, None, Some(cursor)).unwrap();
        assert_eq!((second.offset(), second.after(), second.total()), (0, Some(position(8)), Some(5)));
        assert_eq!(second.total_or(None), Some(5));
        assert_eq!((second.after_at(), second.after_id()), (Some(position(8).at), Some(position(8).id)));
        let second = second.page(rows(&[7, 6]), 5);
        assert_eq!((second.page.window.page, second.page.pages()), (2, 3));
        assert_eq!((second.next_cursor, second.is_continued), (None, true));
    }

    #[test]
    fn cursor_of_another_list_filter_or_key_and_a_changed_one_is_refused() {
        let own = list("events", &("a", 1));
        let cursor = own.write(Mark { after: position(1), page: 2, total: 7 });
        assert_eq!(own.read(&cursor).map(|mark| (mark.page, mark.total)), Some((2, 7)));
        let mut others =
            vec![list("auditLog", &("a", 1)), list("events", &("a", 2)), list("events", &("b", 1))];
        others.push(List { key: Secret::new("another key"), ..own.clone() });
        for other in others {
            assert_eq!(other.read(&cursor), None, "{other:?}");
        }
        for place in 0..CURSOR_LENGTH {
            let other = if cursor.as_bytes()[place] == b'A' { 'B' } else { 'A' };
            let changed = format!("{}{other}{}", &cursor[..place], &cursor[place + 1..]);
            // The last character has bits that hold nothing; a text with them is not accepted either.
            assert_eq!(own.read(&changed), None, "{place}");
        }
        for wrong in ["", "x", &cursor[1..], &format!("{cursor}A"), &format!("{}x", "é".repeat(35))] {
            let refusal = own.clone().part(WINDOW, None, Some(wrong.to_owned())).unwrap_err();
            assert_eq!(refusal.details.unwrap()["fields"][0]["field"], "cursor", "{wrong}");
        }
        let both = own.part(WINDOW, Some(1), Some(cursor)).unwrap_err();
        assert_eq!(both.message, "page must not be given with cursor");
    }
}
