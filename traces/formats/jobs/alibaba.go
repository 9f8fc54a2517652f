package jobs

import (
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// Columns of the lists of Alibaba's clusters.
var (
	openbColumns = []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase",
		"creation_time", "deletion_time", "scheduled_time"}
	spotColumns = []string{"job_name", "organization", "gpu_model", "cpu_request", "gpu_request", "worker_num", "submit_time",
		"duration", "job_type"}
)

// openbFormat reads lists of pods.
var openbFormat = formats.Format{
	Name: "openb-pods",
	Kind: formats.Jobs,
	What: "list of pods of Alibaba's cluster-trace-gpu-v2023 (openb_pod_list_*.csv), seconds since an origin that is " +
		"not published. GPUs = num_gpu * gpu_milli / 1000; the duration is from scheduled to deleted; pods without " +
		"GPUs and pods that were never scheduled are left out and counted; qos is the priority class",
	Example:   strings.Join(openbColumns, ",") + "\np0,12000,16384,1,1000,T4|P100,LS,Running,0,12537496,0",
	Version:   1,
	Recognise: func(s *read.Source) bool { return begins(s, openbColumns...) },
	New: func(b *formats.Builder) formats.Importer {
		return &table{Builder: b, required: openbColumns, job: (*table).pod}
	},
}

// pod reads a row of the list of pods.
func (t *table) pod(c *cells) (j traces.JobRow, reason string) {
	t.Manifest.ClockKind = t.RelativeClock()
	origin := t.Beginning(c.line.Source)
	j = traces.JobRow{
		JobID: c.needed("name"), GPUType: c.name("gpu_spec"), Class: c.name("qos"), Status: c.name("pod_phase"),
		T:    c.since("creation_time", time.Second, origin),
		CPUs: scaled(c.number("cpu_milli", 0, 1e9), 1e-3), MemoryGB: scaled(c.number("memory_mib", 0, 1e12), bytesPerMiB/1e9),
		GPUs: c.amount("num_gpu", 0, traces.MaxMachines) * c.amount("gpu_milli", 0, 1000) / 1000,
	}
	if j.GPUs == 0 {
		return j, "without a GPU"
	}
	if c.get("scheduled_time") == "" || c.get("deletion_time") == "" {
		return j, "never scheduled, or not deleted"
	}
	start, end := c.since("scheduled_time", time.Second, origin), c.since("deletion_time", time.Second, origin)
	if end <= start || start < j.T {
		return j, "deleted or scheduled before they could be"
	}
	duration, queue := end-start, start-j.T
	j.DurationUs, j.QueueUs = &duration, &queue
	return j, ""
}

// spotFormat reads lists of jobs with and without guarantees.
var spotFormat = formats.Format{
	Name: "spot-gpu-jobs",
	Kind: formats.Jobs,
	What: "list of jobs of Alibaba's cluster-trace-v2026-spot-gpu (job_info_df.csv), seconds since the first. GPUs = " +
		"gpu_request * worker_num, CPUs likewise; job_type is HP (guaranteed) or Spot (may be interrupted); jobs " +
		"without GPUs and jobs of no length are left out and counted",
	Example:   strings.Join(spotColumns, ",") + "\nj0,o1,A100,12,1,2,0,3600,Spot",
	Version:   1,
	Recognise: func(s *read.Source) bool { return begins(s, spotColumns...) },
	New: func(b *formats.Builder) formats.Importer {
		return &table{Builder: b, required: spotColumns, job: (*table).spotJob}
	},
}

// spotJob reads a row of the list of jobs.
func (t *table) spotJob(c *cells) (j traces.JobRow, reason string) {
	t.Manifest.ClockKind = t.RelativeClock()
	workers := c.amount("worker_num", 0, traces.MaxMachines)
	tasks := int32(workers)
	j = traces.JobRow{
		JobID: c.needed("job_name"), VC: c.name("organization"), GPUType: c.name("gpu_model"), Tasks: &tasks,
		T:    c.since("submit_time", time.Second, t.Beginning(c.line.Source)),
		CPUs: scaled(c.number("cpu_request", 0, traces.MaxMachines), workers),
		GPUs: c.amount("gpu_request", 0, traces.MaxMachines) * workers, DurationUs: c.span("duration", time.Second),
		Class: c.name("job_type"),
	}
	if strings.EqualFold(j.Class, classSpot) {
		j.Class = classSpot
	}
	switch {
	case c.err == nil && float64(tasks) != workers:
		c.fail("worker_num", errWhole)
	case c.err == nil && j.GPUs > traces.MaxMachines:
		c.fail("gpu_request", errManyGPUs)
	case j.GPUs == 0:
		return j, "without a GPU"
	case j.DurationUs == nil || *j.DurationUs == 0:
		return j, "without a length of time"
	}
	return j, ""
}

// scaled multiplies what is there.
func scaled(x *float64, by float64) *float64 {
	if x == nil {
		return nil
	}
	return new(*x * by)
}

const bytesPerMiB = 1 << 20
