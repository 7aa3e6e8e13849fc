//! The choice of variables that are written in the place where they are read.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Block, Operand, Stmt, Var};

/// The variables that are read exactly once, by a computation or as a result of the block
/// itself and not inside of a nested block.
pub(super) fn read_once(block: &Block) -> BTreeSet<Var> {
    let mut all: BTreeMap<Var, usize> = BTreeMap::new();
    block.visit(&mut |operand| {
        if let Operand::Var(var) = operand {
            *all.entry(*var).or_default() += 1;
        }
    });
    let mut nested = BTreeSet::new();
    for statement in &block.statements {
        if let Stmt::Branch { arms, .. } = statement {
            for arm in arms {
                arm.visit(&mut |operand| {
                    if let Operand::Var(var) = operand {
                        nested.insert(*var);
                    }
                });
            }
        }
    }
    let once = all.into_iter().filter(|(var, reads)| *reads == 1 && !nested.contains(var));
    once.map(|(var, _)| var).collect()
}
