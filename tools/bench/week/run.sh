#!/bin/sh
# Runs a week of 1,000,000 jobs on 10,000 GPUs from the command, under each scheduler, and prints seconds of processor and memory.
# Usage: run.sh MARIGRAM. Needs awk and GNU time.
set -eu
tool=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/week.yaml" "$work"
awk -v jobs=1000000 -v gpus=10000 -f "$here/jobs.awk" > "$work/week.csv"
cd "$work"
for policy in fifo tiresias; do
	/usr/bin/time -f "$policy: %U s of processor, %e s, %M kB" "$tool" run week.yaml --policy $policy --out "$policy" --no-plots
done
ls -l */jobs.parquet
