//! Statements over the tables of an archive, made of their columns (reference/archives.md#rows).

use std::collections::BTreeMap;

use crate::tables::{Column, Home, OF_ACCOUNT, Rows, Table};

/// Properties of a column in the database that rows are written into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Expression of its default.
    pub default: Option<String>,
    /// True for JSON that may not be NULL: `null` of an archive is then JSON too.
    pub is_needed_json: bool,
    /// True for a time.
    pub is_time: bool,
}

/// Columns of a table in the database that rows are written into, by name.
pub(crate) type Columns = BTreeMap<String, Stored>;

/// Rows of one page of a table over time.
pub(crate) const PAGE_ROWS: i64 = 1_000;

/// Expression for a row of the archive.
fn line(rows: &Rows) -> String {
    let plain = rows.plain().map(|column| format!("'{column}', t.{column}"));
    let others = rows.others.iter().filter(|column| column.is_in_rows()).map(|column| match column {
        Column::Mapped(mapped) => format!("'{}', {}", mapped.name, mapped.export),
        column => format!("'{0}', t.{0}", column.name()),
    });
    let pairs: Vec<String> = plain.chain(others).collect();
    format!("jsonb_build_object({})::text", pairs.join(", "))
}

fn order(rows: &Rows) -> impl Iterator<Item = (String, &'static str)> {
    rows.order.iter().map(|(column, kind)| {
        let column = if column.starts_with('(') { (*column).to_owned() } else { format!("t.{column}") };
        (column, *kind)
    })
}

/// Statement that reads the rows of an account, in their order. `$1` is the account.
pub(crate) fn select(table: &Table, rows: &Rows) -> String {
    // By bytes, so that two deployments have one order.
    let order = order(rows).map(|(column, kind)| match kind {
        "text" => format!("{column} COLLATE \"C\""),
        _ => column,
    });
    let order: Vec<String> = order.collect();
    format!(
        "SELECT {} AS line FROM {} AS t WHERE {} ORDER BY {}",
        line(rows),
        table.name,
        rows.condition,
        order.join(", ")
    )
}

/// Statement that reads one page of the rows of an account from a table over time: `$1` is the account, `$2` the time at
/// which the export began, `$3` the key of the last row, unless it is the first page.
pub(crate) fn select_page(table: &Table, rows: &Rows, is_first: bool) -> String {
    let order: Vec<(String, &str)> = order(rows).collect();
    let columns: Vec<&str> = order.iter().map(|(column, _)| column.as_str()).collect();
    let texts: Vec<String> = columns.iter().map(|column| format!("{column}::text")).collect();
    let place = |(place, (_, kind)): (usize, &(String, &str))| format!("($3)[{}]::{kind}", place + 1);
    let after = match is_first {
        true => String::new(),
        false => {
            let keys: Vec<String> = order.iter().enumerate().map(place).collect();
            // The first part alone excludes partitions.
            let from =
                order.iter().zip(&keys).next().map(|((column, _), key)| format!("{column} >= {key} AND "));
            let from = from.unwrap_or_default();
            format!(" AND {from}ROW({}) > ROW({})", columns.join(", "), keys.join(", "))
        }
    };
    let until = match order.first() {
        Some((column, "timestamptz")) => format!("{column} < $2"),
        _ => "$2 IS NOT NULL".to_owned(),
    };
    format!(
        "SELECT {} AS line, ARRAY[{}] AS key FROM {} AS t WHERE {} AND {until}{after} ORDER BY {} LIMIT {PAGE_ROWS}",
        line(rows),
        texts.join(", "),
        table.name,
        rows.condition,
        columns.join(", ")
    )
}

/// Statement that reads the persons whom rows of the account name. `$1` is the account.
pub(crate) fn select_people<'a>(tables: impl Iterator<Item = (&'a Table, &'a Rows)>) -> String {
    let of_table = |(table, rows): (&Table, &Rows)| {
        let (name, condition) = (table.name, rows.condition);
        let persons = rows.others.iter().filter_map(|column| match column {
            Column::Person(column) | Column::Holder(column) => Some(*column),
            _ => None,
        });
        persons
            .map(|column| format!("SELECT t.{column} FROM {name} AS t WHERE {condition}"))
            .collect::<Vec<_>>()
    };
    let parts: Vec<String> = tables.flat_map(of_table).collect();
    format!(
        "SELECT jsonb_build_object('id', id, 'display_name', display_name, 'username', username, 'avatar_url', avatar_url)
             ::text AS line
         FROM users WHERE id IN ({}) ORDER BY id",
        parts.join(" UNION ")
    )
}

/// Statement that reads the secrets of a column: name of the row and sealed value. `$1` is the account.
pub(crate) fn select_secrets(table: &Table, rows: &Rows, column: &str, row: &str) -> String {
    format!(
        "SELECT {row} AS name, t.{column} AS sealed FROM {} AS t WHERE {} AND t.{column} IS NOT NULL
         ORDER BY ({row}) COLLATE \"C\"",
        table.name, rows.condition
    )
}

