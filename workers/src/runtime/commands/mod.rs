//! Chat commands of accounts and of the deployment (specification C B11.2). They run no handler: the API answers.

mod answers;
mod cache;
mod uses;

use std::collections::HashMap;

use shared::feeds::{ChatCommand, CommandFeed};

pub use answers::Answers;
pub use cache::CommandCache;
pub use uses::Uses;

use super::triggers::CommandLine;

/// The prefix of an account whose commands are not known.
pub const USUAL_PREFIX: &str = "!";

/// The commands of an account, by every word that they answer to.
#[derive(Debug)]
pub struct Commands {
    prefix: String,
    commands: Vec<ChatCommand>,
    by_word: HashMap<String, usize>,
}

impl Default for Commands {
    fn default() -> Self {
        Self { prefix: USUAL_PREFIX.to_owned(), commands: Vec::new(), by_word: HashMap::new() }
    }
}

impl Commands {
    /// Compiles a feed. A word that two commands have belongs to the first, also when that one is switched off.
    pub fn compile(feed: CommandFeed) -> Self {
        let mut by_word = HashMap::new();
        // Names go before aliases of the same list of precedence: the account's own, then global ones.
        for (index, command) in feed.commands.iter().enumerate() {
            for word in std::iter::once(&command.name).chain(&command.aliases) {
                by_word.entry(word.to_lowercase()).or_insert(index);
            }
        }
        Self { prefix: feed.prefix, commands: feed.commands, by_word }
    }

    /// What a line begins with to be a command.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The command of a line: one that is switched on, on this platform.
    pub fn find(&self, line: &CommandLine<'_>, platform: &str) -> Option<&ChatCommand> {
        let command = &self.commands[*self.by_word.get(&line.name)?];
        let answers = command.enabled && command.platforms.iter().any(|open| open == platform);
        answers.then_some(command)
    }

    /// The memory this takes, roughly.
    pub fn size_bytes(&self) -> usize {
        const COMMAND_BYTES: usize = 512;
        let texts = self.commands.iter().map(|command| {
            let words = 2 * (command.name.len() + command.aliases.iter().map(String::len).sum::<usize>());
            COMMAND_BYTES + command.response.len() + words
        });
        COMMAND_BYTES + texts.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use shared::feeds::{MinRole, ResponseType};
    use uuid::Uuid;

    use super::*;

    fn command(name: &str, aliases: &[&str]) -> ChatCommand {
        ChatCommand {
            id: Uuid::from_u128(name.len() as u128),
            name: name.to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            response_type: ResponseType::Text,
            response: name.to_owned(),
            automation_id: None,
            platforms: vec!["twitch".to_owned()],
            min_role: MinRole::Everyone,
            cooldown_global: 0,
            cooldown_user: 0,
            enabled: true,
            use_count: 0,
        }
    }

    #[test]
    fn a_word_belongs_to_the_first_command_that_has_it() {
        let off = ChatCommand { enabled: false, ..command("shut", &["quiet"]) };
        let feed = CommandFeed {
            prefix: "?".to_owned(),
            commands: vec![command("hello", &["hi"]), off, command("hi", &["quiet", "yo"])],
        };
        let commands = Commands::compile(feed);
        let answer = |text: &str, platform: &str| {
            let line = CommandLine::parse(text, commands.prefix())?;
            commands.find(&line, platform).map(|command| command.response.clone())
        };
        assert_eq!(answer("?Hello there", "twitch").as_deref(), Some("hello"));
        assert_eq!(answer("?hi", "twitch").as_deref(), Some("hello"));
        assert_eq!(answer("?yo", "twitch").as_deref(), Some("hi"));
        for (text, platform) in
            [("!hello", "twitch"), ("?hello", "kick"), ("?quiet", "twitch"), ("?", "twitch")]
        {
            assert_eq!(answer(text, platform), None, "{text} on {platform}");
        }
    }
}
