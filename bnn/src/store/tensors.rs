//! The tensors of a module by names that other programs can read, such as `layers.3.weight.mean`.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{DType, Tensor, TensorData};
use half::{bf16, f16};
use safetensors::tensor::{Dtype, TensorView};

use super::StoreError;

/// A tensor as a file holds it: type, shape and bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stored {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: Vec<u8>,
}

impl Stored {
    fn of(data: TensorData) -> Result<Self, StoreError> {
        let shape = data.shape().to_vec();
        let unreadable = |e| StoreError::Tensor { problem: format!("{e:?}") };
        let (dtype, bytes) = match data.dtype() {
            DType::F64 => {
                let values = data.try_into_vec::<f64>().map_err(unreadable)?;
                (Dtype::F64, values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            _ => {
                let values = data.try_into_vec::<f32>().map_err(unreadable)?;
                (Dtype::F32, values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
        };
        Ok(Self { dtype, shape, bytes })
    }

    pub(crate) fn double(values: Vec<f64>, shape: Vec<usize>) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self { dtype: Dtype::F64, shape, bytes }
    }

    pub(crate) fn view(view: &TensorView<'_>) -> Self {
        Self { dtype: view.dtype(), shape: view.shape().to_vec(), bytes: view.data().to_vec() }
    }

    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.numbers().is_some_and(|numbers| numbers.iter().all(|v| v.is_finite()))
    }

    /// The numbers of the tensor in f64, if its type is f64, f32, f16 or bf16.
    pub(crate) fn numbers(&self) -> Option<Vec<f64>> {
        self.data().and_then(|d| d.try_into_vec_as::<f64>().ok())
    }

    /// Replaces the numbers; shape and type stay.
    pub(crate) fn set(&mut self, values: &[f64]) {
        self.bytes = match self.dtype {
            Dtype::F64 => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            _ => values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect(),
        };
    }

    fn data(&self) -> Option<TensorData> {
        fn read<const N: usize, T>(bytes: &[u8], number: fn([u8; N]) -> T) -> Option<Vec<T>> {
            bytes.chunks_exact(N).map(|b| Some(number(b.try_into().ok()?))).collect()
        }
        let shape = self.shape.clone();
        Some(match self.dtype {
            Dtype::F64 => TensorData::new(read(&self.bytes, f64::from_le_bytes)?, shape),
            Dtype::F32 => TensorData::new(read(&self.bytes, f32::from_le_bytes)?, shape),
            // Every half is a single.
            Dtype::F16 => {
                let number = |b| f16::from_le_bytes(b).to_f32();
                TensorData::new(read(&self.bytes, number)?, shape)
            }
            Dtype::BF16 => {
                let number = |b| bf16::from_le_bytes(b).to_f32();
                TensorData::new(read(&self.bytes, number)?, shape)
            }
            _ => return None,
        })
    }
}

/// The place of a walk through a module: `layers.3.weight.mean`.
#[derive(Default)]
struct ModulePath(Vec<Option<String>>);

impl ModulePath {
    fn enter(&mut self, name: &str, container: &str) {
        // The variant of an enum and the chain of a network say nothing to a reader.
        let silent = container.starts_with("Enum:") || container == "Struct:Network";
        let silent = silent && name != "likelihood";
        self.0.push((!silent).then(|| name.to_owned()));
    }

    fn exit(&mut self) {
        self.0.pop();
    }

    fn name(&self) -> String {
        self.0.iter().flatten().cloned().collect::<Vec<_>>().join(".")
    }
}

/// Every parameter of `module` with its name, and Burn's number of it.
pub(crate) fn gather<M: Module>(module: &M) -> Result<BTreeMap<String, (Stored, u64)>, StoreError> {
    struct Gather {
        place: ModulePath,
        out: Result<BTreeMap<String, (Stored, u64)>, StoreError>,
    }
    impl ModuleVisitor for Gather {
        fn enter_module(&mut self, name: &str, container: &str) {
            self.place.enter(name, container);
        }

        fn exit_module(&mut self, _: &str, _: &str) {
            self.place.exit();
        }

        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Ok(out) = &mut self.out {
                match Stored::of(param.val().to_data()) {
                    Ok(stored) => {
                        out.insert(self.place.name(), (stored, param.id.val()));
                    }
                    Err(error) => self.out = Err(error),
                }
            }
        }
    }
    let mut visitor = Gather { place: ModulePath::default(), out: Ok(BTreeMap::new()) };
    module.visit(&mut visitor);
    visitor.out
}

/// `module` with the values of `tensors`, and with Burn's numbers of `ids` where they are given.
///
/// # Errors
///
/// [`StoreError`], if a tensor is missing or of another shape or type; the names of those that are
/// left over are errors too.
pub(crate) fn put<M: Module>(
    module: M,
    mut tensors: BTreeMap<String, Stored>,
    ids: &BTreeMap<String, u64>,
) -> Result<M, StoreError> {
    struct Put<'a> {
        place: ModulePath,
        tensors: &'a mut BTreeMap<String, Stored>,
        ids: &'a BTreeMap<String, u64>,
        problem: Option<StoreError>,
    }
    impl Put<'_> {
        fn value<const D: usize>(
            &mut self,
            name: &str,
            old: &Tensor<D>,
        ) -> Result<Tensor<D>, StoreError> {
            let name = || name.to_owned();
            let stored =
                self.tensors.remove(&name()).ok_or_else(|| StoreError::Missing { name: name() })?;
            let expected = old.dims().to_vec();
            if stored.shape != expected {
                let found = stored.shape;
                return Err(StoreError::Shape { name: name(), expected, found });
            }
            let dtype = if old.dtype() == DType::F64 { Dtype::F64 } else { Dtype::F32 };
            let (wanted, found) = (format!("{dtype:?}"), format!("{:?}", stored.dtype));
            let data = stored.data().filter(|_| stored.dtype == dtype);
            let data = data.ok_or(StoreError::Type { name: name(), expected: wanted, found })?;
            let value = Tensor::from_data(data, (&old.device(), old.dtype()));
            Ok(value.set_require_grad(old.is_require_grad()))
        }
    }
    impl ModuleMapper for Put<'_> {
        fn enter_module(&mut self, name: &str, container: &str) {
            self.place.enter(name, container);
        }

        fn exit_module(&mut self, _: &str, _: &str) {
            self.place.exit();
        }

        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            let name = self.place.name();
            let (id, old, mapper) = param.consume();
            let id = self.ids.get(&name).map_or(id, |id| ParamId::from(*id));
            let value = self.value(&name, &old).unwrap_or_else(|error| {
                // Burn's mappers cannot fail: the first error is kept, and the old value stays.
                self.problem.get_or_insert(error);
                old
            });
            Param::from_mapped_value(id, value, mapper)
        }
    }
    let mut mapper =
        Put { place: ModulePath::default(), tensors: &mut tensors, ids, problem: None };
    let module = module.map(&mut mapper);
    if let Some(problem) = mapper.problem {
        return Err(problem);
    }
    match tensors.into_keys().next() {
        Some(name) => Err(StoreError::Unknown { name }),
        None => Ok(module),
    }
}
