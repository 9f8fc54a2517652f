package jobs

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// Columns of the job logs of SenseTime and the Shanghai AI Laboratory.
var (
	heliosColumns = []string{"job_id", "user", "vc", "gpu_num", "cpu_num", "node_num", "state", "submit_time", "start_time",
		"end_time", "duration", "queue"}
	acmeColumns = []string{"job_id", "user", "node_num", "gpu_num", "cpu_num", "type", "state", "submit_time", "start_time",
		"end_time", "duration", "queue", "gpu_time"}
)

// heliosFormat reads the job logs of the Helios clusters.
var heliosFormat = formats.Format{
	Name: "helios-jobs",
	Kind: formats.Jobs,
	What: "job log of a Helios cluster (SenseTime, cluster_log.csv), local times without a zone, taken as UTC. The " +
		"duration is end - start, the queue start - submit; jobs without GPUs and jobs that never ran are left out " +
		"and counted; the states are kept",
	Example: "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n" +
		"1,u,v,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0",
	Version:   1,
	Recognise: func(s *read.Source) bool { return begins(s, heliosColumns...) },
	New:       func(b *formats.Builder) formats.Importer { return slurmLog(b, heliosColumns, traces.ClockUnknownTZ) },
}

// acmeFormat reads the job logs of the Acme clusters.
var acmeFormat = formats.Format{
	Name: "acme-jobs",
	Kind: formats.Jobs,
	What: "job log of an Acme cluster (Shanghai AI Laboratory, trace_seren.csv or trace_kalos.csv), ISO times with " +
		"their offset. As helios-jobs; the duration of the table is not taken, for Kalos adds the queue to it; type " +
		"is the kind of work",
	Example: "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n" +
		"1,u,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0",
	Version:   1,
	Recognise: func(s *read.Source) bool { return begins(s, acmeColumns...) },
	New:       func(b *formats.Builder) formats.Importer { return slurmLog(b, acmeColumns, traces.ClockUTC) },
}

// slurmLog reads tables of either kind.
func slurmLog(b *formats.Builder, columns []string, clock string) *table {
	return &table{Builder: b, required: columns, job: func(t *table, c *cells) (traces.JobRow, string) {
		t.Manifest.ClockKind = clock
		return slurmJob(c)
	}}
}

// slurmJob reads a row with the times of submission, start and end.
func slurmJob(c *cells) (j traces.JobRow, reason string) {
	j = traces.JobRow{
		JobID: c.needed("job_id"), User: c.name("user"), VC: c.name("vc"), Model: c.name("type"), Status: c.name("state"),
		GPUs: c.amount("gpu_num", 0, traces.MaxMachines), CPUs: c.number("cpu_num", 0, traces.MaxMachines),
		Tasks: c.count("node_num"),
	}
	submit, submitted := c.instant("submit_time")
	start, started := c.instant("start_time")
	end, ended := c.instant("end_time")
	j.T = submit
	switch {
	case c.err != nil:
	case j.GPUs == 0:
		return j, "without a GPU"
	case !submitted:
		return j, "without the time of submission"
	case !started || !ended:
		return j, "without the times of start and end"
	case end <= start:
		return j, "ended when they started, or before"
	case start < submit:
		return j, "started before they were submitted"
	default:
		duration, queue := end-start, start-submit
		j.DurationUs, j.QueueUs = &duration, &queue
	}
	return j, ""
}
