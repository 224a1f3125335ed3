//! Interpreter of a run, without any input or output (reference/automations.md#order-of-steps). The same graph,
//! start and outcomes give the same steps, always: so a run is resumed by giving the interpreter the stored
//! outcomes again.

mod evaluate;
mod types;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{
    conditions::patterns,
    config::{Plan, compile},
    model::{Edge, Graph},
    node_types::NodeType,
    template::Scope,
};
use evaluate::{After, Evaluated, evaluate};

pub use types::{Effect, Ending, Outcome, Start, Step, StepStatus, Work};

/// Maximum number of steps of a run (reference/automations.md#order-of-steps).
pub const MAX_STEPS: u32 = 5_000;
/// Maximum number of loops inside each other (reference/automations.md#order-of-steps).
pub const MAX_LOOP_DEPTH: usize = 3;

/// Handle that is followed without a branch.
const OUT: &str = "out";
/// Handle that takes failures.
const ERROR: &str = "error";
/// Handle behind a loop.
const DONE: &str = "done";

/// Interpreter.
#[derive(Debug)]
pub struct Machine {
    graph: Graph,
    start: Start,
    /// Positions of the edges that leave a handle of a node.
    leaving: HashMap<(Uuid, String), Vec<usize>>,
    index: HashMap<Uuid, usize>,
    /// Positions of the nodes with regular expressions.
    matching: HashSet<usize>,
    plans: HashMap<usize, Arc<Compiled>>,
    vars: Map<String, Value>,
    outputs: BTreeMap<Uuid, Value>,
    stack: Vec<Frame>,
    pending: Option<Pending>,
    position: u32,
    ending: Ending,
}

#[derive(Debug)]
struct Compiled {
    node_type: &'static NodeType,
    plan: Result<Plan, String>,
}

/// Pending work. The last one is next.
#[derive(Debug)]
enum Frame {
    /// Visit of a node.
    Visit(usize),
    /// Rest of a loop.
    Loop(Loop),
}

#[derive(Debug)]
struct Loop {
    node: usize,
    items: std::vec::IntoIter<Value>,
    next_index: usize,
    /// `vars.item` and `vars.index` outside of the loop.
    outer: [Option<Value>; 2],
}

/// Step without an outcome.
#[derive(Debug)]
struct Pending {
    node: usize,
    step: Step,
    after: After,
}

impl Machine {
    /// Creates the interpreter at the trigger node, which is no step.
    ///
    /// # Errors
    /// A graph without the trigger node, or with too many regular expressions.
    pub fn new(graph: Graph, start: Start) -> Result<Self, String> {
        let index: HashMap<Uuid, usize> =
            graph.nodes.iter().enumerate().map(|(position, node)| (node.id, position)).collect();
        let trigger = *index.get(&start.trigger_node).ok_or("The trigger node is not in the graph")?;
        let matching = matching_nodes(&graph)?;
        let mut leaving: HashMap<(Uuid, String), Vec<usize>> = HashMap::new();
        for (position, Edge { source_node_id, source_handle, .. }) in graph.edges.iter().enumerate() {
            leaving.entry((*source_node_id, source_handle.clone())).or_default().push(position);
        }
        let mut machine = Self {
            graph,
            start,
            leaving,
            index,
            matching,
            plans: HashMap::new(),
            vars: Map::new(),
            outputs: BTreeMap::new(),
            stack: Vec::new(),
            pending: None,
            position: 0,
            ending: Ending::Succeeded,
        };
        machine.follow(trigger, OUT);
        Ok(machine)
    }

    /// Next step; `None` after the last one. It is the same step until it is concluded.
    #[expect(clippy::should_implement_trait, reason = "a step needs its outcome before the next one")]
    pub fn next(&mut self) -> Option<Step> {
        while self.pending.is_none() {
            match self.stack.pop()? {
                Frame::Visit(node) => self.visit(node),
                Frame::Loop(frame) => self.repeat(frame),
            }
        }
        self.pending.as_ref().map(|pending| pending.step.clone())
    }

    /// True when [`Machine::next`] may match regular expressions, which can take a second.
    #[must_use]
    pub fn matches_next(&self) -> bool {
        self.pending.is_none()
            && match self.stack.last() {
                Some(Frame::Visit(node)) => self.matching.contains(node),
                // It leads to a node of the loop or behind it.
                Some(Frame::Loop(_)) => !self.matching.is_empty(),
                None => false,
            }
    }

    /// Records the outcome of the step that [`Machine::next`] returned. The outcome of a decided step is the
    /// decided one, unless the run was cancelled.
    pub fn conclude(&mut self, outcome: Outcome) {
        let Some(Pending { node, step, after }) = self.pending.take() else { return };
        let outcome = match step.work {
            Work::Decided(decided) if outcome.status != StepStatus::Cancelled => decided,
            _ => outcome,
        };
        if outcome.status != StepStatus::Succeeded {
            self.fail(node, outcome);
            return;
        }
        self.outputs.insert(step.node_id, outcome.output);
        match after {
            After::Follow => {
                self.follow(node, outcome.branch.as_deref().unwrap_or(OUT));
            }
            After::Set(name, value) => {
                self.vars.insert(name, value);
                self.follow(node, OUT);
            }
            After::Loop(items) => {
                let outer = ["item", "index"].map(|name| self.vars.get(name).cloned());
                self.stack.push(Frame::Loop(Loop { node, items: items.into_iter(), next_index: 0, outer }));
            }
        }
    }

