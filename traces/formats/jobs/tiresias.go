package jobs

import (
	"slices"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// tiresiasColumns are those that the traces of Tiresias and Muri share.
var tiresiasColumns = []string{"job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration", "interval"}

// muriColumn is in Muri's traces only.
const muriColumn = "iteration_time"

// tiresiasFormat reads the traces of two simulators of schedulers.
var tiresiasFormat = formats.Format{
	Name: "tiresias-jobs",
	Kind: formats.Jobs,
	What: "CSV of jobs of Tiresias's simulator, in seconds, or of Muri's, which has a column iteration_time and is in " +
		"milliseconds; the speeds and resources that Muri's authors gave the jobs are left out, and so is the " +
		"interval to the next job",
	Example:   "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n0,1,0,606,vgg19,164,30\n1,8,30,133,vgg11,147,23",
	Version:   1,
	Recognise: func(s *read.Source) bool { return begins(s, tiresiasColumns...) },
	New: func(b *formats.Builder) formats.Importer {
		return &table{Builder: b, required: tiresiasColumns[:6], job: (*table).tiresias}
	},
}

// tiresias reads a row of either.
func (t *table) tiresias(c *cells) (j traces.JobRow, reason string) {
	t.Manifest.ClockKind = t.RelativeClock()
	unit := time.Second
	if slices.Contains(c.names, muriColumn) {
		unit = time.Millisecond
	}
	j = traces.JobRow{
		JobID: c.needed("job_id"), GPUs: c.amount("num_gpu", minGPUs, traces.MaxMachines),
		T:     c.since("submit_time", unit, t.Beginning(c.line.Source)),
		Work:  c.number("iterations", 0, maxSteps),
		Model: c.name("model_name"), DurationUs: c.span("duration", unit),
	}
	if j.DurationUs == nil || *j.DurationUs == 0 {
		return j, "without a length of time"
	}
	return j, ""
}
