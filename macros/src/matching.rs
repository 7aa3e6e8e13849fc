//! `match` on a number: ranges, names and guards.

use gaussform_symbolic::grammar::{Condition, Expression, ExpressionKind};
use syn::{Arm, Expr, ExprMatch, Pat};

use crate::body::{Reader, ValueOf};
use crate::place::Place;
use crate::scope::Meaning;
use crate::unsupported;

/// For which numbers an arm is taken.
enum Test {
    All,
    If(Condition),
}

impl<'a> Reader<'_, 'a> {
    /// The value of the first arm whose pattern and guard hold.
    pub(crate) fn matched(&mut self, expr: &'a ExprMatch, of: ValueOf) -> Option<Expression> {
        // `match () { _ if … }` has guards only.
        let subject = match &*expr.expr {
            Expr::Tuple(tuple) if tuple.elems.is_empty() => Some(Meaning::Failed),
            subject => self.value(subject),
        };
        let (mut branches, mut otherwise, mut complete) = (Vec::new(), None, true);
        for arm in &expr.arms {
            let read = self.arm(arm, subject.as_ref().unwrap_or(&Meaning::Failed), of);
            match read {
                // What follows is never reached.
                Some(_) if otherwise.is_some() => {}
                Some((Test::All, value)) => otherwise = Some(value),
                Some((Test::If(condition), value)) => branches.push((condition, value)),
                None => complete = false,
            }
        }
        let subject = subject.filter(|_| complete);
        match (subject, otherwise) {
            (Some(_), Some(value)) => {
                let place = Place::of(&expr.match_token).to(expr.brace_token.span.close());
                Some(self.at(place, ExpressionKind::Piecewise(branches, Box::new(value))))
            }
            (Some(_), None) => self.refuse(unsupported::open_match(expr)),
            _ => None,
        }
    }

    fn arm(
        &mut self,
        arm: &'a Arm,
        subject: &Meaning<'a>,
        of: ValueOf,
    ) -> Option<(Test, Expression)> {
        let mark = self.scope.mark();
        let plain = self.plain(&arm.attrs);
        let (pattern, guard) = match &arm.pat {
            Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            pattern => (pattern, None),
        };
        let test = self.pattern(pattern, subject);
        let test = match guard {
            Some(guard) => self.guarded(test, guard),
            None => test,
        };
        let value = self.expression_of(&arm.body, of);
        self.scope.leave(mark);
        plain.and(test.zip(value))
    }

    fn guarded(&mut self, test: Option<Test>, guard: &'a Expr) -> Option<Test> {
        let Some(Test::If(condition)) = test else {
            let condition = self.condition(guard);
            return test.and(condition).map(Test::If);
        };
        let truth = self.truth(guard)?;
        let first = self.indicator(condition, Place::of(guard));
        let both = self.joined("min", vec![first, truth]);
        Some(Test::If(self.holds(both)))
    }

    /// Reads a pattern, and binds what it names.
    fn pattern(&mut self, pattern: &'a Pat, subject: &Meaning<'a>) -> Option<Test> {
        self.deeper(pattern, |this| match pattern {
            Pat::Wild(_) => Some(Test::All),
            Pat::Tuple(tuple) if tuple.elems.is_empty() => Some(Test::All),
            Pat::Paren(paren) => this.pattern(&paren.pat, subject),
            Pat::Ident(name) if name.by_ref.is_none() && name.mutability.is_none() => {
                // In a pattern of Rust the name of a constant is compared with; other names are
                // bound.
                if matches!(this.scope.meaning(&name.ident), Some(Meaning::Item(_))) {
                    return this.push(unsupported::point(&name.ident));
                }
                this.scope.bind(&name.ident, subject.clone(), this.report);
                match &name.subpat {
                    Some((_, pattern)) => this.pattern(pattern, subject),
                    None => Some(Test::All),
                }
            }
            Pat::Range(range) => {
                let place = Place::of(range);
                let Meaning::Value(subject, size) = subject else { return None };
                this.budget.spend(*size, || place, this.report)?;
                let subject = this.at(place, subject.kind.clone());
                this.within(range, subject).map(Test::If)
            }
            Pat::Or(either) => {
                let mut truths = Vec::new();
                for pattern in &either.cases {
                    match this.pattern(pattern, subject)? {
                        Test::All => return Some(Test::All),
                        Test::If(condition) => {
                            truths.push(this.indicator(condition, Place::of(pattern)));
                        }
                    }
                }
                let union = this.joined("max", truths);
                Some(Test::If(this.holds(union)))
            }
            Pat::Lit(_) | Pat::Path(_) => this.push(unsupported::point(pattern)),
            _ => {
                this.scope.bind_failed(pattern, this.report);
                if matches!(subject, Meaning::Failed) {
                    return None;
                }
                this.refuse(unsupported::matched(pattern))
            }
        })
    }
}
