//! Queries over `csp_reports`, which belong to no account.

use api_core::{Result, page::Window};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{id, schema::csp_reports::dsl};

use super::{CspReport, Report, report::clipped};

const MAX_USER_AGENT_LENGTH: usize = 300;

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    reports: &[Report],
    user_agent: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let user_agent = user_agent.map(|text| clipped(text, MAX_USER_AGENT_LENGTH));
    let rows: Vec<_> = reports
        .iter()
        .map(|report| {
            (
                dsl::id.eq(id::new()),
                dsl::document_uri.eq(&report.document_uri),
                dsl::blocked_uri.eq(&report.blocked_uri),
                dsl::violated_directive.eq(&report.violated_directive),
                dsl::disposition.eq(&report.disposition),
                dsl::source_file.eq(&report.source_file),
                dsl::line_number.eq(report.line_number),
                dsl::column_number.eq(report.column_number),
                dsl::status_code.eq(report.status_code),
                dsl::user_agent.eq(&user_agent),
                dsl::received_at.eq(now),
            )
        })
        .collect();
    insert_into(dsl::csp_reports).values(rows).execute(connection).await?;
    Ok(())
}

/// Returns one page of reports, newest first, and the total number.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    directive: Option<&str>,
    window: Window,
) -> Result<(Vec<CspReport>, i64)> {
    let (mut rows, mut count) = (dsl::csp_reports.into_boxed(), dsl::csp_reports.into_boxed());
    if let Some(directive) = directive {
        rows = rows.filter(dsl::violated_directive.eq(directive.to_owned()));
        count = count.filter(dsl::violated_directive.eq(directive.to_owned()));
    }
    let items = rows
        .order((dsl::received_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(CspReport::as_select())
        .load(connection)
        .await?;
    Ok((items, count.count().get_result(connection).await?))
}
