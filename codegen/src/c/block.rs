//! Arrays in C: a routine of up to `GSF_BLOCK` pre-activations, as many at a time as a vector has lanes.
//!
//! Lanes do what single numbers do, so that results have their bits. A lane whose input or result is not safe is computed
//! again by itself. What depends on parameters alone is computed once for a block.

use gaussform_runtime::kernel::SafeRange;

use super::source::Source;

/// A routine of one kernel, for arrays.
pub(super) struct Block<'a> {
    /// The prefix of the names of the functions.
    pub(super) prefix: &'a str,
    pub(super) name: &'a str,
    /// The number of results.
    pub(super) count: usize,
    /// The inputs that lanes are right for.
    pub(super) range: SafeRange,
    /// How many numbers the rows of a table have that depend on parameters, if there are rows.
    pub(super) row_numbers: Option<usize>,
}

impl Block<'_> {
    /// The function over lanes, whose results `body` writes, and the function over arrays.
    pub(super) fn with_lanes(&self, source: &mut Source, body: impl FnOnce(&mut Source)) {
        let Self { prefix, name, .. } = self;
        source.line("#if GSF_LANES > 1");
        let given = if self.row_numbers.is_some() { "t" } else { "p" };
        source.open(&format!(
            "GSF_LANES_FN void {prefix}_{name}_lanes(gsf_lanes gamma, gsf_lanes xi2, const double *{given}, gsf_lanes *out)"
        ));
        source.line(&format!("(void)gamma, (void)xi2, (void){given};"));
        body(source);
        source.close();
        source.line("#endif");
        source.line("");
        self.function(true, source);
    }

    /// The function over arrays where there is none over lanes.
    pub(super) fn alone(&self, source: &mut Source) {
        self.function(false, source);
    }

    fn function(&self, has_lanes: bool, source: &mut Source) {
        let Self { prefix, name, count, .. } = self;
        source.open(&format!(
            "GSF_FN void {prefix}_{name}_element(size_t i, const double *gamma, const double *xi2, const double *p, \
             double *out)"
        ));
        source.line(&format!("double v[{count}];"));
        source.line(&format!("{prefix}_{name}(gamma[i], xi2[i], p, v);"));
        source.open(&format!("for (size_t k = 0; k < {count}; k++)"));
        source.line("out[k * GSF_BLOCK + i] = v[k];");
        source.close();
        source.end();
        source.open(&format!(
            "GSF_BLOCK_FN void {prefix}_{name}_block(size_t n, const double *gamma, const double *xi2, const double *p, \
             double *out)"
        ));
        source.line("size_t i = 0;");
        if has_lanes {
            source.line("#if GSF_LANES > 1");
            self.lanes(source);
            source.line("#endif");
        }
        source.open("for (; i < n; i++)");
        source.line(&format!("{prefix}_{name}_element(i, gamma, xi2, p, out);"));
        source.close();
        source.end();
    }

    /// The loop over lanes.
    fn lanes(&self, source: &mut Source) {
        let Self { prefix, name, count, range: SafeRange { size, least, most }, .. } = self;
        let (given, more) = match self.row_numbers {
            Some(numbers) => {
                // An array of C has one element at least.
                source.line(&format!("double t[{}];", (3 * numbers).max(1)));
                source.line(&format!("{prefix}_numbers numbers;"));
                source.line(&format!("{prefix}_fill(p, &numbers);"));
                source.line(&format!("{prefix}_rows(&numbers, t);"));
                // Lanes have no power of two to put back.
                ("t", "numbers.table.exponent == 0 && ")
            }
            None => ("p", ""),
        };
        source.open(&format!("for (; {more}i + GSF_LANES <= n; i += GSF_LANES)"));
        source.line(
            "const gsf_lanes at = gsf_lanes_load(gamma + i), variance = gsf_lanes_load(xi2 + i);",
        );
        source.line(&format!(
            "gsf_lanes_mask safe = gsf_lanes_is_safe(at, variance, {size}, {least}, {most});"
        ));
        source.line(&format!("gsf_lanes v[{count}];"));
        source.line(&format!("{prefix}_{name}_lanes(at, variance, {given}, v);"));
        source.open(&format!("for (size_t k = 0; k < {count}; k++)"));
        source.line("safe &= gsf_lanes_is_finite(v[k]);");
        source.line("gsf_lanes_store(out + k * GSF_BLOCK + i, v[k]);");
        source.close();
        source.open("for (int j = 0; j < GSF_LANES && !gsf_lanes_all(safe); j++)");
        source.open("if (!safe[j])");
        source.line(&format!("{prefix}_{name}_element(i + (size_t)j, gamma, xi2, p, out);"));
        source.close();
        source.close();
        source.close();
    }
}
