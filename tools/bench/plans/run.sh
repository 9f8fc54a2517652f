#!/bin/sh
# 100,000 runs of `parcae` (tools/bench/README.md), with one worker and with two, each as
# often as said; every line is one sweep.
# usage: tools/bench/plans/run.sh [ROUNDS], from the root of the repository; needs GNU
# time and the trace bamboo-aws-p3 (marigram traces pull).
set -eu
rounds=${1:-3}
tool=bin/marigram
work=out/parcae
rm -rf $work
mkdir -p $work
printf '%8s %8s %8s %8s %12s %8s %s\n' starts workers wall_s cpu_s cpu_us_a_run rss_mb sha256
for round in $(seq "$rounds"); do
  for starts in hourly any; do
    for jobs in 1 2; do
      dir=$work/$starts-$jobs
      rm -rf $dir
      /usr/bin/time -q -o $dir.time -f '%e %U %S %M' $tool sweep tools/bench/plans/$starts.yaml -j $jobs --out $dir >/dev/null 2>&1
      $tool sweep merge $dir -o $dir.parquet >/dev/null
      sum=$(sha256sum $dir.parquet | cut -c1-12)
      awk -v starts=$starts -v jobs=$jobs -v sum="$sum" \
        '{ cpu = $2 + $3; printf "%8s %8d %8.2f %8.2f %12.1f %8.1f %s\n", starts, jobs, $1, cpu, 1e6 * cpu / 1e5, $4 / 1024, sum }' $dir.time
    done
  done
done
