//! Queries over `csp_reports`, which belong to no account.

use api_core::{CursorPage, Position, Result, cursor::Part};
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

/// Returns one part of the reports, newest first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    directive: Option<&str>,
    part: Part,
) -> Result<CursorPage<CspReport>> {
    let (mut rows, mut count) = (dsl::csp_reports.into_boxed(), dsl::csp_reports.into_boxed());
    if let Some(directive) = directive {
        rows = rows.filter(dsl::violated_directive.eq(directive.to_owned()));
        count = count.filter(dsl::violated_directive.eq(directive.to_owned()));
    }
    if let Some(Position { at, id }) = part.after() {
        rows = rows.filter(dsl::received_at.le(at)).filter(dsl::received_at.lt(at).or(dsl::id.lt(id)));
    }
    let total = match part.total() {
        Some(total) => total,
        None => count.count().get_result(connection).await?,
    };
    let rows: Vec<(DateTime<Utc>, CspReport)> = rows
        .order((dsl::received_at.desc(), dsl::id.desc()))
        .limit(part.limit())
        .offset(part.offset())
        .select((dsl::received_at, CspReport::as_select()))
        .load(connection)
        .await?;
    let rows = rows.into_iter().map(|(at, report)| (Position { at, id: report.id }, report));
    Ok(part.page(rows.collect(), total))
}