/// Statement that writes the secret of a row: `$1` is the account, `$2` the name of the row, `$3` the sealed value,
/// `$4` the SHA-256 of the text.
pub(crate) fn update_secret(table: &Table, column: &str, row: &str, also: &str) -> String {
    format!("UPDATE {} AS t SET {column} = $3{also} WHERE t.account_id = $1 AND {row} = $2", table.name)
}

/// Statement that writes rows of the archive: `$1` is a JSON array of rows, `$2` the account, `$3` the slug of its
/// plan. A column that the rows lack gets its default. Rows that an export would not have are left out, and so are those
/// over time that are older than a number of days.
pub(crate) fn insert(table: &Table, rows: &Rows, stored: &Columns, max_age_days: i64) -> String {
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for column in rows.plain() {
        let stored = stored.get(column);
        let default = stored.and_then(|stored| stored.default.as_deref()).unwrap_or("NULL");
        let value = match stored {
            Some(Stored { is_needed_json: true, .. }) => format!("coalesce(t.{column}, 'null')"),
            _ => format!("t.{column}"),
        };
        columns.push(column);
        values.push(format!("CASE WHEN line.r ? '{column}' THEN {value} ELSE {default} END"));
    }
    for column in rows.others {
        let value = match column {
            Column::Account(_) => "$2".to_owned(),
            Column::Person(name) | Column::Holder(name) => person(name),
            Column::Actor(name) => format!("coalesce({}, t.{name})", person(name)),
            Column::Mapped(mapped) => format!("mapped.{}", mapped.name),
            Column::Secret(secret) => secret.without.to_owned(),
            // The database makes the value.
            Column::Reset(_, "DEFAULT") => continue,
            Column::Reset(_, value) => (*value).to_owned(),
        };
        columns.push(column.name());
        values.push(value);
    }
    let mapped: Vec<_> = rows
        .others
        .iter()
        .filter_map(|column| match column {
            Column::Mapped(mapped) => Some(mapped),
            _ => None,
        })
        .collect();
    let translated: Vec<String> =
        mapped.iter().map(|mapped| format!("{} AS {}", mapped.import, mapped.name)).collect();
    let translated = match translated.as_slice() {
        [] => String::new(),
        translated => format!(" CROSS JOIN LATERAL (SELECT {}) AS mapped", translated.join(", ")),
    };
    let conditions = mapped
        .iter()
        .map(|mapped| format!(" AND (line.r ->> '{0}' IS NULL OR mapped.{0} IS NOT NULL)", mapped.name));
    let holders = rows.others.iter().filter_map(|column| match column {
        Column::Holder(name) => Some(holder(name)),
        _ => None,
    });
    let age = time(table, rows)
        .map(|column| format!(" AND t.{column} >= now() - make_interval(days => {max_age_days})"));
    let conditions: Vec<String> = conditions.chain(holders).chain(exportable(rows)).chain(age).collect();
    // Their values have other types in the archive.
    let names: Vec<&str> = mapped.iter().map(|mapped| mapped.name).collect();
    let conflicts = match table.home {
        Home::Primary => "",
        Home::TimeSeries => " ON CONFLICT DO NOTHING",
    };
    format!(
        "INSERT INTO {name} ({}) SELECT {} FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS line (r, n)
         CROSS JOIN LATERAL jsonb_populate_record(NULL::{name}, line.r - '{{{}}}'::text[]) AS t{translated}
         WHERE $3 IS NOT NULL{} ORDER BY line.n{conflicts}",
        columns.join(", "),
        values.join(", "),
        names.join(","),
        conditions.concat(),
        name = table.name,
    )
}

/// Statement that checks the times in rows of the archive, `$1`: infinite and absurd ones stop daemons that read the rows
/// of everybody. `None` for rows without a time.
pub(crate) fn check_times(rows: &Rows, stored: &Columns) -> Option<String> {
    let times = rows.plain().filter(|column| stored.get(*column).is_some_and(|stored| stored.is_time));
    let in_span = |column: &str| {
        let latest = if column == "expires_at" { "'9999-12-31'" } else { "now() + interval '10 years'" };
        format!("coalesce((r ->> '{column}')::timestamptz BETWEEN '2000-01-01' AND {latest}, true)")
    };
    let checks: Vec<String> = times.map(in_span).collect();
    (!checks.is_empty()).then(|| {
        format!(
            "SELECT coalesce(bool_and({}), true) AS is_allowed FROM jsonb_array_elements($1::jsonb) AS line (r)",
            checks.join(" AND ")
        )
    })
}

/// Column by which the rows of a table over time are in partitions.
pub(crate) fn time(table: &Table, rows: &Rows) -> Option<&'static str> {
    match (table.home, rows.order.first()) {
        (Home::TimeSeries, Some((column, "timestamptz"))) => Some(*column),
        _ => None,
    }
}

