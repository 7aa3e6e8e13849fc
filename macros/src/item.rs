//! Constants and functions that a body uses: each is read by itself once, so that its mistakes are
//! reported once and where they are, and then again wherever it is used.

use std::mem;
use std::rc::Rc;

use gaussform_symbolic::grammar::Expression;
use syn::{Attribute, ExprCall, Ident, Item, ItemFn};

use crate::body::{Reader, ValueOf};
use crate::known::{Kind, Known, State};
use crate::place::{Place, Places, Report};
use crate::scope::{Budget, Meaning};
use crate::signature::Signature;
use crate::unsupported;

impl<'a> Reader<'_, 'a> {
    /// Brings the items of a block into scope.
    pub(crate) fn bind_items(&mut self, items: impl Iterator<Item = &'a Item>) -> Option<()> {
        let (block, mut sound) = (Rc::new(()), Some(()));
        for item in items {
            match Known::of_block(item, &block) {
                Some((name, known)) => self.scope.bind(name, Meaning::Item(known), self.report),
                None => sound = self.push(unsupported::item(item)),
            }
        }
        sound
    }

    /// The value of a `const`, which may be an integer.
    pub(crate) fn constant(&mut self, item: &Rc<Known<'a>>, name: &Ident) -> Option<Meaning<'a>> {
        let Kind::Constant(constant) = item.kind else {
            return self.refuse(unsupported::function_as_value(name));
        };
        self.check(item, Place::from(name.span()))?;
        let scope = self.scope.of_item(item);
        let outer = mem::replace(&mut self.scope, scope);
        let meaning = self.deeper(name, |this| this.meaning_of(&constant.expr));
        self.scope = outer;
        meaning
    }

    /// The call of a function by its name: its body, with the values of the arguments.
    pub(crate) fn apply(&mut self, name: &'a Ident, call: &'a ExprCall) -> Option<Expression> {
        let Some(Meaning::Item(item)) = self.scope.meaning(name) else {
            return self.refuse(unsupported::call(&call.func, &self.scope));
        };
        let item = item.clone();
        let Kind::Function(function) = item.kind else {
            return self.refuse(unsupported::call(&call.func, &self.scope));
        };
        let place = Place::of(name).to(call.paren_token.span.close());
        // All of them before any is given up, so that each is reported.
        let arguments: Vec<_> = call.args.iter().map(|value| self.value(value)).collect();
        let arguments = arguments.into_iter().collect::<Option<Vec<_>>>()?;
        self.check(&item, place)?;
        let signature = Signature::read(function, &mut Report::default())?;
        if signature.arguments.len() != arguments.len() {
            return self.refuse(unsupported::arguments(place, &signature, arguments.len()));
        }
        let mut scope = self.scope.of_item(&item);
        scope.generic = signature.generic;
        for (name, value) in signature.arguments.iter().zip(arguments) {
            scope.bind(name, value, self.report);
        }
        let outer = mem::replace(&mut self.scope, scope);
        let entered = self.places.enter(place);
        let value = self.deeper(name, |this| this.block(&function.block, ValueOf::Function));
        self.places.leave(entered);
        self.scope = outer;
        value
    }

    /// Reads an item by itself, unless that was done before.
    pub(crate) fn check(&mut self, item: &Known<'a>, place: Place) -> Option<()> {
        match item.state.get() {
            State::Sound => return Some(()),
            State::Failed => return None,
            // An item that is met while it is being read needs itself.
            State::Reading => return self.push(unsupported::recursion(place)),
            State::Unread => item.state.set(State::Reading),
        }
        let (mut report, mut places) = (Report::default(), Places::default());
        let mut reader = Reader::new(&mut places, &mut report, self.scope.of_item(item));
        // What it builds is counted anew, but the recursion goes on from this depth.
        reader.budget = Budget::at_the_depth_of(&self.budget);
        let plain = if item.is_outer {
            reader.compiled(item.attributes())
        } else {
            reader.plain(item.attributes())
        };
        let sound = match item.kind {
            Kind::Constant(constant) => {
                reader.deeper(&constant.ident, |this| this.meaning_of(&constant.expr)).is_some()
            }
            Kind::Function(function) => reader.function(function).is_some(),
        };
        let sound = sound && plain.is_some() && report.error.is_none();
        item.state.set(if sound { State::Sound } else { State::Failed });
        item.refused.set(report.refused);
        // A mistake in a body is one of the function that it belongs to.
        report.refused &= !item.is_outer;
        self.report.absorb(report);
        sound.then_some(())
    }

    /// Reads a function whose arguments may be any numbers.
    pub(crate) fn function(&mut self, function: &'a ItemFn) -> Option<Expression> {
        let signature = Signature::read(function, self.report)?;
        self.scope.generic = signature.generic;
        for name in &signature.arguments {
            self.scope.bind(name, Meaning::Argument, self.report);
        }
        self.deeper(&function.sig.ident, |this| this.block(&function.block, ValueOf::Function))
    }

    /// Refuses attributes that could change what is compiled.
    pub(crate) fn plain(&mut self, attributes: &[Attribute]) -> Option<()> {
        match attributes.iter().find(|attribute| !is_harmless(attribute)) {
            None => Some(()),
            Some(attribute) => self.push(unsupported::attribute(attribute)),
        }
    }

    /// Refuses attributes that decide whether something is compiled.
    fn compiled(&mut self, attributes: &[Attribute]) -> Option<()> {
        let is_condition = |attribute: &&Attribute| {
            attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
        };
        match attributes.iter().find(is_condition) {
            None => Some(()),
            Some(attribute) => self.push(unsupported::attribute(attribute)),
        }
    }
}

/// Whether an attribute leaves what a function computes as it is.
fn is_harmless(attribute: &Attribute) -> bool {
    const NAMES: [&str; 9] =
        ["allow", "cold", "deny", "deprecated", "doc", "expect", "inline", "must_use", "warn"];
    let path = attribute.path();
    let tool = path.segments.first().filter(|_| path.segments.len() > 1);
    let is_of_tool = tool.is_some_and(|tool| tool.ident == "clippy" || tool.ident == "rustfmt");
    is_of_tool || NAMES.iter().any(|name| path.is_ident(name))
}
