//! Running emitted WGSL on whatever Vulkan finds, a processor among it.

pub mod truth;

use std::borrow::Cow;

use futures_lite::future::block_on;
use wgpu::{
    Adapter, Backends, BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages,
    CommandEncoderDescriptor, ComputePassDescriptor, ComputePipelineDescriptor, Device as Logical,
    DeviceDescriptor, Instance, InstanceDescriptor, MapMode, PollType, Queue,
    ShaderModuleDescriptor, ShaderSource,
};

/// How many inputs a group of threads takes.
const GROUP: usize = 64;

/// Whether a module with one activation promises to be right for γ and ξ², by what it says.
///
/// # Panics
///
/// If it does not say.
#[must_use]
pub fn is_promised(module: &str, [gamma, xi2]: [f32; 2]) -> bool {
    let line = module.lines().find(|line| line.starts_with("// Right for")).expect("a range");
    let power = |rest: &str| -> i32 {
        let digits = rest.split([' ', ',']).next().expect("a power");
        digits.parse().expect("a number")
    };
    let powers: Vec<f32> =
        line.split("2^").skip(1).map(|rest| f32::powi(2.0, power(rest))).collect();
    let [size, least, most] = powers[..] else { panic!("three limits: {line}") };
    gamma.abs() <= size && (xi2 == 0.0 || (least <= xi2 && xi2 <= most))
}

/// A device that runs functions on many inputs.
#[derive(Debug)]
pub struct Device {
    name: String,
    logical: Logical,
    queue: Queue,
}

impl Device {
    /// The first device that Vulkan names, if it names one. `VK_DRIVER_FILES` says where else to look for drivers.
    #[must_use]
    pub fn find() -> Option<Self> {
        let backends = Backends::VULKAN;
        let descriptor = InstanceDescriptor::new_without_display_handle();
        let instance = Instance::new(InstanceDescriptor { backends, ..descriptor });
        let adapters = block_on(instance.enumerate_adapters(backends));
        let adapter: Adapter = adapters.into_iter().next()?;
        let info = adapter.get_info();
        let name = format!("{} ({:?}, {})", info.name, info.device_type, info.driver_info);
        let (logical, queue) =
            block_on(adapter.request_device(&DeviceDescriptor::default())).ok()?;
        Some(Self { name, logical, queue })
    }

    /// The device's name, its type and its driver.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The seven moments and derivatives of `call`, an expression in `p.x` (γ) and `p.y` (ξ²) of type
    /// `gaussform_moments_grad`, at each point.
    ///
    /// # Panics
    ///
    /// If the module is not valid, or the device is lost.
    #[must_use]
    pub fn moments_grad(&self, module: &str, call: &str, points: &[[f32; 2]]) -> Vec<[f32; 7]> {
        let entry = format!(
            "
@group(0) @binding(0) var<storage, read> points: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> results: array<f32>;

@compute @workgroup_size({GROUP})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let i = id.x;
    if (i >= arrayLength(&points)) {{
        return;
    }}
    let p = points[i];
    let m = {call};
    results[7u * i] = m.mean;
    results[7u * i + 1u] = m.second;
    results[7u * i + 2u] = m.variance;
    results[7u * i + 3u] = m.dmean_dgamma;
    results[7u * i + 4u] = m.dmean_dxi2;
    results[7u * i + 5u] = m.dvariance_dgamma;
    results[7u * i + 6u] = m.dvariance_dxi2;
}}
"
        );
        let bytes: Vec<u8> = points.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        let input = self.buffer(bytes.len(), BufferUsages::STORAGE | BufferUsages::COPY_DST);
        self.queue.write_buffer(&input, 0, &bytes);
        let size = points.len() * size_of::<[f32; 7]>();
        let output = self.buffer(size, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let readable = self.buffer(size, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        self.dispatch(&format!("{module}{entry}"), [&input, &output], points.len(), &readable);
        let bytes = self.read(&readable);
        let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
        let numbers: Vec<f32> = bytes.chunks_exact(4).map(number).collect();
        numbers.as_chunks::<7>().0.to_vec()
    }

    fn buffer(&self, size: usize, usage: BufferUsages) -> Buffer {
        let size = u64::try_from(size).expect("a size");
        let descriptor = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.logical.create_buffer(&descriptor)
    }

    /// Runs a shader over the first buffer into the second, and copies that to where it can be read.
    fn dispatch(&self, shader: &str, buffers: [&Buffer; 2], count: usize, readable: &Buffer) {
        let source = ShaderSource::Wgsl(Cow::Borrowed(shader));
        let shader = ShaderModuleDescriptor { label: None, source };
        let module = &self.logical.create_shader_module(shader);
        let pipeline = self.logical.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: None,
            module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let entries = [0, 1].map(|binding| BindGroupEntry {
            binding,
            resource: buffers[binding as usize].as_entire_binding(),
        });
        let layout = &pipeline.get_bind_group_layout(0);
        let group = BindGroupDescriptor { label: None, layout, entries: &entries };
        let group = self.logical.create_bind_group(&group);
        let descriptor = CommandEncoderDescriptor::default();
        let mut encoder = self.logical.create_command_encoder(&descriptor);
        {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            let groups = u32::try_from(count.div_ceil(GROUP)).expect("few groups");
            pass.dispatch_workgroups(groups, 1, 1);
        }
        encoder.copy_buffer_to_buffer(buffers[1], 0, readable, 0, readable.size());
        self.queue.submit([encoder.finish()]);
    }

    fn read(&self, buffer: &Buffer) -> Vec<u8> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(MapMode::Read, .., move |result| {
            sender.send(result).expect("somebody waits");
        });
        self.logical.poll(PollType::wait_indefinitely()).expect("the device works");
        receiver.recv().expect("the device answers").expect("the buffer can be read");
        buffer.get_mapped_range(..).expect("the buffer is mapped").to_vec()
    }
}
