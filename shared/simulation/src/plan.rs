//! Plan of a simulation: the same for the same simulation and beginning.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use live_model::EventType;
use serde_json::{Map, Value, json};

use super::{
    Scenario, Simulation,
    cast::{Cast, Person},
    dice::Dice,
    payload::payload,
    words::{LINES, RAID_LINES, THANKS},
};

/// Step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Time after the beginning.
    pub after: Duration,
    /// Action of the step.
    pub what: Happening,
}

/// Action of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// Emits an event.
    Event {
        /// Type of the event.
        event_type: String,
        /// Payload of the event.
        data: Map<String, Value>,
    },
    /// Shows a chat line.
    Chat {
        /// Writer of the line.
        person: Person,
        /// Text of the line.
        text: &'static str,
    },
}

/// Roles of events in a scenario; each platform has its own types for them, or none.
#[derive(Debug, Clone, Copy)]
enum Role {
    Follow,
    Subscribe,
    Gift,
    Raid,
    Cheer,
    HypeTrain,
    HypeTrainEnd,
}

impl Role {
    fn on(self, platform: &str) -> Option<&'static EventType> {
        let names: &[&str] = match self {
            Self::Follow => &["follower", "subscriber"],
            Self::Subscribe => &["subscribe", "member"],
            Self::Gift => &["gift_sub", "member_gift"],
            Self::Raid => &["raid"],
            Self::Cheer => &["cheer", "superchat", "spell"],
            Self::HypeTrain => &["hype_train"],
            Self::HypeTrainEnd => &["hype_train_end"],
        };
        names.iter().find_map(|name| EventType::find(&format!("{platform}:{name}")))
    }
}

/// Plan of a simulation that begins at a time.
#[must_use]
pub fn plan(simulation: &Simulation, began: DateTime<Utc>) -> Vec<Step> {
    let mut director = Director::new(simulation, began);
    (0..simulation.steps())
        .map(|number| {
            director.after = Duration::from_millis(number * 1000 / u64::from(simulation.rate));
            Step { after: director.after, what: director.next(number) }
        })
        .collect()
}

/// Steps of a round: everything that a raid, a gift or a train causes.
const ROUND: u64 = 20;

struct Director<'a> {
    simulation: &'a Simulation,
    began: DateTime<Utc>,
    after: Duration,
    dice: Dice,
    cast: Cast,
    /// Main person of the round.
    star: Person,
}

impl<'a> Director<'a> {
    fn new(simulation: &'a Simulation, began: DateTime<Utc>) -> Self {
        let mut dice = Dice::new(simulation.seed);
        let cast = Cast::new(&mut dice);
        let star = cast.anybody(&mut dice).clone();
        Self { simulation, began, after: Duration::ZERO, dice, cast, star }
    }

    fn next(&mut self, number: u64) -> Happening {
        let place = number % ROUND;
        if place == 0 {
            self.star = self.cast.anybody(&mut self.dice).clone();
        }
        match &self.simulation.scenario {
            Scenario::RaidStorm => self.of_a_raid_storm(place),
            Scenario::GiftBomb => self.of_a_gift_bomb(place),
            Scenario::BusyChat => self.chat(&LINES),
            Scenario::Hype => self.of_a_hype(number),
            Scenario::Event(name) => {
                let name = name.clone();
                self.named(&name, number)
            }
        }
    }

    /// A raid, followed by actions of its viewers.
    fn of_a_raid_storm(&mut self, place: u64) -> Happening {
        match place {
            0 => self.event_by_star(Role::Raid, &RAID_LINES),
            _ if self.dice.happens(45) => self.event(Role::Follow, &RAID_LINES),
            _ if self.dice.happens(10) => self.event(Role::Subscribe, &RAID_LINES),
            _ => self.chat(&RAID_LINES),
        }
    }

    /// Gifts of one person in a row, followed by thanks.
    fn of_a_gift_bomb(&mut self, place: u64) -> Happening {
        if place < ROUND * 3 / 4 { self.event_by_star(Role::Gift, &THANKS) } else { self.chat(&THANKS) }
    }

    /// A train that all people push; without trains, only the pushes.
    fn of_a_hype(&mut self, number: u64) -> Happening {
        let place = number % ROUND;
        if number + 1 == self.simulation.steps()
            && let Some(known) = Role::HypeTrainEnd.on(&self.simulation.platform)
        {
            return Self::event_of_data(known, self.train(known, number));
        }
        if place.is_multiple_of(5)
            && let Some(known) = Role::HypeTrain.on(&self.simulation.platform)
        {
            return Self::event_of_data(known, self.train(known, number));
        }
        match self.dice.between(0, 3) {
            0 => self.event(Role::Cheer, &LINES),
            1 => self.event(Role::Subscribe, &LINES),
            2 => self.event(Role::Gift, &LINES),
            _ => self.chat(&LINES),
        }
    }

    /// Payload of a train, which climbs a level with each round.
    fn train(&mut self, known: &EventType, number: u64) -> Map<String, Value> {
        const GOAL: u64 = 2000;
        let person = self.star.clone();
        let mut data = payload(known, &person, &self.cast, self.now(), &mut self.dice);
        let (level, progress) = (number / ROUND + 1, number % ROUND * (GOAL / ROUND));
        for (key, figure) in [
            ("level", level),
            ("progress", progress),
            ("goal", GOAL),
            ("total", (level - 1) * GOAL + progress),
        ] {
            if let Some(value) = data.get_mut(key) {
                *value = json!(figure);
            }
        }
        data
    }

