//! Times as every protocol prints them (reference/conventions.md#timestamps).

use std::{fmt, ops::Deref};

use chrono::{DateTime, SubsecRound, Utc};
use diesel::{
    deserialize::{self, FromSql, FromSqlRow},
    expression::AsExpression,
    pg::{Pg, PgValue},
    serialize::{self, Output, ToSql},
    sql_types::Timestamptz,
};
use juniper::{GraphQLScalar, Scalar, ScalarValue};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shared::clock;
use utoipa::ToSchema;

/// Moment: RFC 3339 in UTC with exactly three digits of a second and `Z`. Every time that leaves the API has
/// this type; neither GraphQL nor the OpenAPI document knows `DateTime`, so none leaves it in another form.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    FromSqlRow,
    AsExpression,
    GraphQLScalar,
    ToSchema,
)]
#[diesel(sql_type = Timestamptz)]
#[graphql(
    description = "A moment: RFC 3339 in UTC with milliseconds, for example `2030-01-31T12:00:00.000Z`.",
    to_output_with = graphql_out,
    from_input_with = graphql_in,
    parse_token(String),
)]
#[schema(value_type = String, format = DateTime, example = "2030-01-31T12:00:00.000Z")]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// Parses RFC 3339 with any offset.
    ///
    /// # Errors
    /// [`NotATime`], whose message names the allowed format.
    pub fn parse(text: &str) -> Result<Self, NotATime> {
        DateTime::parse_from_rfc3339(text)
            .map(|time| time.with_timezone(&Utc).into())
            .map_err(|_malformed| NotATime)
    }
}

/// Error of a text that is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a time in RFC 3339, for example 2030-01-31T12:00:00Z")]
pub struct NotATime;

/// Cuts to whole milliseconds, so that what is compared equals what is printed.
impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at.trunc_subsecs(3))
    }
}

impl From<Timestamp> for DateTime<Utc> {
    fn from(at: Timestamp) -> Self {
        at.0
    }
}

impl Deref for Timestamp {
    type Target = DateTime<Utc>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&clock::rfc3339(self.0))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl FromSql<Timestamptz, Pg> for Timestamp {
    fn from_sql(bytes: PgValue<'_>) -> deserialize::Result<Self> {
        DateTime::<Utc>::from_sql(bytes).map(Self::from)
    }
}

impl ToSql<Timestamptz, Pg> for Timestamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Timestamptz, Pg>::to_sql(&self.0, out)
    }
}

fn graphql_out<S: ScalarValue>(at: &Timestamp) -> S {
    S::from(at.to_string())
}

fn graphql_in<S: ScalarValue>(value: &Scalar<S>) -> Result<Timestamp, String> {
    let text = value.try_to_string().ok_or_else(|| NotATime.to_string())?;
    Timestamp::parse(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn timestamp_prints_exactly_milliseconds() {
        for (given, printed) in [
            ("2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000Z"),
            ("2030-01-31T12:00:00.5Z", "2030-01-31T12:00:00.500Z"),
            ("2030-01-31T12:00:00.123999Z", "2030-01-31T12:00:00.123Z"),
            ("2030-01-31T14:00:00+02:00", "2030-01-31T12:00:00.000Z"),
        ] {
            assert_eq!(serde_json::to_value(at(given)).unwrap(), printed);
            assert_eq!(graphql_out::<juniper::DefaultScalarValue>(&at(given)), printed.to_owned().into());
        }
    }

    #[test]
    fn timestamp_reads_its_own_text_and_refuses_others() {
        let time = at("2030-01-31T12:00:00.123456Z");
        assert_eq!(serde_json::from_str::<Timestamp>(&serde_json::to_string(&time).unwrap()).unwrap(), time);
        for wrong in ["", "tomorrow", "2030-01-31", "2030-01-31T12:00:00", "1893456000"] {
            assert_eq!(Timestamp::parse(wrong), Err(NotATime), "{wrong}");
        }
    }
}
