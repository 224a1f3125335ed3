//! GraphQL fields of `hours`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{UsageHour, UsageQuery, UsageTotal};
use crate::UsageSubject;

/// Query fields.
pub struct UsageHourQueries;

graphql_page! {
    /// Page of hours.
    UsageHourPage of UsageHour
}

graphql_page! {
    /// Page of totals.
    UsageTotalPage of UsageTotal
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl UsageHourQueries {
    async fn usage_hours(
        ctx: &Cx,
        subject: Option<UsageSubject>,
        subject_id: Option<Uuid>,
        from: Option<String>,
        to: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<UsageHourPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = UsageQuery { subject, subject_id, from, to, page, limit };
        Ok(super::usage_hours(ctx, Ok(query)).await?.into())
    }

    async fn usage_totals(
        ctx: &Cx,
        subject: Option<UsageSubject>,
        subject_id: Option<Uuid>,
        from: Option<String>,
        to: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<UsageTotalPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = UsageQuery { subject, subject_id, from, to, page, limit };
        Ok(super::usage_totals(ctx, Ok(query)).await?.into())
    }
}
