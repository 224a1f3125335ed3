//! `lumio-api admin …`: commands for operators at the console.

use std::path::PathBuf;

use api_core::State;
use chrono::{DateTime, Utc};
use clap::{
    Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use connections::oauth::{NewChannel, connect_manually};
use foundation::db::Databases;
use shared::platform::Platform;
use uuid::Uuid;

use super::{
    archives, audit, channels,
    doctor::doctor,
    jobs, keys,
    listing::{self, Listing},
    output::print,
    payments, people, rotation, simulate,
};

/// A command for operators.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a person with an account of their own. Prints both ids as JSON.
    CreateUser {
        /// Display name, visible to others.
        #[arg(long)]
        display_name: String,
        /// Name in addresses; the display name in lower case when absent.
        #[arg(long)]
        username: Option<String>,
        /// Address that mails are sent to.
        #[arg(long)]
        email: Option<String>,
        /// Name of the account; the display name when absent.
        #[arg(long)]
        account: Option<String>,
    },
    /// List people, newest first. Prints JSON, a line each.
    ListPeople {
        #[command(flatten)]
        listing: Listing,
    },
    /// List accounts with their owners and plans, newest first. Prints JSON, a line each.
    ListAccounts {
        #[command(flatten)]
        listing: Listing,
    },
    /// Create a system key for an own service. Prints the key, this once.
    CreateSystemKey {
        /// Purpose, as lists of keys show it.
        #[arg(long)]
        label: String,
        /// Write the key into this file instead; nothing is done when the file holds a key that is accepted.
        #[arg(long)]
        file: Option<PathBuf>,
    },
    /// Give a person a role of operator staff. Prints the role.
    GrantAdmin {
        /// Id of the person: `data.id` of GET /v1/users/me.
        #[arg(long)]
        user: Uuid,
        /// Name of the role; the System Admin role when absent.
        #[arg(long)]
        role: Option<String>,
    },
    /// Sign a person in. Prints the session token.
    IssueSession {
        /// Id of the person.
        #[arg(long)]
        user: Uuid,
        /// The account to act in; the person's active or first one when absent.
        #[arg(long)]
        account: Option<Uuid>,
        /// Lifetime of the token; the configured lifetime when absent.
        #[arg(long, value_parser = clap::value_parser!(i64).range(10..=86_400))]
        lifetime_seconds: Option<i64>,
    },
    /// Give a person a developer profile. Prints its id.
    CreateDeveloper {
        /// Id of the person.
        #[arg(long)]
        user: Uuid,
        /// Name of the profile; the person's own when absent.
        #[arg(long)]
        display_name: Option<String>,
        /// Mark the profile as verified.
        #[arg(long)]
        verified: bool,
    },
    /// Record a payment for an extension, of which its developer or team gets a share. A reference counts once. Prints
    /// the result as JSON.
    RecordPayment {
        /// Id of the extension.
        #[arg(long)]
        extension: Uuid,
        /// Reference of the payment at the provider.
        #[arg(long)]
        reference: String,
        /// Paid amount in cents of EUR.
        #[arg(long, value_parser = clap::value_parser!(i64).range(1..=100_000_000))]
        amount: i64,
        /// Time of the payment, for example 2026-11-28T12:00:00Z; now when absent.
        #[arg(long)]
        paid_at: Option<DateTime<Utc>>,
    },
    /// Connect a platform channel to an account, in place of the one that was connected. Deliveries are then
    /// requested from the platform, as after an OAuth connection. Prints the connection's id.
    ConnectChannel {
        /// Id of the account.
        #[arg(long)]
        account: Uuid,
        /// Platform that the channel is on.
        #[arg(long, value_parser = platforms())]
        platform: Platform,
        /// Id of the channel on the platform.
        #[arg(long)]
        channel_id: String,
        /// Name of the channel on the platform.
        #[arg(long)]
        channel_name: String,
        /// Read the channel's access token from standard input.
        #[arg(long)]
        access_token_stdin: bool,
    },
    /// Seal every stored secret again under the first of LUMIO_ENCRYPTION_KEYS. Can be repeated and
    /// interrupted at any time. Prints the result, and which keys may be removed.
    RotateEncryptionKey,
    /// Write everything that belongs to an account into one file. Prints its size and hash as JSON.
    ExportAccount {
        /// Id of the account.
        #[arg(long)]
        account: Uuid,
        /// Public key that the secrets are sealed to (create-archive-key); without it the archive has none.
        #[arg(long)]
        secrets_key: Option<String>,
        /// File to write. It must not exist.
        file: PathBuf,
    },
    /// Import an account that does not exist here from an archive. Prints what was written and skipped as JSON.
    ImportAccount {
        /// Slug of the plan that the account gets; the plan of new accounts when absent.
        #[arg(long)]
        plan: Option<String>,
        /// Id of the person who owns the account here; the archived owner, as a placeholder, when absent.
        #[arg(long)]
        owner: Option<Uuid>,
        /// File with the private key that opens the secrets (create-archive-key); without it they are left out.
        #[arg(long)]
        private_key_file: Option<PathBuf>,
        /// Archive to read.
        file: PathBuf,
    },
    /// Make a key pair for the secrets of an archive. Prints the public key.
    CreateArchiveKey {
        /// File that the private key is written into. It must not exist.
        #[arg(long)]
        file: PathBuf,
    },
    /// Verify the hash chains and signatures of the audit log. Prints each entry that was changed, removed or moved, and
    /// exits with 1 when there is one.
    VerifyAudit {
        /// Id of the account; every account when absent.
        #[arg(long)]
        account: Option<Uuid>,
        /// Public key in hexadecimal that is trusted too, for example that of a former deployment.
        #[arg(long)]
        public_key: Vec<String>,
        /// Accept chains that begin at an anchor without a trusted signature.
        #[arg(long)]
        allow_untrusted: bool,
    },
    /// Play a scenario to an account as test events, and wait for its end. Prints what was played as JSON.
    Simulate {
        /// Id of the account.
        #[arg(long)]
        account: Uuid,
        /// Scenario to play.
        #[arg(long, value_enum, required_unless_present = "event_type", conflicts_with = "event_type")]
        scenario: Option<simulate::ScenarioName>,
        /// Play this one type instead, for example twitch:cheer or custom:level_up.
        #[arg(long)]
        event_type: Option<String>,
        /// Platform that the events come from.
        #[arg(long, default_value = "twitch", value_parser = PossibleValuesParser::new(slugs()))]
        platform: String,
        /// Seed; equal seeds play equal people, payloads and lines.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Events and chat lines a second.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=50))]
        rate: u32,
        /// Duration in seconds.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=600))]
        seconds: u32,
    },
    /// Check stores, secrets, clocks, addresses, files, queues and workers, and print each finding with its remedy.
    /// Exits with 1 when something does not work.
    Doctor {
        /// Print a JSON object instead: { healthy, checks: [{ check, status, findings }] }.
        #[arg(long)]
        json: bool,
    },
    /// Inspect the job queues. Prints JSON, a line each.
    Jobs {
        #[command(subcommand)]
        command: jobs::Command,
    },
}

