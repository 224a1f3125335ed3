//! Chat commands of accounts and global ones (reference/bots.md#bot-commands). They run no handler: the API
//! replies.

mod answers;
mod cache;
mod uses;

use std::collections::HashMap;

use extension_model::feeds::{ChatCommand, CommandFeed};

pub use answers::Answers;
pub use cache::CommandCache;
pub use uses::Uses;

use super::triggers::CommandLine;

/// Prefix of an account whose commands are unknown.
pub const DEFAULT_PREFIX: &str = "!";

/// Commands of an account, by every name and alias.
#[derive(Debug)]
pub struct Commands {
    prefix: String,
    commands: Vec<ChatCommand>,
    by_word: HashMap<String, usize>,
}

impl Default for Commands {
    fn default() -> Self {
        Self { prefix: DEFAULT_PREFIX.to_owned(), commands: Vec::new(), by_word: HashMap::new() }
    }
}

impl Commands {
    /// Compiles a feed. A word of two commands belongs to the first, also when that one is switched off.
    pub fn compile(feed: CommandFeed) -> Self {
        let mut by_word = HashMap::new();
        // Names precede aliases within one owner's list: the account's own, then global ones.
        for (index, command) in feed.commands.iter().enumerate() {
            for word in std::iter::once(&command.name).chain(&command.aliases) {
                by_word.entry(word.to_lowercase()).or_insert(index);
            }
        }
        Self { prefix: feed.prefix, commands: feed.commands, by_word }
    }

    /// Returns the prefix that makes a line a command.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the command of a line: one that is switched on, on this platform.
    pub fn find(&self, line: &CommandLine<'_>, platform: &str) -> Option<&ChatCommand> {
        let command = &self.commands[*self.by_word.get(&line.name)?];
        let answers = command.enabled && command.platforms.iter().any(|open| open == platform);
        answers.then_some(command)
    }

    /// Returns the approximate memory of the commands in bytes.
    pub fn size_bytes(&self) -> usize {
        /// Memory of a command beyond its texts, in bytes.
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
    use extension_model::feeds::{MinRole, ResponseType};
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
    fn commands_resolve_a_word_to_the_first_that_has_it() {
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
