//! Cost of access checks: the check of a rule with and without caches, `me` with many memberships, and a walk over
//! every operation that reads.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use api_core::{
    Cx, State,
    access::{Grants, Member, Operation, Principal, RequestInfo},
};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Integer, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Databases;
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::Value;
use shared::{
    catalogue::{AccountPermission, Feature},
    clock::Clock,
    config::Config,
    id::{AccountId, Trust},
};
use stack::{
    Stack,
    measure::{Rounds, processor_time, short},
};
use uuid::Uuid;

use crate::{
    table::{Row, Table},
    tools::{Load, wrk},
};

static RULE: Operation<Member> =
    Operation::member("userApiKeys", AccountPermission::ApikeysRead, Grants::Nothing)
        .feature(Feature::ApiKeys);

const MEMBERS: i32 = 500;
const MEMBERSHIPS: i32 = 10;

pub async fn run(stack: &Stack, table: &mut Table, rounds: u32, seconds: u64) -> Result<()> {
    let config = Config::from_variables(stack.environment.clone())
        .map_err(|problems| anyhow::anyhow!(problems.join("; ")))?;
    let databases = Databases::new(&config.databases);
    let state = State::new(config, Clock::default(), databases.clone())?;
    let account: Uuid = stack.account_id.parse()?;
    cold(&state, &databases, table, account).await?;
    // As on a server that receives changes; here there are none.
    state.caches.open();
    warm(&state, table, rounds, stack.user_id.parse()?, account).await?;
    me(&databases, stack, table, rounds, seconds).await?;
    walk(stack, table, seconds).await
}

/// First request of every person: role, overrides and features are read from the database.
async fn cold(state: &State, databases: &Databases, table: &mut Table, account: Uuid) -> Result<()> {
    let members = members(databases, account).await?;
    let (before, began) = (processor_time(std::process::id())?, Instant::now());
    for user in &members {
        authorize(state, *user, account).await?;
    }
    let (used, took) = (processor_time(std::process::id())? - before, began.elapsed());
    let count = u32::try_from(members.len())?;
    table.add(Row {
        work: "Authorisation, nothing remembered",
        figure: format!("{} µs CPU, {} µs", micros(used, count), micros(took, count)),
        bar: "none",
        met: None,
    });
    Ok(())
}

async fn warm(state: &State, table: &mut Table, rounds: u32, user: Uuid, account: Uuid) -> Result<()> {
    const TIMES: u32 = 100_000;
    let mut cpu = Rounds::default();
    authorize(state, user, account).await?;
    for _ in 0..rounds {
        let before = processor_time(std::process::id())?;
        for _ in 0..TIMES {
            authorize(state, user, account).await?;
        }
        cpu.add((processor_time(std::process::id())? - before).as_secs_f64() * 1e6 / f64::from(TIMES));
    }
    table.add(Row {
        work: "Authorisation, rights remembered",
        figure: cpu.summary("µs CPU"),
        bar: "≤ 5 µs CPU",
        met: Some(cpu.median() <= 5.0),
    });
    Ok(())
}

