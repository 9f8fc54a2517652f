#!/bin/sh
# The table of tools/bench/README.md: the sweep of this folder at four sizes, with one
# worker and with two, the best of so many rounds by wall time.
# usage: tools/bench/million/run.sh [ROUNDS], from the root of the repository; needs GNU time.
set -eu
rounds=${1:-3}
tool=bin/marigram
work=out/million
rm -rf $work
bin/tools/million tools/bench/million/market.json $work/market
printf '%8s %8s %8s %8s %12s %8s %s\n' runs workers wall_s cpu_s cpu_us_a_run rss_mb sha256
for seeds in 1 10 100 1000; do
  for jobs in 1 2; do
    dir=$work/$seeds-$jobs
    for round in $(seq "$rounds"); do
      rm -rf $dir
      /usr/bin/time -q -a -o $dir.time -f '%e %U %S %M' $tool sweep tools/bench/million/sweep.yaml --seeds $seeds -j $jobs --out $dir >/dev/null 2>&1
    done
    $tool sweep merge $dir -o $dir.parquet >/dev/null
    sum=$(sha256sum $dir.parquet | cut -c1-12)
    sort -n $dir.time | head -1 | awk -v runs=${seeds}000 -v jobs=$jobs -v sum="$sum" \
      '{ cpu = $2 + $3; printf "%8d %8d %8.2f %8.2f %12.1f %8.1f %s\n", runs, jobs, $1, cpu, 1e6 * cpu / runs, $4 / 1024, sum }'
  done
done
