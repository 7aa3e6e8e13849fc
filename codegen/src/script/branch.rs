//! Branches: nodes that one side of a choice alone needs are computed on that side.
//!
//! A branch in a graph reads both of its sides. A node that only one side of branches on one condition leads to is
//! computed there. Branches of a condition stand together if none of them needs a result of another, and a branch may
//! have branches in it.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Graph, Operation, Value};

/// Steps in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Steps(pub(crate) Vec<Step>);

/// A step of a computation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// A node.
    Compute(Value),
    /// A choice of which the side is known here: it is the other node.
    Same(Value, Value),
    /// Branches on one condition, with what each side alone needs.
    Choose {
        /// The condition.
        condition: Value,
        /// The branches of the graph, which have their values afterwards.
        selects: Vec<Value>,
        /// Where the condition holds, and where it does not.
        sides: [Steps; 2],
    },
}

/// All nodes of a graph as steps. A select becomes a branch if that saves enough operations.
pub(crate) fn steps(graph: &Graph, least: usize) -> Steps {
    let readers = graph.readers();
    let all: BTreeSet<Value> = (0..graph.nodes.len()).collect();
    let results: BTreeSet<Value> = graph.results.iter().copied().collect();
    Sinking { graph, readers, least }.arrange(&all, &results, &BTreeMap::new())
}

/// A branch before it has its place: the selects of a condition, and the nodes of each side.
#[derive(Clone)]
struct Branch {
    condition: Value,
    selects: BTreeSet<Value>,
    sides: [BTreeSet<Value>; 2],
}

/// The surroundings of a step.
struct Within<'a> {
    nodes: &'a BTreeSet<Value>,
    branches: &'a [Branch],
    /// The branch that each node belongs to.
    homes: &'a BTreeMap<Value, usize>,
    known: &'a BTreeMap<Value, bool>,
}

struct Sinking<'a> {
    graph: &'a Graph,
    readers: Vec<Vec<Value>>,
    least: usize,
}

