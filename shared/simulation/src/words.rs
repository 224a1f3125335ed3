//! Chat lines and names.

pub(super) const LINES: [&str; 16] = [
    "hello from the simulator",
    "that was close",
    "LET'S GO",
    "gg",
    "what game is this?",
    "first time here, love it",
    "no way",
    "clip that",
    "how long have you been live?",
    "the music is great today",
    "one more round",
    "I was here",
    "hype hype hype",
    "greetings to everybody",
    "what a save",
    "see you tomorrow",
];

pub(super) const RAID_LINES: [&str; 4] =
    ["raid hype", "we are here", "the raid has landed", "hello from the raid"];

pub(super) const THANKS: [&str; 4] =
    ["thank you for the gift", "what a bomb", "so many gifts", "thanks, that is kind"];

pub(super) const TITLES: [&str; 8] = [
    "Boss rush",
    "Cosy evening",
    "Learning to cook",
    "Speedrun practice",
    "The long way home",
    "Chatting and music",
    "Viewers choose",
    "Finale",
];
