//! Erasure of automation runs that name a person in the run or in a step of it (reference/privacy.md#databases).
//! Steps are read in pages of their own: one run may have thousands of them.

use api_core::{Result, State};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Int4, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::{
    Identity,
    stores::{Search, TABLES, Table},
    tables::{Erased, connection, holds, last_id, names_the_person, names_the_platform},
};

/// Runs or steps that one statement reads. Each may have hundreds of kilobytes, and a statement has seconds.
const PAGE_SIZE: i64 = 200;

/// Values of a run.
const VALUES_OF_A_RUN: &str = "jsonb_build_array(trigger, context)";
/// Values of a step.
const VALUES_OF_A_STEP: &str = "jsonb_build_array(input, output, result, answer)";
/// Failure of a step, and the beginnings that are stored of large values.
const TEXTS_OF_A_STEP: &str = "concat_ws(' ', error, CASE WHEN input ? 'truncated' THEN input ->> 'text' END,
    CASE WHEN output ? 'truncated' THEN output ->> 'text' END)";

/// Page of runs or steps.
#[derive(QueryableByName)]
struct Page {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    last: Option<Uuid>,
    /// Position of the last step; 0 of runs.
    #[diesel(sql_type = Nullable<Int4>)]
    position: Option<i32>,
    /// Account of each deleted run.
    #[diesel(sql_type = Array<SqlUuid>)]
    accounts: Vec<Uuid>,
}

/// Deletes every run that names the person.
pub(super) async fn erase(state: &State, identity: &Identity, erased: &mut Erased) -> Result<()> {
    for table in TABLES.iter().filter(|table| matches!(table.search, Search::Runs)) {
        erase_from(state, table, identity, erased).await?;
    }
    Ok(())
}

/// Reads the table in the order of its ids, up to the last id at the beginning.
async fn erase_from(
    state: &State,
    table: &'static Table,
    identity: &Identity,
    erased: &mut Erased,
) -> Result<()> {
    let last = last_id(state, table).await?;
    for sql in [pages_of_runs(identity), pages_of_steps(identity)] {
        let mut after = (Uuid::nil(), i32::MAX);
        while after.0 <= last {
            let page = erase_page(state, table, &sql, identity, after).await?;
            for account in page.accounts {
                erased.add(table.name, Some(account), 1);
            }
            let (Some(run), Some(position)) = (page.last, page.position) else { break };
            after = (run, position);
        }
    }
    Ok(())
}

async fn erase_page(
    state: &State,
    table: &Table,
    sql: &str,
    identity: &Identity,
    after: (Uuid, i32),
) -> Result<Page> {
    Ok(sql_query(sql)
        .bind::<Text, _>(identity.platform.slug())
        .bind::<Text, _>(&identity.user_id)
        .bind::<BigInt, _>(PAGE_SIZE)
        .bind::<Nullable<BigInt>, _>(identity.number())
        .bind::<SqlUuid, _>(after.0)
        .bind::<Int4, _>(after.1)
        .get_result(&mut *connection(state, table.place).await?)
        .await?)
}

/// Statement that reads a page of runs after `$5` and deletes those that name the person.
fn pages_of_runs(identity: &Identity) -> String {
    let page = format!(
        "SELECT account_id, id AS run_id, 0 AS position, {VALUES_OF_A_RUN} AS data, coalesce(error, '') AS texts
         FROM automation_runs WHERE id > $5 AND $6 IS NOT NULL ORDER BY id LIMIT $3"
    );
    deleting(&page, &names_the_person("data", identity), identity)
}

/// Statement that reads a page of steps after `$5` and `$6` and deletes the runs of those that name the person. The
/// platform of an id of few characters may be named by the run.
fn pages_of_steps(identity: &Identity) -> String {
    let page = format!(
        "SELECT account_id, run_id, position, {VALUES_OF_A_STEP} AS data, {TEXTS_OF_A_STEP} AS texts
         FROM automation_steps WHERE (run_id, position) > ($5, $6) ORDER BY run_id, position LIMIT $3"
    );
    let of_the_run = format!(
        "({} AND EXISTS (SELECT FROM automation_runs AS run
            WHERE run.account_id = page.account_id AND run.id = page.run_id AND {}))",
        holds("data"),
        names_the_platform("jsonb_build_array(run.trigger, run.context)")
    );
    let names = names_the_person("data", identity);
    let names = if identity.is_short() { format!("({names} OR {of_the_run})") } else { names };
    deleting(&page, &names, identity)
}

fn deleting(page: &str, names: &str, identity: &Identity) -> String {
    // An id of few characters is in many texts.
    let is_in_texts = if identity.is_short() { "false".to_owned() } else { holds_as_a_word("texts") };
    format!(
        "WITH page AS MATERIALIZED ({page}),
         found AS (SELECT DISTINCT account_id, run_id FROM page WHERE {names} OR {is_in_texts}),
         gone AS (DELETE FROM automation_runs AS run USING found
             WHERE run.account_id = found.account_id AND run.id = found.run_id RETURNING run.account_id),
         last AS (SELECT run_id, position FROM page ORDER BY run_id DESC, position DESC LIMIT 1)
         SELECT (SELECT run_id FROM last) AS last, (SELECT position FROM last) AS position,
             ARRAY(SELECT account_id FROM gone) AS accounts"
    )
}

/// Condition for a text that contains the id as a whole, not as part of a longer one.
fn holds_as_a_word(text: &str) -> String {
    format!(
        "{text} ~ ('(^|[^0-9A-Za-z_-])' || regexp_replace($2, '([][\\\\.^$*+?(){{}}|])', '\\\\\\1', 'g') \
             || '([^0-9A-Za-z_-]|$)')"
    )
}
