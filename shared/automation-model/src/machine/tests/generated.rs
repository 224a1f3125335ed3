use super::*;

/// SplitMix64: the same graphs in every run of the test.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize].clone()
    }
}

const TEXTS: [&str; 8] = [
    "plain",
    "{{trigger.list}}",
    "{{vars.x}}{{vars.x}}",
    "{{vars.item}}",
    "{{user.name|upper|default:x}}",
    "{{trigger.at|date:%c}}",
    "{{trigger.text|number}}",
    "{{ broken",
];

fn configuration(numbers: &mut Numbers, r#type: &str) -> Value {
    let mut text = || json!(numbers.pick(&TEXTS));
    match r#type {
        "condition" => json!({ "all": [{ "left": text(), "op": "contains", "right": text() }] }),
        "switch" => {
            json!({ "value": text(), "cases": [{ "handle": "a", "equals": text() }, { "handle": "b", "equals": 1 }] })
        }
        "delay" => json!({ "seconds": text() }),
        "random" => json!({ "branches": [{ "handle": "a", "weight": 1 }, { "handle": "b", "weight": 2 }] }),
        "cooldown" => json!({ "user_secs": 5, "global_secs": text() }),
        "set_variable" => json!({ "name": "x", "value": text() }),
        "loop" => json!({ "list": text() }),
        "send_chat" => json!({ "message": text() }),
        "extension" => json!({ "any": [text(), { "deep": text() }] }),
        _ => json!({}),
    }
}

/// Any graph, also with cycles, edges into triggers and handles that do not exist.
fn any_graph(numbers: &mut Numbers) -> Graph {
    let types = [
        "condition",
        "switch",
        "delay",
        "random",
        "cooldown",
        "set_variable",
        "loop",
        "send_chat",
        "extension",
        "spotify_skip",
        "manual",
        "unknown",
    ];
    let count = u128::from(1 + numbers.below(12));
    let nodes = (1..=count)
        .map(|number| {
            let r#type = numbers.pick(&types);
            node(number, r#type, configuration(numbers, r#type))
        })
        .collect();
    let handles = ["out", "true", "false", "a", "b", "default", "done", "error", "out", "out"];
    let mut edges: Vec<(u128, &str, u128)> = (1..=count).map(|number| (0, "out", number)).collect();
    let further: Vec<(u128, &str, u128)> = (0..numbers.below(40))
        .map(|_| {
            let bound = u64::try_from(count).unwrap() + 1;
            let (source, target) = (numbers.below(bound), numbers.below(bound));
            (u128::from(source), numbers.pick(&handles), u128::from(target))
        })
        .collect();
    edges.extend(further);
    graph(nodes, &edges)
}

/// An outcome that depends only on the seed and the step.
fn any_outcome(seed: u64, step: &Step) -> Outcome {
    let mut numbers = Numbers(seed ^ u64::from(step.position));
    match numbers.below(16) {
        0 => Outcome::failed("no"),
        1 => Outcome::unknown("perhaps"),
        2 => Outcome::branched(json!({ "n": numbers.below(9) }), "a"),
        3 => Outcome::branched(Value::Null, "b"),
        4 => Outcome::branched(Value::Null, "nothing"),
        _ => Outcome::succeeded(json!({ "list": [1, "two", { "three": null }] })),
    }
}

#[test]
fn machine_repeats_its_steps_with_the_same_outcomes() {
    let mut numbers = Numbers(2026);
    let mut all = 0;
    for _ in 0..600 {
        let (graph, seed) = (any_graph(&mut numbers), numbers.next());
        let payload = json!({ "list": [1, "two", [3]], "text": "12.5", "at": numbers.next() >> 8 });
        let mut first = Machine::new(graph.clone(), start(payload.clone())).unwrap();
        let mut second = Machine::new(graph, start(payload)).unwrap();
        let mut steps = 0_u32;
        while let Some(step) = first.next() {
            assert_eq!(second.next().as_ref(), Some(&step));
            assert!(step.position == steps && steps < MAX_STEPS);
            let outcome = any_outcome(seed, &step);
            first.conclude(outcome.clone());
            // What a journal keeps of a decision is not needed to repeat it.
            let stored =
                if matches!(step.work, Work::Decided(_)) { Outcome::succeeded(Value::Null) } else { outcome };
            second.conclude(stored);
            steps += 1;
        }
        assert_eq!((second.next(), second.ending()), (None, first.ending()));
        all += steps;
    }
    // The graphs are not all trivial.
    assert!(all > 500, "{all} steps");
}