fn slugs() -> [&'static str; 6] {
    Platform::ALL.map(Platform::slug)
}

fn platforms() -> impl TypedValueParser<Value = Platform> {
    PossibleValuesParser::new(slugs()).try_map(|slug| slug.parse::<Platform>())
}

/// Runs a command and prints its result.
///
/// # Errors
/// An error when the input is refused, or a database or Redis fails. Nothing is half-written.
pub async fn run(state: &State, databases: &Databases, command: Command) -> anyhow::Result<()> {
    match command {
        Command::CreateUser { display_name, username, email, account } => {
            let person = people::NewPerson { display_name, username, email, account };
            print(serde_json::to_string(&people::create(state, databases, person).await?)?)?;
        }
        Command::ListPeople { listing } => listing::print_people(state, listing).await?,
        Command::ListAccounts { listing } => listing::print_accounts(state, listing).await?,
        Command::CreateSystemKey { label, file: Some(file) } => {
            print(keys::write_system_key(state, databases, &label, &file).await?)?;
        }
        Command::CreateSystemKey { label, file: None } => {
            print(keys::create_system_key(state, databases, &label).await?.expose())?;
        }
        Command::GrantAdmin { user, role } => {
            let role = people::grant_admin(state, databases, user, role.as_deref()).await?;
            print(format!("{user} has the role {role}"))?;
        }
        Command::IssueSession { user, account, lifetime_seconds } => {
            print(keys::issue_session(state, databases, user, account, lifetime_seconds).await?.expose())?;
        }
        Command::CreateDeveloper { user, display_name, verified } => {
            print(people::create_developer(state, databases, user, display_name, verified).await?)?;
        }
        Command::RecordPayment { extension, reference, amount, paid_at } => {
            let payment = payments::NewPayment { extension, reference, amount, paid_at };
            let recorded = payments::record_payment(state, databases, payment).await?;
            print(serde_json::to_string(&recorded)?)?;
        }
        Command::ConnectChannel { account, platform, channel_id, channel_name, access_token_stdin } => {
            let access_token = if access_token_stdin { Some(channels::read_token()?) } else { None };
            let channel = NewChannel { account, platform, channel_id, channel_name, access_token };
            print(connect_manually(state, channel).await?)?;
        }
        Command::RotateEncryptionKey => rotation::rotate_encryption_key(state, databases).await?,
        Command::ExportAccount { account, secrets_key, file } => {
            let new = archives::NewArchive { account, file, secrets_key };
            print(serde_json::to_string(&archives::export_account(state, databases, new).await?)?)?;
        }
        Command::ImportAccount { plan, owner, private_key_file, file } => {
            let given = archives::GivenArchive { file, plan, owner, private_key_file };
            print(serde_json::to_string(&archives::import_account(state, databases, given).await?)?)?;
        }
        Command::CreateArchiveKey { file } => print(archives::create_archive_key(&file)?)?,
        Command::VerifyAudit { account, public_key, allow_untrusted } => {
            audit::verify_audit(state, databases, account, &public_key, allow_untrusted).await?;
        }
        Command::Simulate { account, scenario, event_type, platform, seed, rate, seconds } => {
            let wanted = simulate::SimulationArguments {
                account,
                scenario,
                event_type,
                platform,
                seed,
                rate,
                seconds,
            };
            print(serde_json::to_string(&simulate::simulate(state, wanted).await?)?)?;
        }
        Command::Doctor { json } => doctor(&state.config, json).await?,
        Command::Jobs { command } => jobs::run(state, command).await?,
    }
    Ok(())
}
