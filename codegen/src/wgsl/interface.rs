//! The functions of a module of WGSL that a program calls.

use crate::kernel::Kernel;

/// The functions of the interface, which a program calls.
pub(super) fn interface(kernel: &Kernel) -> String {
    let activation = kernel.activation();
    let names: Vec<&str> = activation.parameters.iter().map(|p| &*p.name).collect();
    let parameters: String = names.iter().map(|name| format!(", p_{name}: f32")).collect();
    let arguments: String = names.iter().map(|name| format!(", p_{name}")).collect();
    let entries: Vec<String> = (0..names.len())
        .map(|i| {
            let [a, b, c] = [0, 1, 2].map(|k| format!("v[{}]", 3 * i + k));
            format!("gaussform_parameter_grad({a}, {b}, {c})")
        })
        .collect();
    let count = names.len();
    let mut text = include_str!("prelude/interface.wgsl").to_owned();
    if count > 0 {
        text += include_str!("prelude/parameters.wgsl");
    }
    text.replace("@name@", &activation.name)
        .replace("@parameters@", &parameters)
        .replace("@arguments@", &arguments)
        .replace("@count@", &count.to_string())
        .replace("@entries@", &entries.join(", "))
}
