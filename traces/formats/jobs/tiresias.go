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
	What: "CSV of jobs of Tiresias's simulator, in seconds, or of Muri's, which has a column iteration_time " +
		"and is in milliseconds; the speeds and resources that Muri's authors gave the jobs are left out, " +
		"and so is the interval to the next job",
	Example: "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n" +
		"0,1,0,606,vgg19,164,30\n1,8,30,133,vgg11,147,23",
	Version:   1,
	Clock:     traces.ClockRelative,
	Recognise: func(s *read.Source) bool { return s.HasColumns(tiresiasColumns...) },
	New: func(b *formats.Builder) formats.Importer {
		return &table{Builder: b, required: tiresiasColumns[:6], job: (*table).tiresias}
	},
}

// tiresias reads a row of either.
func (t *table) tiresias(r *read.Row) (j traces.JobRow, reason string) {
	unit := time.Second
	if slices.Contains(r.Names, muriColumn) {
		unit = time.Millisecond
	}
	j = traces.JobRow{
		JobID: r.Name("job_id"), GPUs: read.Field(r, "num_gpu", read.Number(minGPUs, traces.MaxMachines)),
		T:     read.Field(r, "submit_time", since(unit, t.Beginning(r.Source))),
		Work:  read.Maybe(r, "iterations", read.Number(0, maxSteps)),
		Model: r.MaybeName("model_name"), DurationUs: read.Maybe(r, "duration", span(unit)),
	}
	if j.DurationUs == nil || *j.DurationUs == 0 {
		return j, "without a length of time"
	}
	return j, ""
}
