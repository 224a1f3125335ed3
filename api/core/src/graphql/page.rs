//! Page type of a collection: every list with pages has these fields, of these types.

/// Declares the page of an object: `graphql_page!(CouponPage of Coupon)`.
#[macro_export]
macro_rules! graphql_page {
    ($(#[$doc:meta])* $name:ident of $item:ident) => {
        $(#[$doc])*
        #[derive(::juniper::GraphQLObject)]
        #[graphql(scalar = ::juniper::DefaultScalarValue)]
        pub struct $name {
            /// Rows of this page.
            items: Vec<$item>,
            /// Rows of all pages.
            total: i32,
            /// Number of this page, from 1.
            page: i32,
            /// Highest number of rows of a page.
            limit: i32,
            /// Number of pages; 0 when there is no row.
            pages: i32,
        }

        impl From<$crate::Page<$item>> for $name {
            fn from(page: $crate::Page<$item>) -> Self {
                use $crate::graphql::int;
                Self {
                    total: int(page.total),
                    page: int(page.window.page),
                    limit: int(page.window.limit),
                    pages: int(page.pages()),
                    items: page.items,
                }
            }
        }
    };
}

/// Declares the page of an object in a list that has cursors: `graphql_cursor_page!(EventPage of Event)`.
#[macro_export]
macro_rules! graphql_cursor_page {
    ($(#[$doc:meta])* $name:ident of $item:ident) => {
        $(#[$doc])*
        #[derive(::juniper::GraphQLObject)]
        #[graphql(scalar = ::juniper::DefaultScalarValue)]
        pub struct $name {
            /// Rows of this page.
            items: Vec<$item>,
            /// Rows of all pages; with a cursor, when the first page was read.
            total: i32,
            /// Number of this page, from 1; with a cursor, counted from the first page.
            page: i32,
            /// Highest number of rows of a page.
            limit: i32,
            /// Number of pages; 0 when there is no row.
            pages: i32,
            /// `cursor` of the rows that follow. Null: there are none.
            next_cursor: Option<String>,
        }

        impl From<$crate::CursorPage<$item>> for $name {
            fn from(part: $crate::CursorPage<$item>) -> Self {
                use $crate::graphql::int;
                let page = part.page;
                Self {
                    total: int(page.total),
                    page: int(page.window.page),
                    limit: int(page.window.limit),
                    pages: int(page.pages()),
                    items: page.items,
                    next_cursor: part.next_cursor,
                }
            }
        }
    };
}

/// A number of rows or pages as GraphQL's `Int`; one beyond 32 bits becomes the largest.
#[must_use]
pub fn int(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
