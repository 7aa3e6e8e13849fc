//! Blocks with everything that the IR has.

use gaussform_symbolic::exact::{Rational, integer};
use quote::quote;

use super::block::Printer;
use super::language::{Kind, Rust};
use super::names::identifier;
use super::tokens::Tokens;
use super::word::Fields;
use crate::ir::{Block, Case, Condition, Expr, Input, Operand, Product, Stmt, Var, Word};

/// A block in lanes.
fn printed(block: &Block, knots: &[Word]) -> String {
    let fields = [identifier("alpha")];
    let language = Rust {
        kind: Kind::Lanes,
        knots,
        fields: Fields::Own(&fields),
        argument: identifier("gamma"),
        powers: Vec::new(),
    };
    let mut source = Tokens::default();
    let results = Printer(&language).block(block, &mut source);
    let statements = source.finish();
    let file = syn::parse2(quote!(fn f() { #statements [#(#results),*] }));
    prettyplease::unparse(&file.expect("a function"))
}

fn var(var: Var) -> Operand {
    Operand::Var(var)
}

fn number(numerator: i64, denominator: i64) -> Operand {
    Operand::Constant(integer(numerator) / integer(denominator))
}

fn third() -> Rational {
    integer(1) / integer(3)
}

fn input(input: Input) -> Operand {
    Operand::Input(input)
}

/// Knots at a parameter, at 1/3 and at 2.
fn knots() -> [Word; 3] {
    [Word::Parameter(0), Word::Constant(third()), Word::Constant(integer(2))]
}

fn block(statements: Vec<Stmt>, results: Vec<Operand>) -> Block {
    Block { statements, results }
}

/// Every operation, input and statement, but for the place of x.
fn everything() -> Block {
    let word = Word::Add(Box::new([Word::Parameter(0), Word::Constant(third())]));
    let coefficients = vec![Word::Constant(third()), Word::Parameter(0)];
    let product =
        Product { first: vec![number(1, 1), var(1)], second: vec![var(1)], less: input(Input::Xi) };
    let same = Product {
        first: vec![number(1, 3), var(0)],
        second: vec![number(1, 3), var(0)],
        less: number(0, 1),
    };
    let middle = block(
        vec![
            Stmt::Let(20, Expr::Multiply(input(Input::Tail(0, 1)), input(Input::Density(0)))),
            Stmt::Let(21, Expr::Subtract(var(20), number(1, 3))),
            Stmt::Integrate { piece: 1, product: same, outputs: vec![22, 23] },
            Stmt::Let(24, Expr::Side(1, var(21), input(Input::InverseXi))),
        ],
        vec![Operand::Var(24), var(22)],
    );
    let plain = block(
        vec![Stmt::Let(25, Expr::Negate(input(Input::Displacement(2))))],
        vec![var(25), number(0, 1)],
    );
    let narrow = block(
        vec![Stmt::Integrate { piece: 2, product, outputs: vec![30, 31] }],
        vec![var(30), input(Input::Integral(2, 1))],
    );
    let wide = block(Vec::new(), vec![var(3), input(Input::RootTwoOverPi)]);
    let cases = vec![Case::Wide(0), Case::Narrow(1), Case::Wide(1)];
    let statements = vec![
        Stmt::Let(0, Expr::Word(word)),
        Stmt::Let(1, Expr::Polynomial(None, coefficients.clone())),
        Stmt::Let(2, Expr::Polynomial(Some(1), coefficients)),
        // Read once: in place. A product is fused with the sum where a language does so.
        Stmt::Let(4, Expr::Multiply(var(0), input(Input::Xi2))),
        Stmt::Let(3, Expr::Add(var(2), var(4))),
        Stmt::Let(5, Expr::Seen(input(Input::SignedDistance(0)))),
        Stmt::Let(6, Expr::Side(2, var(5), input(Input::Distance(2)))),
        Stmt::Branch {
            condition: Condition::Case(cases),
            arms: vec![plain.clone(), middle, plain],
            outputs: vec![7, 8],
        },
        Stmt::Branch {
            condition: Condition::Narrow(2),
            arms: vec![narrow, wide],
            outputs: vec![9, 10],
        },
        Stmt::Let(11, Expr::Multiply(var(7), var(9))),
        Stmt::Let(12, Expr::Subtract(input(Input::Gamma), var(11))),
        Stmt::Let(13, Expr::Multiply(input(Input::DensityUnit), input(Input::Parameter(0)))),
        Stmt::Let(14, Expr::Pole(number(-1, 2), var(13))),
    ];
    block(statements, vec![var(12), var(14), var(3), var(6), var(8), var(10)])
}

/// A value for each piece and each knot.
fn by_piece() -> Block {
    let arm = |value: i64| {
        let statement = Stmt::Let(10, Expr::Add(input(Input::Gamma), number(value, 2)));
        block(vec![statement], vec![var(10)])
    };
    let condition = Condition::Place;
    let branch = Stmt::Branch { condition, arms: (0..7).map(arm).collect(), outputs: vec![0] };
    block(vec![branch], vec![var(0)])
}

#[test]
fn one_block() {
    let (knots, everything, by_piece) = (knots(), everything(), by_piece());
    let mut text = String::new();
    for block in [&everything, &by_piece] {
        text += &format!("{}\n", printed(block, &knots));
    }
    insta::assert_snapshot!(text);
}