/// Condition that the row would be exported, over the values that are written.
fn exportable(rows: &Rows) -> Option<String> {
    if rows.condition == OF_ACCOUNT {
        return None;
    }
    let plain = rows.plain().map(|column| format!("t.{column}"));
    let others = rows.others.iter().filter_map(|column| match column {
        Column::Account(name) => Some(format!("$2 AS {name}")),
        Column::Mapped(mapped) => Some(format!("mapped.{}", mapped.name)),
        Column::Person(name) | Column::Holder(name) | Column::Actor(name) => Some(format!("t.{name}")),
        Column::Reset(_, "DEFAULT") | Column::Secret(_) => None,
        Column::Reset(name, value) => Some(format!("{value} AS {name}")),
    });
    let values: Vec<String> = plain.chain(others).collect();
    let condition = rows.condition.replace("$1", "$2");
    Some(format!(" AND EXISTS (SELECT FROM (SELECT {}) AS t WHERE {condition})", values.join(", ")))
}

/// Condition that a person may get rights by the row; one without a person gives none.
fn holder(column: &str) -> String {
    format!(
        " AND (t.{column} IS NULL OR EXISTS (SELECT FROM archive_people AS people
              WHERE people.archived_id = t.{column} AND people.may_hold))"
    )
}

fn person(column: &str) -> String {
    format!("(SELECT people.id FROM archive_people AS people WHERE people.archived_id = t.{column})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::table;

    fn of(name: &str) -> (&'static Table, &'static Rows) {
        let table = table(name).unwrap();
        (table, table.exported_rows().unwrap())
    }

    #[test]
    fn select_has_no_secret_and_no_account() {
        let (table, rows) = of("channel_connections");
        let sql = select(table, rows);
        assert!(
            sql.contains("'platform', t.platform") && sql.contains("'connected_by', t.connected_by"),
            "{sql}"
        );
        for absent in ["access_token", "'account_id'", "token_version"] {
            assert!(!sql.contains(absent), "{absent}: {sql}");
        }
    }

    #[test]
    fn select_page_resumes_after_a_key() {
        let (table, rows) = of("chat_messages");
        assert!(!select_page(table, rows, true).contains("$3"));
        let next = select_page(table, rows, false);
        assert!(
            next.contains("AND ROW(t.sent_at, t.id) > ROW(($3)[1]::timestamptz, ($3)[2]::uuid)"),
            "{next}"
        );
        assert!(next.contains("t.sent_at < $2"), "{next}");
    }

    #[test]
    fn insert_sets_the_account_and_never_reads_it() {
        let (table, rows) = of("extension_installs");
        let column = |default: &str, is_needed_json| Stored {
            default: Some(default.to_owned()),
            is_needed_json,
            is_time: false,
        };
        let stored = BTreeMap::from([("enabled".to_owned(), column("true", false))]);
        let sql = insert(table, rows, &stored, 1);
        assert!(sql.contains("CASE WHEN line.r ? 'enabled' THEN t.enabled ELSE true END"), "{sql}");
        assert!(sql.contains("mapped.version_id IS NOT NULL") && !sql.contains("t.account_id"), "{sql}");
        assert!(!sql.contains("ON CONFLICT") && !sql.contains("make_interval"), "{sql}");
        let (table, rows) = of("events");
        let stored = BTreeMap::from([("data".to_owned(), column("'{}'::jsonb", true))]);
        let sql = insert(table, rows, &stored, 7);
        assert!(sql.contains("AND t.occurred_at >= now() - make_interval(days => 7)"), "{sql}");
        assert!(sql.contains("THEN coalesce(t.data, 'null') ELSE '{}'::jsonb END"), "{sql}");
        assert!(sql.ends_with("ON CONFLICT DO NOTHING"), "{sql}");
    }

    #[test]
    fn insert_leaves_out_what_an_export_would_not_have_and_rights_of_others() {
        let (table, rows) = of("surface_tokens");
        let sql = insert(table, rows, &Columns::new(), 1);
        for part in [
            "people.archived_id = t.user_id AND people.may_hold",
            "$2 AS account_id, t.user_id, NULL AS revoked_at) AS t WHERE t.account_id = $2 AND t.kind <> 'extension'",
        ] {
            assert!(sql.contains(part), "{part}: {sql}");
        }
        let (table, rows) = of("overlay_shares");
        assert!(insert(table, rows, &Columns::new(), 1).contains("mapped.id, t.created_by) AS t WHERE"));
    }

    #[test]
    fn check_times_bounds_each_time_of_a_row() {
        let (_, rows) = of("invites");
        assert_eq!(check_times(rows, &Columns::new()), None);
        let time = |name: &str| (name.to_owned(), Stored { is_time: true, ..Stored::default() });
        let sql = check_times(rows, &Columns::from([time("created_at"), time("expires_at")])).unwrap();
        assert!(
            sql.contains("(r ->> 'created_at')::timestamptz BETWEEN '2000-01-01' AND now() + interval"),
            "{sql}"
        );
        assert!(
            sql.contains("(r ->> 'expires_at')::timestamptz BETWEEN '2000-01-01' AND '9999-12-31'"),
            "{sql}"
        );
    }
}
