package sources

import "github.com/marigram/marigram/traces/formats/read"

func init() {
	const what = "each life of a requeued job, with its nodes and how it ended (PREEMPTED, NODE_FAIL, REQUEUED, COMPLETED, ...). " +
		"Which of the nodes failed is not in it: all of them count as failed; the partition counts as the zone"
	const lost = "when nodes were ready, warnings, instance types, nodes that came or went within a life, steps, parts of seconds"
	Register(Format{
		Name:      "slurm-sacct",
		What:      "`sacct -P -D` of Slurm: " + what + ". Its times are of the cluster's clock, whose zone --time-zone names",
		Command:   "TZ=UTC sacct -P -D -j JOB --format=JobIDRaw,JobName,Partition,State,Submit,Start,End,ElapsedRaw,NNodes,NodeList,Restarts,Reason > sacct.txt",
		From:      fromMemory,
		Lost:      lost,
		Recognise: func(s *read.Source) bool { return hasColumns(s, "|", "JobIDRaw", "State", "Start", "End") },
		Read:      readSacct, Keep: keepLifetimes, Write: writeSacct,
	}, Format{
		Name:      "slurm-json",
		What:      "`sacct -D --json` of Slurm: " + what,
		Command:   "sacct -D --json -j JOB > sacct.json",
		From:      fromMemory,
		Lost:      lost,
		Recognise: func(s *read.Source) bool { return isSlurmJSON(firstObject(s, "jobs")) },
		Read:      readSlurmJSON, Keep: keepLifetimes, Write: writeSlurmJSON,
	})
}
