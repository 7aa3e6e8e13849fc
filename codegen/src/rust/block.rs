//! Rust as a language of the printer: expressions over some lanes, or over `f64`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::literal::{float, literal, number};
use super::tokens::Tokens;
use super::variable::{self, edge, element, integrals, narrow, of, powers, tails, variable};
use super::word::{self, Fields};
use crate::ir::{Block, Case, Condition, Input, Var, Word};
use crate::print::vector::{self, Vector};
use crate::print::{
    Binding, Branching, Factors, Language, Numbers, Operation, Place, Printer, Test,
};
use crate::rounding::double;

type Fragment = crate::print::Fragment<TokenStream>;

/// The type of plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The generic type `V` of some lanes; `c` makes a constant of it, `pair` a pair of two words.
    Lanes,
    /// `f64`
    Single,
}

/// Rust in one function of a kernel.
pub(super) struct Rust<'a> {
    pub(super) kind: Kind,
    pub(super) knots: &'a [Word],
    pub(super) fields: Fields<'a>,
    /// The name of the input γ.
    pub(super) argument: Ident,
    /// The code that integrates over each piece, for the branches that alone need it.
    pub(super) powers: Vec<TokenStream>,
}

impl Rust<'_> {
    fn number_type(&self, numbers: Numbers) -> TokenStream {
        match (numbers, self.kind) {
            (Numbers::Pairs, _) => quote!(kernel::Pair),
            (Numbers::Plain, Kind::Lanes) => quote!(V),
            (Numbers::Plain, Kind::Single) => quote!(f64),
        }
    }

    /// Whether the knots depend on parameters.
    fn moves(&self) -> bool {
        self.knots.iter().any(|knot| knot.as_constant().is_none())
    }

    /// The place of a knot, to three times the precision.
    pub(super) fn knot(&self, knot: usize) -> TokenStream {
        let index = number(knot);
        if self.moves() {
            quote!(knots[#index])
        } else {
            word::place(&self.knots[knot], self.fields)
        }
    }

    /// The knots as the code names them, where they move.
    pub(super) fn places(&self) -> TokenStream {
        if !self.moves() {
            return quote!();
        }
        let count = number(self.knots.len());
        let knots = self.knots.iter().map(|knot| word::place(knot, self.fields));
        quote!(let knots: [[f64; 3]; #count] = [#(#knots),*];)
    }

    /// The lanes at a place, by their name.
    fn mask(place: Place) -> Ident {
        match place {
            Place::Case(_) => format_ident!("case"),
            Place::Narrow(piece) => narrow(piece),
        }
    }

    /// The lanes in which γ lies so.
    fn case(&self, case: Case) -> TokenStream {
        let piece = case.piece();
        let left = piece.checked_sub(1).map(edge);
        let right = (piece < self.knots.len()).then(|| edge(piece));
        let bounded = left.is_some() && right.is_some();
        let side = |edge: Option<Ident>| match edge {
            Some(edge) => quote!(Some(#edge)),
            None => quote!(None),
        };
        let (left, right) = (side(left), side(right));
        let narrow = narrow(piece);
        let width = match case {
            Case::Wide(_) if bounded => quote!(.and(#narrow.not())),
            Case::Wide(_) => quote!(),
            Case::Narrow(_) => quote!(.and(#narrow)),
        };
        quote!(kernel::between(#left, #right)#width)
    }

    /// The value by the place of the argument among the knots.
    fn place(&self, values: &[TokenStream]) -> TokenStream {
        let argument = &self.argument;
        let (last, rest) = values.split_last().expect("a branch has arms");
        if self.moves() {
            let indices = (0..rest.len()).map(number);
            return quote!(match kernel::place(#argument, &knots) { #(#indices => #rest)* _ => #last });
        }
        let mut chain = TokenStream::new();
        for (knot, values) in self.knots.iter().zip(values.chunks(2)) {
            let knot = knot.as_constant().expect("no knot moves");
            let (below, on) = (&values[0], &values[1]);
            let place = literal(knot);
            let [_, low] = double::<f64>(knot);
            // A knot between two numbers of the precision is never hit: the nearest number lies
            // on one side of it.
            chain.extend(if low == 0.0 {
                quote!(if #argument < #place #below else if #argument == #place #on else)
            } else if low > 0.0 {
                quote!(if #argument <= #place #below else)
            } else {
                quote!(if #argument < #place #below else)
            });
        }
        quote!(#chain #last)
    }

    /// A sum of which one side is a product, as one operation.
    fn fused(operation: Operation, [a, b]: [&Fragment; 2]) -> Option<Fragment> {
        let (left, right) = (&a.text, &b.text);
        let tokens = match (operation, &a.factors, &b.factors) {
            (Operation::Add, _, Some([x, y])) => quote!(#x.mul_add(#y, #left)),
            (Operation::Add, Some([x, y]), _) => quote!(#x.mul_add(#y, #right)),
            (Operation::Subtract, _, Some([x, y])) => quote!(#x.neg_mul_add(#y, #left)),
            (Operation::Subtract, Some([x, y]), _) => quote!(#x.mul_sub(#y, #right)),
            _ => return None,
        };
        Some(Fragment::atom(tokens))
    }
}

impl Language for Rust<'_> {
    type Text = TokenStream;
    type Source = Tokens;

    fn constant(&self, [high, low]: [f64; 2], numbers: Numbers) -> Fragment {
        let binding = if high.is_sign_negative() { Binding::Sign } else { Binding::Atom };
        let [high, low] = [high, low].map(float);
        match (numbers, self.kind) {
            (Numbers::Pairs, _) => Fragment::atom(quote!(pair([#high, #low]))),
            (Numbers::Plain, Kind::Lanes) => Fragment::atom(quote!(c(#high))),
            (Numbers::Plain, Kind::Single) => Fragment::new(high, binding),
        }
    }

    fn word(&self, word: &Word, numbers: Numbers) -> Fragment {
        let value = word::tokens(word, self.fields);
        Fragment::atom(match (numbers, self.kind) {
            (Numbers::Pairs, _) => quote!(pair(#value)),
            (Numbers::Plain, Kind::Lanes) => quote!(kernel::word::round::<V>(#value)),
            (Numbers::Plain, Kind::Single) => quote!(kernel::word::round::<f64>(#value)),
        })
    }

    fn input(&self, input: &Input) -> Fragment {
        Fragment::atom(match *input {
            Input::Gamma => self.argument.to_token_stream(),
            Input::Xi2 => quote!(xi2),
            Input::Xi => quote!(deviation.xi),
            Input::InverseXi => quote!(deviation.inverse),
            Input::Parameter(i) => variable::parameter(i).to_token_stream(),
            Input::Distance(knot) => of(edge(knot), quote!(s)),
            Input::SignedDistance(knot) => of(edge(knot), quote!(score())),
            Input::Displacement(knot) => of(edge(knot), quote!(d)),
            Input::DensityUnit => quote!(unit),
            Input::Density(knot) => of(edge(knot), quote!(h)),
            Input::Tail(knot, order) => element(tails(knot), order),
            Input::Integral(piece, j) => element(integrals(piece), j),
            Input::RootTwoOverPi => unreachable!("a constant"),
        })
    }

    fn input_pair(&self, input: &Input) -> Option<Fragment> {
        let tokens = match *input {
            Input::Xi => quote!(deviation.xi_pair()),
            Input::InverseXi => quote!(deviation.inverse_pair()),
            Input::Parameter(i) => return Some(self.word(&Word::Parameter(i), Numbers::Pairs)),
            Input::Distance(knot) => of(edge(knot), quote!(distance_pair())),
            Input::SignedDistance(knot) => of(edge(knot), quote!(score_pair())),
            Input::Density(knot) => of(edge(knot), quote!(density_pair())),
            _ => return None,
        };
        Some(Fragment::atom(tokens))
    }

    fn variable(&self, var: Var) -> TokenStream {
        variable(var).to_token_stream()
    }

    fn round(&self, pair: Fragment) -> Fragment {
        let pair = pair.at_least(Binding::Atom);
        Fragment::atom(quote!(#pair.round()))
    }

    fn extend(&self, number: Fragment) -> Fragment {
        let number = number.text;
        Fragment::atom(quote!(kernel::Pair::exact(#number)))
    }

    fn binary(&self, operation: Operation, sides: [&Fragment; 2], numbers: Numbers) -> Fragment {
        let in_lanes = self.kind == Kind::Lanes && numbers == Numbers::Plain;
        if let Some(fused) = Self::fused(operation, sides).filter(|_| in_lanes) {
            return fused;
        }
        let mut value = operation.infix(sides);
        if operation == Operation::Multiply {
            value.factors = Some([sides[0].at_least(Binding::Atom), sides[1].text.clone()]);
        }
        value
    }

    fn select(&self, test: Test, [yes, no]: [&Fragment; 2], numbers: Numbers) -> Fragment {
        let mask = match test {
            Test::Seen => quote!(seen),
            Test::Right(knot) => of(edge(knot), quote!(is_right())),
        };
        let (number, yes, no) = (self.number_type(numbers), &yes.text, &no.text);
        Fragment::atom(quote!(#number::select(#mask, #yes, #no)))
    }

    fn pole(&self, [a, b]: [&Fragment; 2]) -> Fragment {
        let (a, b) = (&a.text, &b.text);
        Fragment::atom(quote!(kernel::pole(#a, #b)))
    }

    fn polynomial(
        &self,
        _: Var,
        around: Option<usize>,
        coefficients: &[Word],
        numbers: Numbers,
        _: &mut Tokens,
    ) -> Fragment {
        let words = coefficients.iter().map(|c| word::tokens(c, self.fields));
        let argument = &self.argument;
        let value = match around {
            None => quote!(kernel::polynomial(&[#(#words),*], #argument)),
            Some(knot) => {
                let knot = self.knot(knot);
                quote!(kernel::polynomial_around(&[#(#words),*], #knot, #argument))
            }
        };
        let value = Fragment::atom(value);
        if numbers == Numbers::Pairs { value } else { self.round(value) }
    }

    fn bind(&self, var: Var, value: &TokenStream, _: Numbers, source: &mut Tokens) {
        let name = variable(var);
        source.put(quote!(let #name = #value;));
    }

    fn integrate(
        &self,
        piece: usize,
        factors: &Factors<TokenStream>,
        outputs: &[Var],
        numbers: Numbers,
        source: &mut Tokens,
    ) -> Vec<Fragment> {
        let list = |factor: &[Fragment]| {
            let values = factor.iter().map(|value| &value.text);
            quote!([#(#values),*])
        };
        let (a, b, less) = (list(&factors.first), list(&factors.second), &factors.less.text);
        let (names, powers) = (outputs.iter().map(|var| variable(*var)), powers(piece));
        let names: Vec<Ident> = names.collect();
        source.put(quote!(let [#(#names),*] = #powers.products(#a, #b, #less);));
        if numbers == Numbers::Pairs {
            source.put(quote!(#(let #names = kernel::Pair::exact(#names);)*));
        }
        Vec::new()
    }
}

impl Branching for Rust<'_> {
    fn branch(
        printer: &Printer<'_, Self>,
        condition: &Condition,
        arms: &[Block],
        outputs: &[Var],
        source: &mut Tokens,
    ) {
        vector::branch(printer, condition, arms, outputs, source);
    }
}

impl Vector for Rust<'_> {
    fn zeros(&self, outputs: &[Var], numbers: Numbers, source: &mut Tokens) {
        let zero = self.constant([0.0; 2], numbers).text;
        self.start(outputs, &vec![zero; outputs.len()], source);
    }

    fn start(&self, outputs: &[Var], values: &[TokenStream], source: &mut Tokens) {
        let names = outputs.iter().map(|var| variable(*var));
        source.put(quote!(#(let mut #names = #values;)*));
    }

    fn open(&self, place: Place, source: &mut Tokens) {
        let mask = Self::mask(place);
        if let Place::Case(case) = place {
            let case = self.case(case);
            source.put(quote!(let #mask = #case;));
        }
        source.open(quote!(if #mask.any()));
        if let Place::Narrow(piece) = place {
            source.put(self.powers.get(piece).cloned().unwrap_or_default());
        }
    }

    fn overwrite(
        &self,
        place: Place,
        var: Var,
        value: &TokenStream,
        numbers: Numbers,
        source: &mut Tokens,
    ) {
        let (name, mask) = (variable(var), Self::mask(place));
        let number = self.number_type(numbers);
        source.put(quote!(#name = #number::select(#mask, #value, #name);));
    }

    fn close(&self, source: &mut Tokens) {
        source.close();
    }

    fn by_piece(printer: &Printer<'_, Self>, arms: &[Block], output: Var, source: &mut Tokens) {
        let value = |arm: &Block| {
            let mut inside = Tokens::default();
            let results = printer.block(arm, &mut inside);
            let statements = inside.finish();
            quote!({ #statements #(#results)* })
        };
        let values: Vec<TokenStream> = arms.iter().map(value).collect();
        let (name, value) = (variable(output), printer.language.place(&values));
        source.put(quote!(let #name = #value;));
    }
}
