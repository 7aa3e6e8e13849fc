//! A bound of the work that finding factors takes.

/// The work that may still be done. A unit is a factorisation modulo a prime for each degree,
/// a step of lifting a pair of factors, or a combination of modular factors tried.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new(units: usize) -> Self {
        Self(units)
    }

    /// Takes units away; `None` if there are not so many left.
    pub(super) fn spend(&mut self, units: usize) -> Option<()> {
        self.0 = self.0.checked_sub(units)?;
        Some(())
    }
}
