use super::*;

#[test]
fn machine_runs_depth_first_in_the_order_of_edges() {
    let nodes = vec![send(1, "a"), send(2, "b"), send(3, "c"), send(4, "d")];
    let edges = [(0, "out", 2), (0, "out", 1), (2, "out", 3), (2, "out", 4), (1, "out", 4)];
    let (lines, ending) = run(graph(nodes, &edges), json!({}), ok);
    assert_eq!(lines, ["2 b", "3 c", "4 d", "1 a", "4 d"]);
    assert_eq!(ending, Ending::Succeeded);
}

#[test]
fn machine_fills_in_templates_from_trigger_user_and_steps() {
    let first = id(1);
    let nodes = vec![
        send(1, "{{user.name|upper}} {{trigger.n}}"),
        send(2, &format!("{{{{steps.{first}.message_id}}}} on {{{{account.name}}}}{{{{now|date:%Y}}}}")),
    ];
    let edges = [(0, "out", 1), (1, "out", 2)];
    let answered = |_: &Step| Outcome::succeeded(json!({ "message_id": "m1" }));
    let (lines, _) = run(graph(nodes, &edges), json!({ "n": 5 }), answered);
    assert_eq!(lines, ["1 ADA 5", "2 m1 on Grace1970"]);
}

#[test]
fn machine_decides_conditions_and_switches() {
    let condition = json!({ "left": "{{trigger.n}}", "op": "gt", "right": 3 });
    let cases = json!([{ "handle": "low", "equals": 1 }, { "handle": "five", "equals": "5" }]);
    let graph = graph(
        vec![
            node(1, "condition", condition),
            node(2, "switch", json!({ "value": "{{trigger.n}}", "cases": cases })),
            send(3, "five"),
            send(4, "default"),
            send(5, "false"),
        ],
        &[(0, "out", 1), (1, "true", 2), (1, "false", 5), (2, "five", 3), (2, "default", 4)],
    );
    let lines = |n: i32| run(graph.clone(), json!({ "n": n }), ok).0;
    assert_eq!(lines(5), ["1 true", "2 five", "3 five"]);
    assert_eq!(lines(7), ["1 true", "2 default", "4 default"]);
    assert_eq!(lines(1), ["1 false", "5 false"]);
}

#[test]
fn machine_repeats_the_items_of_nested_loops_and_restores_their_variables() {
    let graph = graph(
        vec![
            node(1, "loop", json!({ "list": "{{trigger.rows}}" })),
            node(2, "loop", json!({ "list": "{{vars.item}}" })),
            send(3, "{{vars.item}}@{{vars.index}}"),
            send(4, "row {{vars.index}}: {{vars.item}}"),
            send(5, "end {{vars.item}}{{vars.index}}."),
        ],
        &[(0, "out", 1), (1, "out", 2), (2, "out", 3), (2, "done", 4), (1, "done", 5)],
    );
    let (lines, ending) = run(graph, json!({ "rows": [["a", "b"], [], [1]] }), ok);
    assert_eq!(
        lines,
        [
            "1 decided",
            "2 decided",
            "3 a@0",
            "3 b@1",
            r#"4 row 0: ["a","b"]"#,
            "2 decided",
            "4 row 1: []",
            "2 decided",
            "3 1@0",
            "4 row 2: [1]",
            "5 end .",
        ]
    );
    assert_eq!(ending, Ending::Succeeded);
}

#[test]
fn machine_bounds_lists_and_the_nesting_of_loops() {
    let fifty = |list: Value| {
        let graph = graph(vec![node(1, "loop", json!({ "list": "{{trigger.list}}" }))], &[(0, "out", 1)]);
        run(graph, json!({ "list": list }), ok).1
    };
    assert_eq!(fifty(json!(vec![1; 50])), Ending::Succeeded);
    assert_eq!(fifty(Value::Null), Ending::Succeeded);
    for list in [json!(vec![1; 51]), json!("a,b"), json!({})] {
        assert!(matches!(fifty(list), Ending::Failed { .. }));
    }
    let loops = (1..=4).map(|number| node(number, "loop", json!({ "list": [1] }))).collect();
    let edges = [(0, "out", 1), (1, "out", 2), (2, "out", 3), (3, "out", 4)];
    let (lines, ending) = run(graph(loops, &edges), json!({}), ok);
    assert_eq!(lines.len(), 4);
    assert!(matches!(ending, Ending::Failed { node_id, .. } if node_id == Some(id(4))));
}

#[test]
fn machine_sets_variables_of_any_type() {
    let graph = graph(
        vec![
            node(1, "set_variable", json!({ "name": "list", "value": "{{trigger.list}}" })),
            node(2, "set_variable", json!({ "name": "text", "value": "n={{vars.list}}" })),
            node(3, "loop", json!({ "list": "{{vars.list}}" })),
            send(4, "{{vars.item}} {{vars.text}}"),
        ],
        &[(0, "out", 1), (1, "out", 2), (2, "out", 3), (3, "out", 4)],
    );
    let (lines, _) = run(graph, json!({ "list": [true, 2] }), ok);
    assert_eq!(lines[3..], ["4 true n=[true,2]", "4 2 n=[true,2]"]);
}

#[test]
fn machine_sends_a_failure_to_the_error_edges() {
    let first = id(1);
    let nodes = vec![send(1, "a"), send(2, "no"), send(3, &format!("{{{{steps.{first}.error}}}}"))];
    let edges = [(0, "out", 1), (1, "out", 2), (1, "error", 3)];
    for failure in [Outcome::failed("too fast"), Outcome::unknown("too fast")] {
        let outcome = |step: &Step| if step.node_id == id(1) { failure.clone() } else { ok(step) };
        let (lines, ending) = run(graph(nodes.clone(), &edges), json!({}), outcome);
        assert_eq!((lines, ending), (vec!["1 a".to_owned(), "3 too fast".to_owned()], Ending::Succeeded));
    }
}

