// Gaussian moments of a ReLU on a graphics card. This stands behind what is emitted:
//
//     gaussform emit relu --target wgsl --out relu_moments.wgsl
//     cat relu_moments.wgsl relu.wgsl > shader.wgsl

// gamma and xi2 of pre-activations, and mean and variance of what the ReLU makes of them.
@group(0) @binding(0) var<storage, read> inputs: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> outputs: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&inputs)) {
        let u = inputs[id.x];
        let m = relu_moments(u.x, u.y);
        outputs[id.x] = vec2<f32>(m.mean, m.variance);
    }
}
