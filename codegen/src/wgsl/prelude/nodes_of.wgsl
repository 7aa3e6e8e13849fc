// x^j (1 - x)^(@last@-j) for j <= @last@.
fn gsf_basis_@basis@(x: f32, rest: f32) -> array<f32, @basis@> {
    var basis: array<f32, @basis@>;
    basis[0] = 1.0;
    for (var j = 1; j < @basis@; j++) {
        basis[j] = basis[j - 1] * x;
    }
    var power: f32 = 1.0;
    for (var j = @last@ - 1; j >= 0; j--) {
        power = power * rest;
        basis[j] = basis[j] * power;
    }
    return basis;
}

// The integrals over a piece of x^j (1 - x)^(@last@-j), with x from 0 to 1 over the piece; 0 where it is not narrow.
fn gsf_nodes_integrals_@basis@(nodes: gsf_nodes) -> array<f32, @basis@> {
    var sums: array<f32, @basis@>;
    if (!(0.0 < nodes.h)) {
        return sums;
    }
    for (var i = 0; i < GSF_NODES; i++) {
        let node = gsf_node(i);
        let mass = gsf_mass(nodes, nodes.omega * node.x, node.weight);
        var basis = gsf_basis_@basis@(node.x, node.rest);
        for (var j = 0; j < @basis@; j++) {
            let place = select(@last@ - j, j, nodes.from_left);
            sums[place] = mass * basis[j] + sums[place];
        }
    }
    for (var j = 0; j < @basis@; j++) {
        sums[j] = nodes.h * sums[j];
    }
    return sums;
}

// The integrals over a piece of A B, and of A (B - less) He_k(z) for k = 1, 2, with A and B given by their coefficients
// of x^j (1 - x)^(@last@-j); 0 where the piece is not narrow.
fn gsf_nodes_products_@basis@(nodes: gsf_nodes, a_given: array<f32, @basis@>, b_given: array<f32, @basis@>, less: f32) -> array<f32, 3> {
    var a = a_given;
    var b = b_given;
    if (!(0.0 < nodes.h)) {
        return array<f32, 3>(0.0, 0.0, 0.0);
    }
    var sum: f32 = 0.0;
    var linear: f32 = 0.0;
    var square: f32 = 0.0;
    for (var i = 0; i < GSF_NODES; i++) {
        let node = gsf_node(i);
        let delta = nodes.omega * node.x;
        let z = delta + nodes.zeta;
        var basis = gsf_basis_@basis@(node.x, node.rest);
        var first: f32 = 0.0;
        var second: f32 = 0.0;
        for (var j = 0; j < @basis@; j++) {
            let place = select(@last@ - j, j, nodes.from_left);
            first = a[place] * basis[j] + first;
            second = b[place] * basis[j] + second;
        }
        let weighted = gsf_mass(nodes, delta, node.weight) * first;
        sum = weighted * second + sum;
        let less_weighted = weighted * (second - less);
        linear = z * less_weighted + linear;
        square = (z * z - 1.0) * less_weighted + square;
    }
    // z was counted in the direction of the piece.
    let sign = select(-nodes.h, nodes.h, nodes.from_left);
    return array<f32, 3>(nodes.h * sum, sign * linear, nodes.h * square);
}
