//! Prefix search for platform users: every prefix of two letters, and longer ones of existing and missing names, one
//! call after the other over HTTP.

use std::{path::PathBuf, process::Command, time::Instant};

use anyhow::{Context, Result, ensure};
use stack::{
    Stack,
    measure::{percentile, short},
};

use crate::table::{Row, Table};

/// Lengths of prefixes in addition to two letters.
const LENGTHS: [usize; 6] = [3, 4, 5, 6, 8, 12];
/// Names that prefixes of each length are taken from.
const NAMES: usize = 150;
/// Warm-up calls: the first of each prefix reads from the disk.
const WARM_UP: usize = 1;

/// Skewed as names are: the commonest two letters begin a few percent of all names, a tenth have a display name of
/// their own. The indexes are created after the rows, which is many times faster.
const LOAD: &str = "
    CREATE TEMP TABLE kept AS SELECT indexname, indexdef FROM pg_indexes
        WHERE tablename = 'platform_users' AND indexname <> 'platform_users_pkey';
    DO $$ DECLARE one record; BEGIN
        FOR one IN SELECT indexname FROM kept LOOP EXECUTE format('DROP INDEX %I', one.indexname); END LOOP;
    END $$;
    SELECT setseed(0.42);
    INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, message_count,
        first_seen_at, last_seen_at)
    SELECT :'account', (ARRAY['twitch', 'youtube', 'kick', 'trovo'])[1 + i % 4], i::text, name,
        CASE WHEN i % 10 = 0 THEN syllables[1 + (power(random(), 2) * 59)::int] || ' ' || initcap(name)
            ELSE initcap(name) END,
        (power(random(), 4) * 5000)::int, now() - interval '400 days', now() - random() * interval '400 days'
    FROM (SELECT i, syllables, syllables[1 + (power(random(), 2) * 59)::int] || syllables[1 + (random() * 59)::int]
            || syllables[1 + (random() * 59)::int] || (i % 997)::text AS name
        FROM generate_series(1, :users) AS i, (SELECT string_to_array('ma the xx ka da ja al no re li sa be lu mi an '
            'ch st ga ra pa to mo ni de ro el ta la ha bo co ba wi fr sh ki za vi mr iam dr sk gr tr bl cr sn ti yu ya '
            'ze ox qu up ic og ev uz w_ zz', ' ') AS syllables) AS made) AS named;
    DO $$ DECLARE one record; BEGIN
        FOR one IN SELECT indexdef FROM kept LOOP EXECUTE one.indexdef; END LOOP;
    END $$;
    ANALYZE platform_users;
";

pub async fn run(stack: &Stack, table: &mut Table, users: u32) -> Result<()> {
    let database = &stack.environment["DATABASE_URL"];
    eprintln!("   loading {users} users");
    psql(database, &[("account", &stack.account_id), ("users", &users.to_string())], LOAD)?;
    let prefixes = prefixes(database)?;
    for _ in 0..WARM_UP {
        measure(stack, &prefixes).await?;
    }
    let mut took = measure(stack, &prefixes).await?;
    let (p99, worst) = (percentile(&mut took, 99.0), percentile(&mut took, 100.0));
    table.add(Row {
        work: "User prefix search",
        figure: format!(
            "p50 {}, p99 {}, most {} ms over {} prefixes among {users} users",
            short(percentile(&mut took, 50.0)),
            short(p99),
            short(worst),
            prefixes.len()
        ),
        bar: "p99 ≤ 20 ms at 10,000,000 users, every prefix from 2 letters",
        met: Some(p99 <= 20.0),
    });
    Ok(())
}

/// Milliseconds of each call.
async fn measure(stack: &Stack, prefixes: &[String]) -> Result<Vec<f64>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut took = Vec::with_capacity(prefixes.len());
    for prefix in prefixes {
        let request = client
            .get(format!("{}/v1/chat/users/search", stack.origin))
            .query(&[("q", prefix.as_str()), ("limit", "25")])
            .bearer_auth(&stack.session);
        let began = Instant::now();
        let response = request.send().await?;
        ensure!(response.status().is_success(), "the search for {prefix:?} answered {}", response.status());
        response.bytes().await?;
        took.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(took)
}

fn prefixes(database: &str) -> Result<Vec<String>> {
    let of_names = LENGTHS.map(|length| {
        format!(
            "SELECT left(lower(username), {length}) FROM (SELECT username FROM platform_users TABLESAMPLE SYSTEM (5) \
             ORDER BY md5(username) LIMIT {NAMES}) AS sampled \
             UNION SELECT left(lower(username), {length} - 1) || '#' FROM (SELECT username FROM platform_users \
             TABLESAMPLE SYSTEM (5) ORDER BY md5(username) LIMIT {NAMES} / 5) AS others"
        )
    });
    let sql = format!(
        "SELECT prefix FROM (SELECT DISTINCT left(lower(username), 2) AS prefix FROM platform_users UNION {}) AS all_of_them \
         ORDER BY md5(prefix)",
        of_names.join(" UNION ")
    );
    let printed = psql(database, &[], &sql)?;
    let prefixes: Vec<String> = printed.lines().map(str::to_owned).filter(|line| line.len() >= 2).collect();
    ensure!(prefixes.len() > 500, "only {} prefixes were made", prefixes.len());
    Ok(prefixes)
}

fn psql(database: &str, variables: &[(&str, &str)], sql: &str) -> Result<String> {
    let program = PathBuf::from(std::env::var("LUMIO_PSQL").context("LUMIO_PSQL is not set")?);
    let script = tempfile::NamedTempFile::new()?;
    std::fs::write(script.path(), sql)?;
    let mut command = Command::new(program);
    command.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-f"]).arg(script.path());
    for (name, value) in variables {
        command.args(["-v", &format!("{name}={value}")]);
    }
    let output = command.env("LC_ALL", "C.UTF-8").output()?;
    ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
