#!/bin/sh
# How fast `portreeve decode --format stats` reads a large capture from the page cache, beside `cat`
# on the same file: the recorded session repeated to 1 GiB, and answers without a payload, 12 bytes
# each, repeated to 96 MiB.
#
#     benches/decode/stats.sh [program]
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
program=${1:-}
if [ -z "$program" ]; then
    cargo build --profile dist --manifest-path "$root/Cargo.toml"
    program=$root/target/dist/portreeve
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Repeats a file as often as it fits into a number of bytes.
repeat() {
    cp "$1" "$folder/part.bin"
    for _ in 1 2 3 4 5 6; do
        cat "$folder/part.bin" "$folder/part.bin" >"$folder/double.bin"
        mv "$folder/double.bin" "$folder/part.bin"
    done
    part=$(wc -c <"$folder/part.bin")
    for _ in $(seq $(($3 / part))); do cat "$folder/part.bin"; done >"$2"
}

# Wall time of a command on a file of so many bytes, the best of five, as MB/s.
speed() {
    size=$1
    shift
    best=
    for _ in 1 2 3 4 5; do
        start=$(date +%s%N)
        "$@" >/dev/null
        elapsed=$(($(date +%s%N) - start))
        if [ -z "$best" ] || [ "$elapsed" -lt "$best" ]; then best=$elapsed; fi
    done
    echo "$((size * 1000 / best)) MB/s"
}

# A row of the table.
row() {
    size=$(wc -c <"$2")
    read_at=$(speed "$size" cat "$2")
    counted_at=$(speed "$size" "$program" decode --format stats "$2")
    echo "| $1 | $size | $read_at | $counted_at |"
}

gzip -dc "$root/tests/data/game/session.bin.gz" >"$folder/session.bin"
repeat "$folder/session.bin" "$folder/sessions.bin" 1073741824

# The length of the message, then the message: a response, command 42, code "ok".
printf '\000\000\000\010\010\000\022\004\010\052\020\000' >"$folder/answer.bin"
repeat "$folder/answer.bin" "$folder/many.bin" 98304
repeat "$folder/many.bin" "$folder/answers.bin" 100663296

echo "| capture | bytes | cat | decode --format stats |"
echo "|---|--:|--:|--:|"
row "recorded session" "$folder/sessions.bin"
row "answers without a payload" "$folder/answers.bin"
