#!/bin/sh
# How fast `portreeve decode --format stats` reads a large capture: the recorded session, repeated
# to 1 GiB, from the page cache, beside `cat` on the same file.
#
#     benches/decode/stats.sh [program]
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
program=${1:-}
if [ -z "$program" ]; then
    cargo build --release --manifest-path "$root/Cargo.toml"
    program=$root/target/release/portreeve
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gzip -dc "$root/tests/data/game/session.bin.gz" >"$folder/session.bin"

# 64 sessions, then as many of those as make 1 GiB.
for _ in 1 2 3 4 5 6 7 8; do cat "$folder/session.bin"; done >"$folder/8.bin"
for _ in 1 2 3 4 5 6 7 8; do cat "$folder/8.bin"; done >"$folder/64.bin"
size=$(wc -c <"$folder/64.bin")
count=$((1073741824 / size))
for _ in $(seq "$count"); do cat "$folder/64.bin"; done >"$folder/capture.bin"
size=$((size * count))

# Wall time of a command, the best of five, as MB/s.
speed() {
    best=
    for _ in 1 2 3 4 5; do
        start=$(date +%s%N)
        "$@" >/dev/null
        taken=$(($(date +%s%N) - start))
        if [ -z "$best" ] || [ "$taken" -lt "$best" ]; then best=$taken; fi
    done
    echo "$((size * 1000 / best)) MB/s  $*"
}
printf '%s bytes; the best of five, in one process each\n' "$size"
speed cat "$folder/capture.bin"
speed "$program" decode --format stats "$folder/capture.bin"
