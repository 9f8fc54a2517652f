#!/usr/bin/env bash
# A Slurm cluster of emulated nodes on this machine, without systemd and with
# nothing outside of one folder: configuration, key, state, logs. For root.
#
#   cluster.sh up DIR N     N nodes n0, n1, ... of one processor each, one slurmd a node
#   cluster.sh down DIR     ends every daemon that up began
#
# In between SLURM_CONF=DIR/slurm.conf leads sbatch and the others to it.
set -euo pipefail

configuration() { # N PORT
  local host memory
  host=$(hostname -s)
  memory=$(awk '/MemTotal/ {print int($2 / 2048)}' /proc/meminfo)
  cat <<CONF
ClusterName=emulated
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(($2 + $1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
# A node that does not answer for so many seconds is down, and its jobs begin again.
SlurmdTimeout=10
ReturnToService=2
NodeName=n[0-$(($1 - 1))] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$2-$(($2 + $1 - 1))] CPUs=1 RealMemory=$((memory / $1))
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

# eventually tries a command for 20 seconds.
eventually() {
  for _ in $(seq 40); do
    if "$@"; then return; fi
    sleep 0.5
  done
  echo "cluster.sh: not within 20 s: $*; logs are in $dir" >&2
  return 1
}

idle() { [ "$(sinfo -h -N -o %t 2>/dev/null | grep -c '^idle$')" = "$1" ]; }

over() { [ -z "$(timeout 5 squeue -h 2>/dev/null)" ]; }

gone() { case $(ps -o stat= -p "$1") in '' | Z*) ;; *) return 1 ;; esac; }

# free_ports prints the first of so many ports in a row at which nobody listens.
free_ports() {
  local first p
  for first in $(seq 17000 100 32000); do
    for p in $(seq "$first" $((first + $1 - 1))); do
      if (: < "/dev/tcp/127.0.0.1/$p") 2>/dev/null; then continue 2; fi
    done
    echo "$first"
    return
  done
  return 1
}

up() { # N
  mkdir -p "$dir/munge" "$dir/state"
  configuration "$1" "$(free_ports $(($1 + 1)))" > "$dir/slurm.conf"
  mungekey --create --keyfile "$dir/munge/key"
  munged --force --socket="$dir/munge/socket" --key-file="$dir/munge/key" --log-file="$dir/munge/log" \
    --pid-file="$dir/munged.pid" --seed-file="$dir/munge/seed"
  slurmctld -c -f "$dir/slurm.conf"
  for i in $(seq 0 $(($1 - 1))); do
    mkdir -p "$dir/spool-n$i"
    slurmd -N "n$i" -f "$dir/slurm.conf"
  done
  eventually idle "$1"
}

down() {
  local file pid
  [ -e "$SLURM_CONF" ] || return 0
  timeout 20 scancel --user=root || true # what a daemon began does not end with it
  eventually over || true
  for file in "$dir"/slurmd-*.pid "$dir"/slurmctld.pid "$dir"/munged.pid; do
    [ -s "$file" ] || continue
    pid=$(cat "$file")
    kill "$pid" 2>/dev/null || continue
    eventually gone "$pid" || kill -9 "$pid"
  done
}

dir=$(realpath -m "${2:-}")
export SLURM_CONF=$dir/slurm.conf
case "${1:-} $#" in
  'up 3') up "$3" ;;
  'down 2') down ;;
  *) echo 'usage: cluster.sh up DIR N | cluster.sh down DIR' >&2; exit 2 ;;
esac
