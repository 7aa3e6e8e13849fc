#!/bin/sh
# Writes all that bench.py needs on the machine with the card: benches/gpu/emit.sh OUT
# GAUSSFORM is the command, target/release/gaussform if it is not set.
set -eu
out=${1:?where to: benches/gpu/emit.sh OUT}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
gaussform=${GAUSSFORM:-$root/target/release/gaussform}
mkdir -p "$out"
for name in $(sed -n 's/^\([a-z][a-z0-9_]*\)(x.*/\1/p' "$here/activations.gf"); do
    "$gaussform" emit "$name" --file "$here/activations.gf" --target cuda --out "$out/$name.cuh"
    "$gaussform" emit "$name" --file "$here/activations.gf" --target jax --out "$out/${name}_jax.py"
    "$gaussform" emit "$name" --file "$here/activations.gf" --target pytorch --out "$out/${name}_pytorch.py"
done
cp "$root/tests/golden/moments_f32.csv" "$out/golden.csv"
cp "$here/truth.csv" "$here/textbook.cu" "$here/bench.py" "$here/frameworks.py" "$here/device.py" "$out"
