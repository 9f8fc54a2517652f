#!/usr/bin/env bash
# A sweep as an array on an emulated cluster of four nodes comes to the bytes of
# a single process, although in mid-run one task is requeued, one is told that
# its time is up, one loses its node, and one is cancelled and submitted again.
# Where there can be no such cluster it says why, and is done.
#
#   test.sh MARIGRAM     the program to test
set -euo pipefail
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
export PATH=$(dirname "$program"):$PATH
shards=8

skip() { echo "test-slurm skipped: $*"; exit 0; }
fail() { echo "test-slurm: $*" >&2; exit 1; }

install() {
  command -v sbatch slurmctld slurmd munged mungekey >/dev/null && return
  command -v apt-get >/dev/null || skip 'Slurm is not installed, and there is no apt-get'
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurm-wlm munge; } >apt.log 2>&1 ||
    skip "Slurm is not installed, and slurm-wlm cannot be: $(tail -n 1 apt.log)"
}

# eventually tries a command for so many seconds.
eventually() { # SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || { state >&2; fail "waited in vain: $*"; }
    sleep 0.2
  done
}

# state shows what the controller knows.
state() {
  squeue || true
  sinfo -N -l || true
  grep -v ': debug' cluster/slurmctld.log | tail -n 40
}

submit() { sbatch --parsable "$@" "$here/sweep.sbatch" sweep.yaml array $shards; }
field() { squeue -h -j "${job}_$1" -o "$2" 2>/dev/null || true; } # TASK FORMAT
begun() { compgen -G "array/plan=*/part-00000$1.parquet" >/dev/null; } # TASK: chunk I is the first of task I
waits() { [ "$(field "$1" %t)" = PD ]; }
ended() { [ -z "$(field "$1" %t)" ]; }
down() { sinfo -h -n "$1" -o %t | grep -q '^down'; }
over() { [ -z "$(squeue -h)" ]; }

# slay kills a process and all below it. It is stopped first: a slurmstepd that
# sees its script die would report the end of the job, which no lost node does.
slay() {
  local child
  kill -STOP "$1" 2>/dev/null || true
  for child in $(pgrep -P "$1"); do slay "$child"; done
  kill -9 "$1" 2>/dev/null || true
}

# crash kills the daemon of a task's node, and what runs there.
crash() { # TASK
  local raw
  raw=$(field "$1" %A) node=$(field "$1" %N)
  kill -9 "$(cat "cluster/slurmd-$node.pid")"
  slay "$(pgrep -f "^slurmstepd: \[$raw\.batch\]")"
}

# stopped checks how often the sweep of a log was stopped in mid-run and said so.
stopped() { # LOG TIMES
  [ "$(grep -cE '^marigram: interrupted; ([1-9]|complete)' "$1")" = "$2" ] || fail "not stopped $2 times in mid-run: $(cat "$1")"
}

# resumed checks that the sweep of a log used what was there.
resumed() { # LOG
  grep -q '^[0-9]* chunks: [1-9][0-9]* written, [1-9][0-9]* already done' "$1" || fail "did not go on where it was: $(cat "$1")"
}

[ "$(id -u)" = 0 ] || skip 'the daemons of Slurm are for root'
dir=$(mktemp -d)
cd "$dir"
trap '"$here/cluster.sh" down "$dir/cluster"; cd /; rm -rf "$dir"' EXIT
install
export SLURM_CONF=$dir/cluster/slurm.conf
"$here/cluster.sh" up cluster 4

cat >sweep.yaml <<SPEC
base: quickstart
seeds: 25000
chunk_runs: 1000
matrix: {market.replay.notice_s: [120]}
SPEC
marigram sweep sweep.yaml --out alone
marigram sweep merge alone -o alone.parquet

job=$(submit --array=0-$((shards - 1)))
for task in 0 1 2 3; do eventually 60 begun $task; done
scontrol requeue "${job}_0"
crash 2
scancel "${job}_3"
# What --signal sends before the time is up. It arrives at once; scancel would
# ask for another minute, of a task that is no longer there.
timeout 2 scancel --batch --signal=USR1 "${job}_1" || true
eventually 30 waits 0
eventually 30 waits 1
eventually 60 ended 3
again=$(submit --array=3)
eventually 60 down "$node"
eventually 90 waits 2 # the controller has to find out
# Who begins again waits for two minutes, unless told otherwise.
for task in 0 1 2; do scontrol update "JobId=${job}_$task" StartTime=now; done
eventually 900 over

log=marigram-${job}_
stopped ${log}0.log 1; resumed ${log}0.log
stopped ${log}1.log 1; resumed ${log}1.log
stopped ${log}2.log 0; resumed ${log}2.log
stopped ${log}3.log 1; resumed "marigram-${again}_3.log"
marigram sweep status array | tee status.txt
if grep -q 'other files' status.txt; then fail 'something is left beside the chunks'; fi
sbatch --wait --dependency=afterok:"$again" --kill-on-invalid-dep=yes --wrap 'marigram sweep merge array -o array.parquet'
sha256sum alone.parquet array.parquet
cmp alone.parquet array.parquet
echo "test-slurm: $shards tasks on 4 nodes, one requeued, one told that its time is up, one node lost, one cancelled and submitted again: the same bytes"