    /// Ending of the run, after the last step.
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.ending.clone()
    }

    fn visit(&mut self, node: usize) {
        let node_id = self.graph.nodes[node].id;
        if self.position >= MAX_STEPS {
            self.end(Some(node_id), format!("A run has at most {MAX_STEPS} steps"));
            return;
        }
        let Some(compiled) = self.compiled(node) else {
            self.end(Some(node_id), "The node has an unknown type".to_owned());
            return;
        };
        let evaluated = match &compiled.plan {
            Ok(Plan::Loop(_)) if self.loops() >= MAX_LOOP_DEPTH => {
                Evaluated::failed(format!("Loops are nested at most {MAX_LOOP_DEPTH} deep"))
            }
            Ok(plan) => {
                let install = self.graph.nodes[node].install_id;
                evaluate(compiled.node_type.name, plan, install, &self.scope())
            }
            Err(error) => Evaluated::failed(error.clone()),
        };
        let Evaluated { input, work, after } = evaluated;
        let node_type = compiled.node_type.name;
        let step = Step { position: self.position, node_id, node_type, input, work };
        self.position += 1;
        self.pending = Some(Pending { node, step, after });
    }

    /// Node with its configuration parsed; `None` for an unknown type.
    fn compiled(&mut self, node: usize) -> Option<Arc<Compiled>> {
        if let Some(compiled) = self.plans.get(&node) {
            return Some(Arc::clone(compiled));
        }
        let of = &self.graph.nodes[node];
        let node_type = crate::node_types::find(&of.r#type)?;
        let compiled = Arc::new(Compiled { node_type, plan: compile(of).map(|(_, plan)| plan) });
        self.plans.insert(node, Arc::clone(&compiled));
        Some(compiled)
    }

    /// Begins the next item of a loop, or what is behind it.
    fn repeat(&mut self, mut frame: Loop) {
        let node = frame.node;
        if let Some(item) = frame.items.next() {
            self.vars.insert("item".to_owned(), item);
            self.vars.insert("index".to_owned(), Value::from(frame.next_index));
            frame.next_index += 1;
            self.stack.push(Frame::Loop(frame));
            self.follow(node, OUT);
            return;
        }
        for (name, value) in ["item", "index"].into_iter().zip(frame.outer) {
            match value {
                Some(value) => self.vars.insert(name.to_owned(), value),
                None => self.vars.remove(name),
            };
        }
        self.follow(node, DONE);
    }

    fn loops(&self) -> usize {
        self.stack.iter().filter(|frame| matches!(frame, Frame::Loop(_))).count()
    }

    /// Follows the edges of a handle, the first one first.
    fn follow(&mut self, node: usize, handle: &str) -> bool {
        let key = (self.graph.nodes[node].id, handle.to_owned());
        let Some(edges) = self.leaving.get(&key) else { return false };
        let targets =
            edges.iter().rev().filter_map(|edge| self.index.get(&self.graph.edges[*edge].target_node_id));
        let before = self.stack.len();
        self.stack.extend(targets.map(|target| Frame::Visit(*target)));
        self.stack.len() > before
    }

    /// Follows the error edges of a failed step, or ends the run.
    fn fail(&mut self, node: usize, outcome: Outcome) {
        let node_id = self.graph.nodes[node].id;
        let error = outcome.error.unwrap_or_else(|| "The step failed".to_owned());
        if outcome.status == StepStatus::Cancelled {
            self.end(Some(node_id), error);
            return;
        }
        self.outputs.insert(node_id, serde_json::json!({ "error": error }));
        if !self.follow(node, ERROR) {
            self.end(Some(node_id), error);
        }
    }

    fn end(&mut self, node_id: Option<Uuid>, error: String) {
        self.stack.clear();
        self.ending = Ending::Failed { node_id, error };
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            trigger: &self.start.trigger,
            event: &self.start.event,
            user: &self.start.user,
            account: &self.start.account,
            stream: &self.start.stream,
            vars: &self.vars,
            steps: &self.outputs,
            now: self.start.now,
            timezone: self.start.timezone,
        }
    }
}

/// Positions of the nodes with regular expressions. Their number is checked here too: a graph may have been stored
/// before the limit.
fn matching_nodes(graph: &Graph) -> Result<HashSet<usize>, String> {
    let numbers: Vec<usize> = graph.nodes.iter().map(|node| patterns::of_node(node).len()).collect();
    patterns::check_number(numbers.iter().sum())?;
    Ok(numbers.iter().enumerate().filter(|(_, number)| **number > 0).map(|(node, _)| node).collect())
}

#[cfg(test)]
mod tests;
