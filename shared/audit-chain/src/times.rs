//! Stored times in SQL. Times that no row of the program has, such as infinite ones, count as others, so that they are
//! faults and stop nothing.

/// Expression of a stored time.
pub(crate) fn finite(column: &str) -> String {
    format!("greatest(least({column}, '9999-12-31Z'), '0001-01-01Z')")
}

/// Expression of a stored time in microseconds since 1970.
pub(crate) fn micros(column: &str) -> String {
    format!("(extract(epoch FROM {}) * 1000000)::bigint", finite(column))
}
