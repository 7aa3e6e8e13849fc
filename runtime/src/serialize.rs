//! Types of activations in files: the values of their parameters by name, checked when they are read.
//!
//! Called by what [`serialize!`](crate::serialize!) expands to.

use core::fmt;

pub use serde_core::de::{Deserialize, Deserializer, Error};
use serde_core::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_core::ser::SerializeStruct;
pub use serde_core::ser::{Serialize, Serializer};

/// The names of parameters, or of all fields of a structure.
type Names = &'static [&'static str];

/// Implements `Serialize` and `Deserialize` for the type of an activation with these parameters. Reading goes through
/// `new`.
#[doc(hidden)]
#[macro_export]
macro_rules! serialize {
    ($Type:ident $name:literal) => {
        #[automatically_derived]
        impl $crate::serialize::Serialize for $Type {
            fn serialize<S: $crate::serialize::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_unit_struct($name)
            }
        }
        #[automatically_derived]
        impl<'de> $crate::serialize::Deserialize<'de> for $Type {
            fn deserialize<D: $crate::serialize::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::serialize::read_unit($name, deserializer).map(|()| $Type)
            }
        }
    };
    ($Type:ident $name:literal $($parameter:ident)+) => {
        #[automatically_derived]
        impl $crate::serialize::Serialize for $Type {
            fn serialize<S: $crate::serialize::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                let names = <$Type as $crate::Activation<f64>>::PARAMETERS;
                $crate::serialize::write($name, names, &[$(self.$parameter),+], serializer)
            }
        }
        #[automatically_derived]
        #[allow(non_snake_case)]
        impl<'de> $crate::serialize::Deserialize<'de> for $Type {
            fn deserialize<D: $crate::serialize::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let names = <$Type as $crate::Activation<f64>>::PARAMETERS;
                let [$($parameter),+] = $crate::serialize::read($name, names, deserializer)?;
                $Type::new($($parameter),+).map_err(<D::Error as $crate::serialize::Error>::custom)
            }
        }
    };
}

/// Writes the values of parameters as a structure.
///
/// # Errors
///
/// The errors of the format.
pub fn write<S: Serializer>(
    name: &'static str,
    names: Names,
    values: &[f64],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut structure = serializer.serialize_struct(name, values.len())?;
    for (name, value) in names.iter().zip(values) {
        structure.serialize_field(name, value)?;
    }
    structure.end()
}

/// Reads the values of parameters from a structure, or from a sequence in their order. Other fields are ignored.
///
/// # Errors
///
/// The errors of the format, and an error if a parameter is missing or stands there twice.
pub fn read<'de, D: Deserializer<'de>, const N: usize>(
    name: &'static str,
    names: Names,
    deserializer: D,
) -> Result<[f64; N], D::Error> {
    deserializer.deserialize_struct(name, names, Parameters::<N> { name, names })
}

/// Reads a type without parameters.
///
/// # Errors
///
/// The errors of the format.
pub fn read_unit<'de, D: Deserializer<'de>>(
    name: &'static str,
    deserializer: D,
) -> Result<(), D::Error> {
    deserializer.deserialize_unit_struct(name, Unit(name))
}

struct Unit(&'static str);

impl Visitor<'_> for Unit {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the activation {}, which has no parameters", self.0)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

struct Parameters<const N: usize> {
    name: &'static str,
    names: Names,
}

impl<'de, const N: usize> Visitor<'de> for Parameters<N> {
    type Value = [f64; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the parameters of {}", self.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<[f64; N], A::Error> {
        let mut values = [0.0; N];
        for (i, value) in values.iter_mut().enumerate() {
            let next = sequence.next_element()?;
            *value = next.ok_or_else(|| A::Error::invalid_length(i, &self))?;
        }
        Ok(values)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<[f64; N], A::Error> {
        let mut found = [None; N];
        while let Some(index) = map.next_key_seed(Key(self.names))? {
            match index.and_then(|index| Some((found.get_mut(index)?, self.names[index]))) {
                Some((Some(_), name)) => return Err(A::Error::duplicate_field(name)),
                Some((free, _)) => *free = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let mut values = [0.0; N];
        for (i, value) in values.iter_mut().enumerate() {
            *value = found[i].ok_or_else(|| A::Error::missing_field(self.names[i]))?;
        }
        Ok(values)
    }
}

/// The name of a field, as its number if it is a parameter.
struct Key(Names);

impl Key {
    fn find(&self, name: &[u8]) -> Option<usize> {
        self.0.iter().position(|known| known.as_bytes() == name)
    }
}

impl<'de> serde_core::de::DeserializeSeed<'de> for Key {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a parameter")
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<Self::Value, E> {
        Ok(usize::try_from(index).ok())
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.find(name.as_bytes()))
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<Self::Value, E> {
        Ok(self.find(name))
    }
}
