//! Graphs of automations and their validation (reference/automations.md#nodes).

pub use crate::{
    model::{
        Edge, Graph, Installed, MAX_CONFIG_BYTES, MAX_CONFIG_DEPTH, MAX_EDGES, MAX_HANDLE_LENGTH,
        MAX_NODE_LABEL_LENGTH, MAX_NODES, MAX_POSITION, Node, NodeDeclaration, NodeProblem, Position,
    },
    validation::{allows_config, draft_problems, fits_output, strict_problems},
};
