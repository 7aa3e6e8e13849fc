#!/bin/sh
# Times training steps on the card of this machine, ours beside PyTorch's, and writes a table to $OUT/steps.md.
#
#     cargo bench -p gaussform-bnn --features wgpu --bench steps --no-run --message-format=json   # names the program
#     OUT=/tmp PROGRAM=target/release/deps/steps-… benches/gpu/steps/run.sh
#
# The program may be built on another machine. With debs of a Vulkan loader in $DEBS, these are unpacked first, for a machine
# that has the card's driver and no loader. NETWORKS, METHODS and BATCHES say what is timed.
set -u
here=$(dirname "$0")
OUT=${OUT:-.}
PROGRAM=${PROGRAM:-$here/steps}
NETWORKS=${NETWORKS:-mlp lenet}
METHODS=${METHODS:-plain sampled exact delta linearised}
BATCHES=${BATCHES:-128 4096}
if [ -n "${DEBS:-}" ]; then
    for package in "$DEBS"/*.deb; do dpkg -x "$package" /; done
    ldconfig
fi
ours="$OUT/ours.txt"
: > "$ours"
for batch in $BATCHES; do
    for network in $NETWORKS; do
        for method in $METHODS; do
            step=$(timeout 40 "$PROGRAM" --card --batch "$batch" one "$network" "$method" 2>> "$OUT/ours.err" | cut -d' ' -f1)
            echo "$batch $network $method ${step:-none}" | tee -a "$ours"
        done
    done
done
timeout 90 python3 "$here/table.py" "$ours" > "$OUT/steps.md" 2> "$OUT/steps.err"
cat "$OUT/steps.md"
