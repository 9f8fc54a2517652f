package runs

import (
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

func init() {
	const what = "each life of a requeued job, with its nodes and how it ended (PREEMPTED, NODE_FAIL, REQUEUED, COMPLETED, ...). " +
		"Which of the nodes failed is not in it: all of them count as failed; the partition counts as the zone"
	const lost = "when nodes were ready, warnings, instance types, nodes that came or went within a life, steps, parts of seconds"
	formats.Register(formats.Format{
		Name: "slurm-sacct",
		Kind: formats.Run,
		What: "`sacct -P -D` of Slurm: " + what + ". Its times are of the cluster's clock, whose zone --time-zone names",
		Example: "JobIDRaw|JobName|Partition|State|Submit|Start|End|ElapsedRaw|NNodes|NodeList|Restarts|Reason\n7|train|spot|PREEMPTED|" +
			"2026-01-02T00:00:00|2026-01-02T00:01:00|2026-01-02T01:00:00|3540|2|gpu[08-09]|0|None",
		Recognise: func(s *read.Source) bool { return hasColumns(s, "|", "JobIDRaw", "State", "Start", "End") },
		Records: &formats.Records{
			Command: "TZ=UTC sacct -P -D -j JOB --format=JobIDRaw,JobName,Partition,State,Submit,Start,End,ElapsedRaw,NNodes,NodeList,Restarts,Reason > sacct.txt",
			From:    fromMemory,
			Lost:    lost,
			Read:    func(r *formats.RunFile) error { return readSacct(&input{r}) },
			Keep:    keepLifetimes,
			Write:   writeSacct,
		},
	}, formats.Format{
		Name: "slurm-json",
		Kind: formats.Run,
		What: "`sacct -D --json` of Slurm: " + what,
		Example: `{"jobs": [{"job_id": 7, "partition": "spot", "nodes": "gpu[08-09]", "state": {"current": ["PREEMPTED"]}, "time": ` +
			`{"submission": 1767312000, "start": 1767312060, "end": 1767315600}}]}`,
		Recognise: func(s *read.Source) bool { return isSlurmJSON(firstObject(s, "jobs")) },
		Records: &formats.Records{
			Command: "sacct -D --json -j JOB > sacct.json",
			From:    fromMemory,
			Lost:    lost,
			Read:    func(r *formats.RunFile) error { return readSlurmJSON(&input{r}) },
			Keep:    keepLifetimes,
			Write:   writeSlurmJSON,
		},
	})
}
