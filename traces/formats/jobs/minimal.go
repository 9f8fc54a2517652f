package jobs

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// minimalColumns are the columns of the minimal form: the first four must be there.
var minimalColumns = []string{
	"job_id", "submit_s", "gpus", "duration_s", "kind", "gpu_type", "steps", "weight",
	"deadline_s", "user", "vc", "status", "cpus", "memory_gb", "tasks", "spot",
	"duration_on", "requested_s", "min_gpus", "max_gpus",
}

// minimalFormat reads the simplest table of jobs, which others are easily turned into.
var minimalFormat = formats.Format{
	Name: "jobs-minimal",
	Kind: formats.Jobs,
	What: "CSV of jobs by the names in its header: job_id, submit_s (seconds since the first job), gpus (fractions " +
		"are possible), duration_s; and, if they are there, kind (what the job runs: the key of tables of speeds), " +
		"gpu_type (models separated by |; empty: any), steps, weight, deadline_s (after the submission), user, vc, " +
		"status, cpus, memory_gb, tasks, spot (0 or 1: may be interrupted), duration_on (the GPU model to which " +
		"duration_s refers), requested_s (the run time that the user asked for), min_gpus and max_gpus " +
		"(of a job whose number of GPUs may change while it trains: gpus lies between them; empty: it may not). " +
		"GPUs and duration are above 0, names of jobs are unique; rows in any order, " +
		"those that go back in time are counted",
	Example:   "job_id,submit_s,gpus,duration_s,kind\n0,0,1,164,vgg19\n1,30,8,147,vgg11",
	Version:   1,
	Clock:     traces.ClockRelative,
	Recognise: func(s *read.Source) bool { return s.HasColumns(minimalColumns[:4]...) },
	New: func(b *formats.Builder) formats.Importer {
		return &table{
			Builder:  b,
			required: minimalColumns[:4],
			known:    minimalColumns[4:],
			own:      true,
			job:      (*table).minimal,
		}
	},
}

// minimal reads a row of the minimal form.
func (t *table) minimal(r *read.Row) (j traces.JobRow, reason string) {
	j = traces.JobRow{
		JobID:       r.Name("job_id"),
		T:           read.Field(r, "submit_s", since(time.Second, t.Beginning(r.Source))),
		GPUs:        read.Field(r, "gpus", read.Number(minGPUs, traces.MaxMachines)),
		DurationUs:  new(read.Field(r, "duration_s", above0)),
		Model:       r.MaybeName("kind"),
		GPUType:     r.MaybeName("gpu_type"),
		Work:        read.Maybe(r, "steps", read.Number(0, maxSteps)),
		Weight:      read.Maybe(r, "weight", read.Number(minGPUs, 1e9)),
		DeadlineUs:  read.Maybe(r, "deadline_s", above0),
		User:        r.MaybeName("user"),
		VC:          r.MaybeName("vc"),
		Status:      r.MaybeName("status"),
		CPUs:        read.Maybe(r, "cpus", read.Number(0, traces.MaxMachines)),
		MemoryGB:    read.Maybe(r, "memory_gb", read.Number(0, 1e9)),
		Tasks:       read.Maybe(r, "tasks", read.WholeNumber),
		DurationOn:  r.MaybeName("duration_on"),
		RequestedUs: read.Maybe(r, "requested_s", above0),
		MinGPUs:     read.Maybe(r, "min_gpus", read.WholeNumber),
		MaxGPUs:     read.Maybe(r, "max_gpus", read.WholeNumber),
	}
	checkRange(r, &j)
	switch r.Text("spot") {
	case "", "0":
	case "1":
		j.Class = classSpot
	default:
		r.Fail("spot", errors.New("expected 0 or 1"))
	}
	return j, ""
}

// checkRange refuses numbers of GPUs that do not belong together.
func checkRange(r *read.Row, j *traces.JobRow) {
	switch least, most := j.MinGPUs, j.MaxGPUs; {
	case least == nil && most == nil:
	case least == nil:
		r.Fail("min_gpus", errors.New("is empty, but max_gpus is not: expected both, or none"))
	case most == nil:
		r.Fail("max_gpus", errors.New("is empty, but min_gpus is not: expected both, or none"))
	case *least < 1 || float64(*least) > j.GPUs:
		r.Fail("min_gpus", fmt.Errorf("expected 1 to gpus (%v)", j.GPUs))
	case float64(*most) < math.Ceil(j.GPUs) || *most > traces.MaxMachines:
		r.Fail("max_gpus", fmt.Errorf("expected gpus (%v) to %d", math.Ceil(j.GPUs), traces.MaxMachines))
	}
}

// classSpot is the priority class of jobs that may be interrupted.
const classSpot = "spot"

const (
	minGPUs  = 1e-6 // less is none
	maxSteps = 1e15 // of one job
)
