// The nodes on a narrow piece: the density times the weight at each, less the density h at the edge that is nearer to
// gamma; x and z count from there. No density where the piece is not narrow.
struct gsf_nodes { h: f32, zeta: f32, omega: f32, from_left: bool }

// The nodes on the piece between two knots.
fn gsf_nodes_on(narrow: bool, left: gsf_edge, right: gsf_edge, width: gsf_pair, deviation: gsf_deviation) -> gsf_nodes {
    // By the middle of the piece: far away both ends have the same place.
    let from_left = 0.0 <= left.z + right.z;
    let h = select(0.0, select(right.h, left.h, from_left), narrow);
    let omega = gsf_pair_round(gsf_units(width, deviation));
    return gsf_nodes(h, select(-right.z, left.z, from_left), omega, from_left);
}

// The weight at a distance from the nearer edge, with the density relative to that at the edge.
fn gsf_mass(nodes: gsf_nodes, delta: f32, weight: f32) -> f32 {
    return nodes.omega * GSF_ROOT_TAU * weight * gsf_density(delta * (nodes.zeta + nodes.zeta + delta));
}