impl Sinking<'_> {
    /// The nodes of a set in order, of which some are wanted outside, where some conditions are known.
    fn arrange(
        &self,
        nodes: &BTreeSet<Value>,
        wanted: &BTreeSet<Value>,
        known: &BTreeMap<Value, bool>,
    ) -> Steps {
        let branches = self.branches(nodes, wanted, known);
        // What each node belongs to.
        let mut homes: BTreeMap<Value, usize> = BTreeMap::new();
        for (at, branch) in branches.iter().enumerate() {
            let inside = branch.sides.iter().flatten().chain(&branch.selects);
            homes.extend(inside.map(|value| (*value, at)));
        }
        let mut steps = Steps::default();
        let mut done = BTreeSet::new();
        for value in nodes {
            let within = Within { nodes, branches: &branches, homes: &homes, known };
            self.emit(*value, &within, &mut done, &mut steps);
        }
        steps
    }

    /// The side of a choice by a condition that is known.
    fn known_side(&self, value: Value, known: &BTreeMap<Value, bool>) -> Option<Value> {
        let node = &self.graph.nodes[value];
        let is_choice = matches!(node.operation, Operation::Select | Operation::Branch);
        let holds = *known.get(node.operands.first()?)?;
        is_choice.then(|| node.operands[if holds { 1 } else { 2 }])
    }

    /// Adds what follows from a condition.
    fn learn(&self, condition: Value, holds: bool, known: &mut BTreeMap<Value, bool>) {
        known.insert(condition, holds);
        let node = &self.graph.nodes[condition];
        match (node.operation, holds) {
            (Operation::Not, _) => self.learn(node.operands[0], !holds, known),
            // An `and` that holds tells both of its operands; one that fails does not tell which
            // of them failed.
            (Operation::And, true) | (Operation::Or, false) => {
                node.operands.iter().for_each(|operand| self.learn(*operand, holds, known));
            }
            _ => {}
        }
    }

    /// Appends a node, or the branch that has it, after all that it needs.
    fn emit(
        &self,
        value: Value,
        within: &Within<'_>,
        done: &mut BTreeSet<Value>,
        steps: &mut Steps,
    ) {
        // What stands outside of the set has its value already.
        if done.contains(&value) || !within.nodes.contains(&value) {
            return;
        }
        let Some(at) = within.homes.get(&value) else {
            if let Some(side) = self.known_side(value, within.known) {
                self.emit(side, within, done, steps);
                done.insert(value);
                steps.0.push(Step::Same(value, side));
                return;
            }
            for operand in &self.graph.nodes[value].operands {
                self.emit(*operand, within, done, steps);
            }
            done.insert(value);
            steps.0.push(Step::Compute(value));
            return;
        };
        let branch = &within.branches[*at];
        // A node of a branch is wanted by its selects alone: it waits for them.
        if !branch.selects.contains(&value) {
            return;
        }
        for outside in self.needs(branch) {
            self.emit(outside, within, done, steps);
        }
        let sides = [0, 1].map(|side| {
            let wanted = branch.selects.iter().map(|select| self.side(*select, side));
            let mut known = within.known.clone();
            self.learn(branch.condition, side == 0, &mut known);
            self.arrange(&branch.sides[side], &wanted.collect(), &known)
        });
        done.extend(branch.sides.iter().flatten().chain(&branch.selects));
        let selects = branch.selects.iter().copied().collect();
        steps.0.push(Step::Choose { condition: branch.condition, selects, sides });
    }

    /// The values from outside that a branch reads.
    fn needs(&self, branch: &Branch) -> BTreeSet<Value> {
        let inside: BTreeSet<Value> = branch.sides.iter().flatten().copied().collect();
        let reading = inside.iter().chain(&branch.selects);
        let operands = reading.flat_map(|value| &self.graph.nodes[*value].operands);
        operands.copied().filter(|value| !inside.contains(value)).collect()
    }

    fn side(&self, select: Value, side: usize) -> Value {
        self.graph.nodes[select].operands[1 + side]
    }

    /// The branches of a set of nodes, the largest ones first, none of which needs another one in a circle.
    fn branches(
        &self,
        nodes: &BTreeSet<Value>,
        wanted: &BTreeSet<Value>,
        known: &BTreeMap<Value, bool>,
    ) -> Vec<Branch> {
        let mut found: Vec<Branch> = Vec::new();
        let mut free = nodes.clone();
        let is_known = |value: &Value| self.known_side(*value, known).is_some();
        // A choice whose side is known is that side, and needs no branch.
        let mut refused: BTreeSet<Value> = nodes.iter().copied().filter(is_known).collect();
        loop {
            let candidates = self.candidates(&free, wanted, &refused);
            let size =
                |b: &Branch| b.sides.iter().flatten().map(|v| self.graph.size(*v)).sum::<usize>();
            let best = candidates.into_iter().max_by_key(|b| (size(b), usize::MAX - b.condition));
            let Some(best) = best.filter(|b| size(b) >= self.least) else { return found };
            found.push(best);
            if self.has_circle(nodes, &found) {
                let branch = found.pop().expect("it was pushed");
                // Without these selects, others by the same condition may still make a branch.
                refused.extend(branch.selects);
                continue;
            }
            let branch = found.last().expect("it was pushed");
            for value in branch.sides.iter().flatten().chain(&branch.selects) {
                free.remove(value);
            }
        }
    }

    /// The selects that may be a branch, with the nodes that they alone need, for each condition and each level.
    fn candidates(
        &self,
        free: &BTreeSet<Value>,
        wanted: &BTreeSet<Value>,
        refused: &BTreeSet<Value>,
    ) -> Vec<Branch> {
        let mut by_condition: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
        for value in free {
            let node = &self.graph.nodes[*value];
            if node.operation == Operation::Branch && !refused.contains(value) {
                by_condition.entry(node.operands[0]).or_default().push(*value);
            }
        }
        let of = |(condition, selects): (Value, Vec<Value>)| {
            self.levels(&selects)
                .into_iter()
                .map(|selects| self.branch(condition, selects, free, wanted))
                .collect::<Vec<_>>()
        };
        by_condition.into_iter().flat_map(of).collect()
    }

    /// Selects in groups, none of which needs another one of its group.
    fn levels(&self, selects: &[Value]) -> Vec<BTreeSet<Value>> {
        let mut level = vec![0; self.graph.nodes.len()];
        let mut groups: Vec<BTreeSet<Value>> = Vec::new();
        let (first, last) = (selects[0], selects[selects.len() - 1]);
        let selects: BTreeSet<Value> = selects.iter().copied().collect();
        // Nodes before the first select need none of them, and no select needs one behind the
        // last.
        for value in first..=last {
            let operands = &self.graph.nodes[value].operands;
            level[value] = operands.iter().map(|operand| level[*operand]).max().unwrap_or(0);
            if selects.contains(&value) {
                if groups.len() <= level[value] {
                    groups.resize_with(level[value] + 1, BTreeSet::new);
                }
                groups[level[value]].insert(value);
                level[value] += 1;
            }
        }
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// The nodes that lead to nothing but one side of the selects.
    fn branch(
        &self,
        condition: Value,
        selects: BTreeSet<Value>,
        free: &BTreeSet<Value>,
        wanted: &BTreeSet<Value>,
    ) -> Branch {
        let mut sides = [BTreeSet::new(), BTreeSet::new()];
        let last = *selects.last().expect("a group has selects");
        // From the end: readers stand behind what they read, so that their side is decided first.
        for value in free.range(..last).rev() {
            let node = &self.graph.nodes[*value];
            let is_place = matches!(
                node.operation,
                Operation::Input(_) | Operation::Constant(_) | Operation::Truth(_)
            );
            // Inputs and constants cost nothing, and what is wanted outside must be there on both
            // sides. A node without readers would pass the test of all readers below.
            if is_place || wanted.contains(value) || self.readers[*value].is_empty() {
                continue;
            }
            let leads_to = |reader: Value, side: usize| {
                // A select may read a node on both sides, or as its condition too. Then neither
                // side has it alone.
                let other = self.graph.nodes[reader].operands.iter().enumerate();
                let mut reads = other.filter(|(_, operand)| **operand == *value);
                sides[side].contains(&reader)
                    || selects.contains(&reader) && reads.all(|(at, _)| at == 1 + side)
            };
            let side = [0, 1]
                .into_iter()
                .find(|side| self.readers[*value].iter().all(|reader| leads_to(*reader, *side)));
            if let Some(side) = side {
                sides[side].insert(*value);
            }
        }
        Branch { condition, selects, sides }
    }

    /// Whether branches need each other, through what lies between them too.
    fn has_circle(&self, nodes: &BTreeSet<Value>, branches: &[Branch]) -> bool {
        let mut homes: BTreeMap<Value, usize> = BTreeMap::new();
        for (at, branch) in branches.iter().enumerate() {
            let inside = branch.sides.iter().flatten().chain(&branch.selects);
            homes.extend(inside.map(|value| (*value, at)));
        }
        // The branches that each node needs, itself included, in order; a circle is one that needs itself from outside.
        let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.graph.nodes.len()];
        let mut all: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); branches.len()];
        // In each round a need passes through one more branch, so as many rounds as branches
        // reach all.
        for _ in 0..=branches.len() {
            for value in nodes {
                let mut own = BTreeSet::new();
                for operand in &self.graph.nodes[*value].operands {
                    own.extend(needs[*operand].iter().copied());
                    if let Some(home) = homes.get(operand)
                        && homes.get(value) != Some(home)
                    {
                        own.insert(*home);
                    }
                }
                if let Some(home) = homes.get(value) {
                    all[*home].extend(own.iter().copied());
                    own.extend(all[*home].iter().copied());
                }
                needs[*value] = own;
            }
        }
        all.iter().enumerate().any(|(at, needed)| needed.contains(&at))
    }
}