async fn me(
    databases: &Databases,
    stack: &Stack,
    table: &mut Table,
    rounds: u32,
    seconds: u64,
) -> Result<()> {
    join_accounts(databases, stack.user_id.parse()?).await?;
    let url = format!("{}/v1/users/me", stack.origin);
    let load = Load { url: &url, token: &stack.session, body: None, seconds };
    wrk(&Load { seconds: 1, ..load })?;
    let (mut rate, mut cpu) = (Rounds::default(), Rounds::default());
    for _ in 0..rounds {
        let before = processor_time(stack.api_pid)?;
        let per_second = wrk(&load)?;
        rate.add(per_second);
        #[expect(clippy::cast_precision_loss, reason = "seconds of a round")]
        let requests = per_second * seconds as f64;
        cpu.add((processor_time(stack.api_pid)? - before).as_secs_f64() * 1e6 / requests);
    }
    table.add(Row {
        work: "`me` with ten memberships",
        figure: format!("{}, {} µs CPU", rate.summary("req/s"), short(cpu.median())),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Reads everything that can be read, as the owner, with unused ids.
async fn walk(stack: &Stack, table: &mut Table, seconds: u64) -> Result<()> {
    let document: Value = serde_json::from_str(&stack.run("lumio-api", &["openapi"])?)?;
    let paths = document["paths"].as_object().context("paths")?;
    let paths: Vec<String> = paths
        .iter()
        .filter(|(path, item)| path.starts_with("/v1/") && item["get"].is_object())
        .map(|(path, _)| filled(path))
        .collect();
    ensure!(paths.len() > 20, "only {} paths to walk", paths.len());
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let until = Instant::now() + Duration::from_secs(seconds);
    let began = Instant::now();
    let walked = stream::iter(paths.iter().cycle().take_while(|_| Instant::now() < until))
        .map(|path| client.get(format!("{}{path}", stack.origin)).bearer_auth(&stack.session).send())
        .buffer_unordered(32)
        .try_fold(0_u32, async |walked, answer| {
            answer.bytes().await?;
            Ok(walked + 1)
        })
        .await?;
    let rate = f64::from(walked) / began.elapsed().as_secs_f64();
    table.add(Row {
        work: "Walk over every read",
        figure: format!("{} calls/s over {} paths", short(rate), paths.len()),
        bar: "none",
        met: None,
    });
    Ok(())
}

async fn authorize(state: &State, user: Uuid, account: Uuid) -> Result<()> {
    let account = Some(AccountId::trusted(account, Trust::Test));
    let principal = Principal::Session { user: user.into(), session: Uuid::nil(), account };
    let cx = Cx::new(state.clone(), principal, RequestInfo::default());
    cx.authorize(&RULE).await.map(drop).map_err(|error| anyhow::anyhow!("refused: {}", error.message))
}

#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = SqlUuid)]
    user_id: Uuid,
}

/// Creates members with the administrator's role.
async fn members(databases: &Databases, account: Uuid) -> Result<Vec<Uuid>> {
    let made: Vec<Made> = sql_query(
        "WITH made AS (
            INSERT INTO users (id, display_name, username)
            SELECT gen_random_uuid(), 'member ' || n, 'member' || n FROM generate_series(1, $2) AS n RETURNING id
         )
         INSERT INTO memberships (id, account_id, user_id, role_id)
         SELECT gen_random_uuid(), $1, made.id, account_roles.id
         FROM made JOIN account_roles ON account_roles.account_id = $1 AND account_roles.slug = 'administrator'
         RETURNING user_id",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<Integer, _>(MEMBERS)
    .load(&mut *databases.postgres.get().await?)
    .await?;
    Ok(made.into_iter().map(|row| row.user_id).collect())
}

/// Makes the person a member of more accounts, ten in all.
async fn join_accounts(databases: &Databases, user: Uuid) -> Result<()> {
    sql_query(
        "WITH made AS (
            INSERT INTO accounts (id, name, slug, owner_id, plan_id)
            SELECT gen_random_uuid(), 'bench ' || n, 'bench-' || n, $1, (SELECT id FROM plans WHERE slug = 'pro')
            FROM generate_series(2, $2) AS n RETURNING id
         ), role AS (
            INSERT INTO account_roles (id, account_id, slug, name, is_system, position, permissions)
            SELECT gen_random_uuid(), made.id, 'owner', 'Owner', true, 0,
                   (SELECT permissions FROM account_roles WHERE slug = 'owner' LIMIT 1)
            FROM made RETURNING id, account_id
         )
         INSERT INTO memberships (id, account_id, user_id, role_id)
         SELECT gen_random_uuid(), role.account_id, $1, role.id FROM role",
    )
    .bind::<SqlUuid, _>(user)
    .bind::<Integer, _>(MEMBERSHIPS)
    .execute(&mut *databases.postgres.get().await?)
    .await?;
    Ok(())
}

fn filled(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        if segment.starts_with('{') { Uuid::now_v7().to_string() } else { segment.to_owned() }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn micros(time: Duration, count: u32) -> String {
    short(time.as_secs_f64() * 1e6 / f64::from(count))
}