#[test]
fn machine_fails_the_run_without_error_edges() {
    let nodes = vec![send(1, "a"), send(2, "b")];
    let failing = |_: &Step| Outcome::failed("no");
    let (lines, ending) = run(graph(nodes, &[(0, "out", 1), (0, "out", 2)]), json!({}), failing);
    assert_eq!(lines, ["1 a"]);
    assert_eq!(ending, Ending::Failed { node_id: Some(id(1)), error: "no".to_owned() });
}

#[test]
fn machine_fails_steps_whose_arguments_are_not_valid() {
    let nodes = vec![
        send(1, "{{trigger.missing}}"),
        node(
            2,
            "timeout_user",
            json!({ "user_id": "7", "duration_secs": "{{trigger.n}}", "platform": "kick" }),
        ),
        node(3, "condition", json!({ "left": 1, "op": "like", "right": 1 })),
        node(4, "play_sound", json!({ "sound_id": "{{user.name}}" })),
        send(5, "done"),
    ];
    let edges = [(0, "out", 1), (1, "error", 2), (2, "error", 3), (3, "error", 4), (4, "error", 5)];
    let (lines, ending) = run(graph(nodes, &edges), json!({ "n": 0 }), ok);
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], "1 message must not be empty");
    assert_eq!(lines[1], "2 duration_secs must be a whole number between 1 and 1209600");
    assert!(lines[2].contains("op must be one of"));
    assert_eq!(lines[3], "4 sound_id must be an id");
    assert_eq!((lines[4].as_str(), ending), ("5 done", Ending::Succeeded));
}

#[test]
fn machine_leaves_chance_time_and_effects_to_its_caller() {
    let branches = json!([{ "handle": "a", "weight": 1 }, { "handle": "b", "weight": 3 }]);
    let graph = graph(
        vec![
            node(1, "delay", json!({ "seconds": "{{trigger.secs}}" })),
            node(2, "random", json!({ "branches": branches })),
            node(3, "cooldown", json!({ "user_secs": 30 })),
            node(4, "extension", json!({ "text": "{{user.name}}", "n": "{{trigger.secs}}" })),
            send(5, "left"),
        ],
        &[(0, "out", 1), (1, "out", 2), (2, "b", 3), (3, "false", 4), (4, "left", 5)],
    );
    let mut machine = Machine::new(graph, start(json!({ "secs": 90 }))).unwrap();
    assert_eq!(machine.next().unwrap().work, Work::Delay { seconds: 90 });
    machine.conclude(Outcome::succeeded(json!({})));
    let weights = vec![("a".to_owned(), 1), ("b".to_owned(), 3)];
    assert_eq!(machine.next().unwrap().work, Work::Random { branches: weights });
    machine.conclude(Outcome::branched(json!({}), "b"));
    let user = Some("twitch:7".to_owned());
    assert_eq!(machine.next().unwrap().work, Work::Cooldown { global_secs: 0, user_secs: 30, user });
    machine.conclude(Outcome::branched(json!({}), "false"));
    let arguments = json!({ "config": { "text": "Ada", "n": 90 }, "input": { "secs": 90 } });
    let effect = Effect { r#type: "extension", install_id: Some(id(99)), arguments };
    assert_eq!(machine.next().unwrap().work, Work::Effect(effect));
    machine.conclude(Outcome::branched(json!({}), "left"));
    assert_eq!(machine.next().unwrap().node_id, id(5));
    machine.conclude(Outcome::succeeded(json!({})));
    assert_eq!((machine.next(), machine.ending()), (None, Ending::Succeeded));
}

#[test]
fn machine_keeps_its_decisions_whatever_is_recorded_of_them() {
    let condition = json!({ "left": 1, "op": "eq", "right": 1 });
    let nodes = vec![node(1, "condition", condition), send(2, "yes"), send(3, "no")];
    let graph = graph(nodes, &[(0, "out", 1), (1, "true", 2), (1, "false", 3)]);
    let mut machine = Machine::new(graph.clone(), start(json!({}))).unwrap();
    machine.next();
    machine.conclude(Outcome::branched(Value::Null, "false"));
    assert_eq!(machine.next().unwrap().node_id, id(2));
    let mut machine = Machine::new(graph, start(json!({}))).unwrap();
    machine.next();
    machine.conclude(Outcome { status: StepStatus::Cancelled, ..Outcome::failed("cancelled") });
    assert_eq!(machine.next(), None);
    assert!(matches!(machine.ending(), Ending::Failed { .. }));
}

#[test]
fn machine_ends_a_run_of_too_many_steps() {
    // Each pair of edges doubles the number of visits.
    let nodes = (1..=20).map(|number| send(number, "a")).collect();
    let edges: Vec<(u128, &str, u128)> =
        (0..20).flat_map(|number| [(number, "out", number + 1), (number, "out", number + 1)]).collect();
    let (lines, ending) = run(graph(nodes, &edges), json!({}), ok);
    assert_eq!(lines.len(), MAX_STEPS as usize);
    assert!(matches!(ending, Ending::Failed { error, .. } if error.contains("5000 steps")));
}

#[test]
fn machine_needs_its_trigger_node() {
    assert!(Machine::new(Graph::default(), start(json!({}))).is_err());
}
