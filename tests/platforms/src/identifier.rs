//! Identifiers and tokens in the forms that the platforms use.

use uuid::Uuid;

use crate::{Platform, clock};

const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ALPHANUMERIC: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A random token of `length` lower-case letters and digits.
pub fn token(length: usize) -> String {
    (0..length)
        .map(|_| char::from(ALPHANUMERIC[usize::from(rand::random::<u8>()) % ALPHANUMERIC.len()]))
        .collect()
}

/// `length` random hexadecimal digits, as identifiers of MongoDB have 24.
pub fn hex(length: usize) -> String {
    (0..length).map(|_| char::from(ALPHANUMERIC[usize::from(rand::random::<u8>()) % 16])).collect()
}

/// A random UUID.
pub fn uuid() -> String {
    Uuid::new_v4().to_string()
}

/// A ULID: 48 bits of time and 80 random bits.
pub fn ulid() -> String {
    let millis = u128::try_from(clock::now().timestamp_millis()).unwrap_or_default();
    let value = (millis << 80) | (rand::random::<u128>() >> 48);
    (0..26)
        .rev()
        .map(|place| char::from(CROCKFORD[usize::try_from((value >> (place * 5)) & 31).unwrap_or(0)]))
        .collect()
}

/// A new user id as the platform would give it.
pub fn user_id(platform: Platform) -> String {
    let random = rand::random::<u64>();
    match platform {
        Platform::Twitch | Platform::Kick => (100_000_000 + random % 900_000_000).to_string(),
        Platform::Trovo => (100_000_000 + random % 100_000_000).to_string(),
        Platform::Youtube => format!("1{:020}", random),
        Platform::Spotify => token(25),
        Platform::Discord => snowflake(),
    }
}

/// A Discord id: milliseconds since 2015 and 22 more bits.
pub fn snowflake() -> String {
    const DISCORD_EPOCH_MS: i64 = 1_420_070_400_000;
    let millis = u64::try_from(clock::now().timestamp_millis() - DISCORD_EPOCH_MS).unwrap_or_default();
    ((millis << 22) | (rand::random::<u64>() >> 42)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_the_documented_form() {
        let id = ulid();
        assert_eq!(id.len(), 26);
        assert!(id.bytes().all(|byte| CROCKFORD.contains(&byte)) && id.as_bytes()[0] <= b'7', "{id}");
        assert!(user_id(Platform::Kick).parse::<u64>().is_ok());
        assert_eq!(user_id(Platform::Youtube).len(), 21);
        assert!(snowflake().len() >= 18);
        assert_ne!(token(30), token(30));
    }
}
