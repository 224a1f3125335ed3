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

/// A number of rows or pages as GraphQL's `Int`; one beyond 32 bits becomes the largest.
#[must_use]
pub fn int(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