    /// Event of a type that was given by name.
    fn named(&mut self, name: &str, number: u64) -> Happening {
        match EventType::find(name) {
            Some(known) => {
                let person = self.cast.anybody(&mut self.dice).clone();
                self.event_by(known, &person)
            }
            None => {
                let data = json!({ "number": number, "roll": self.dice.between(1, 6) });
                let data = data.as_object().cloned().unwrap_or_default();
                Happening::Event { event_type: name.to_owned(), data }
            }
        }
    }

    fn event(&mut self, role: Role, otherwise: &[&'static str]) -> Happening {
        let person = self.cast.anybody(&mut self.dice).clone();
        self.event_of(role, &person, otherwise)
    }

    fn event_by_star(&mut self, role: Role, otherwise: &[&'static str]) -> Happening {
        let star = self.star.clone();
        self.event_of(role, &star, otherwise)
    }

    /// Event of a role; a chat line about it where the platform lacks the role.
    fn event_of(&mut self, role: Role, person: &Person, otherwise: &[&'static str]) -> Happening {
        match role.on(&self.simulation.platform) {
            Some(known) => self.event_by(known, person),
            None => self.chat(otherwise),
        }
    }

    fn event_by(&mut self, known: &EventType, person: &Person) -> Happening {
        Self::event_of_data(known, payload(known, person, &self.cast, self.now(), &mut self.dice))
    }

    fn event_of_data(known: &EventType, data: Map<String, Value>) -> Happening {
        Happening::Event { event_type: known.name.to_owned(), data }
    }

    fn chat(&mut self, lines: &[&'static str]) -> Happening {
        let person = self.cast.anybody(&mut self.dice).clone();
        Happening::Chat { person, text: self.dice.pick(lines) }
    }

    fn now(&self) -> DateTime<Utc> {
        self.began + TimeDelta::from_std(self.after).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use live_model::EVENT_TYPES;

    use super::*;

    const BEGAN: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn simulation(scenario: Scenario, platform: &str, seed: u64) -> Simulation {
        Simulation { scenario, platform: platform.to_owned(), seed, rate: 20, seconds: 10 }
    }

    fn counted(steps: &[Step]) -> BTreeMap<String, usize> {
        let mut counted = BTreeMap::new();
        for step in steps {
            let name = match &step.what {
                Happening::Event { event_type, .. } => event_type.clone(),
                Happening::Chat { .. } => "chat".to_owned(),
            };
            *counted.entry(name).or_default() += 1;
        }
        counted
    }

    #[test]
    fn plan_is_determined_by_its_seed() {
        for scenario in [Scenario::RaidStorm, Scenario::GiftBomb, Scenario::BusyChat, Scenario::Hype] {
            let of = |seed| plan(&simulation(scenario.clone(), "twitch", seed), BEGAN);
            assert_eq!(of(7), of(7));
            assert_ne!(of(7), of(8));
            assert_eq!(of(7).len(), 200);
            assert_eq!(of(7)[20].after, Duration::from_secs(1));
        }
    }

    #[test]
    fn plan_of_each_scenario_holds_its_events() {
        let of = |scenario, platform| counted(&plan(&simulation(scenario, platform, 1), BEGAN));
        let storm = of(Scenario::RaidStorm, "twitch");
        assert!(storm["twitch:raid"] == 10 && storm["twitch:follower"] > 40, "{storm:?}");
        assert_eq!(of(Scenario::GiftBomb, "kick")["kick:gift_sub"], 150);
        assert_eq!(of(Scenario::BusyChat, "trovo"), BTreeMap::from([("chat".to_owned(), 200)]));
        let hype = of(Scenario::Hype, "twitch");
        assert!(hype["twitch:hype_train"] >= 39 && hype["twitch:hype_train_end"] == 1, "{hype:?}");
        // YouTube has no raids and no trains; everything else is played.
        let storm = of(Scenario::RaidStorm, "youtube");
        assert!(storm["youtube:subscriber"] > 40 && !storm.contains_key("twitch:raid"), "{storm:?}");
        assert!(of(Scenario::Hype, "youtube")["youtube:superchat"] > 10);
    }

    #[test]
    fn plan_can_simulate_every_event_type_of_the_catalogue() {
        let mut seen = BTreeSet::new();
        for known in EVENT_TYPES {
            let simulation = simulation(Scenario::Event(known.name.to_owned()), known.platform(), 3);
            for step in plan(&simulation, BEGAN) {
                let Happening::Event { event_type, data } = step.what else { panic!("an event") };
                assert_eq!(event_type, known.name);
                assert_eq!(data.len(), known.keys.len());
                known.read(&data).unwrap();
                seen.insert(event_type);
            }
        }
        assert_eq!(seen.len(), EVENT_TYPES.len());
        let custom = plan(&simulation(Scenario::Event("custom:dice".into()), "twitch", 3), BEGAN);
        assert!(custom.iter().all(
            |step| matches!(&step.what, Happening::Event { event_type, .. } if event_type == "custom:dice")
        ));
    }
}
