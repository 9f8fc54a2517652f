package jobs

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// Columns of Alibaba's tables, which have no header.
var (
	paiJobColumns  = []string{"job_name", "inst_id", "user", "status", "start_time", "end_time"}
	paiTaskColumns = []string{"job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem",
		"plan_gpu", "gpu_type"}
	paiStatuses = []string{"Terminated", "Failed", "Running", "Waiting"}
)

// paiFormat reads the tables of jobs and of tasks of a cluster that shares GPUs.
var paiFormat = formats.Format{
	Name: "pai-jobs",
	Kind: formats.Jobs,
	What: "job and task tables of Alibaba's PAI cluster (cluster-trace-gpu-v2020: pai_job_table.csv and " +
		"pai_task_table.csv, both in one import), without a header, in seconds since an origin that is not " +
		"published. A job's start_time is its submission; it starts with the first of its tasks. GPUs and CPUs are " +
		"sums over tasks of instances * plan / 100: fractions are shared GPUs. Jobs without GPUs, without tasks or " +
		"without an end are left out and counted; the status is kept, Terminated means success",
	Example: "4b3f04b66a52,8cb3bec23d14,58540f191766,Terminated,4550879.0,4551416.0\n" +
		"4b3f04b66a52,tensorflow,1.0,Terminated,4550900.0,4551416.0,600.0,29.296875,50.0,MISC",
	Version:   1,
	Recognise: func(s *read.Source) bool { return paiColumns(strings.Split(s.FirstRecord(), ",")) != nil },
	New: func(b *formats.Builder) formats.Importer {
		return &pai{Builder: b, jobs: map[string]int{}, asked: map[string]*paiTasks{}}
	},
}

// paiColumns returns the columns of the table to which a line belongs, nil for neither.
func paiColumns(n []string) []string {
	switch {
	case len(n) < 4 || !slices.Contains(paiStatuses, n[3]):
		return nil
	case len(n) == len(paiJobColumns):
		return paiJobColumns
	case len(n) == len(paiTaskColumns):
		return paiTaskColumns
	}
	return nil
}

// pai reads both tables, and joins them when both are read.
type pai struct {
	*formats.Builder
	list  []paiJob
	jobs  map[string]int       // place in list by name
	asked map[string]*paiTasks // what the tasks of a job ask for
}

// paiJob is a row of the table of jobs.
type paiJob struct {
	traces.JobRow
	end  int64 // us
	ends bool
}

// paiTasks is what the tasks of one job ask for, together.
type paiTasks struct {
	gpus, cpus, memory float64
	tasks              int32
	start              int64 // of the first, us
	starts             bool
	types              []string
}

func (b *pai) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsJobs
	for l := range s.Records() {
		c := &cells{line: l}
		var err error
		if c.text, c.column, err = l.Fields(0); err != nil {
			return err
		}
		if c.names = paiColumns(c.text); c.names == nil {
			return l.Errorf("%s, expected %d fields of the table of jobs or %d of that of tasks, the fourth of them a status: %s",
				read.Quote(l.Text), len(paiJobColumns), len(paiTaskColumns), strings.Join(paiStatuses, ", "))
		}
		if len(c.names) == len(paiJobColumns) {
			b.job(c)
		} else {
			b.task(c)
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// job reads a row of the table of jobs.
func (b *pai) job(c *cells) {
	origin := b.Beginning(c.line.Source)
	j := paiJob{JobRow: traces.JobRow{
		JobID: c.needed("job_name"), User: c.name("user"), Status: c.name("status"),
		T: c.since("start_time", time.Second, origin), SrcFile: c.line.Source.Index, SrcRow: int64(c.line.Number),
	}}
	if us := c.span("end_time", time.Second); us != nil {
		j.end, j.ends = origin+*us, true
	}
	if first, twice := b.jobs[j.JobID]; twice && c.err == nil {
		c.err = c.complain("job_name", "is that of line %d as well, expected a name of its own", b.list[first].SrcRow)
	}
	b.jobs[j.JobID] = len(b.list)
	b.list = append(b.list, j)
	b.Hold(1)
}

// task adds a row of the table of tasks to what its job asks for.
func (b *pai) task(c *cells) {
	name := c.needed("job_name")
	a := b.asked[name]
	if a == nil {
		a = &paiTasks{}
		b.asked[name] = a
		b.Hold(1)
	}
	count := func(column string) float64 {
		if x := c.number(column, 0, 1e9); x != nil {
			return *x
		}
		return 0
	}
	instances := count("inst_num")
	a.gpus += instances * count("plan_gpu") * percent
	a.cpus += instances * count("plan_cpu") * percent
	a.memory += instances * count("plan_mem")
	a.tasks = min(a.tasks+int32(min(instances, traces.MaxMachines)), traces.MaxMachines)
	if us := c.span("start_time", time.Second); us != nil {
		start := b.Beginning(c.line.Source) + *us
		if !a.starts || start < a.start {
			a.start, a.starts = start, true
		}
	}
	if typ := c.name("gpu_type"); typ != "" && !slices.Contains(a.types, typ) && len(a.types) < 8 {
		a.types = append(a.types, typ)
	}
}

// Settle joins the tables.
func (b *pai) Settle() error {
	left := formats.Tally{}
	for i := range b.list {
		j := &b.list[i]
		if reason := j.join(b.asked[j.JobID]); reason != "" {
			left.Add(reason)
			continue
		}
		b.AddJob(j.JobRow)
	}
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		b.Notef("%d jobs left out: %s", left[reason], reason)
	}
	if n := len(b.asked) - len(b.jobs); n > 0 && len(b.list) > 0 {
		b.Notef("at least %d jobs of the table of tasks are not in that of jobs", n)
	}
	return nil
}

// join adds to a job what its tasks ask for. It says why it is left out, "" if it is not.
func (j *paiJob) join(a *paiTasks) string {
	switch {
	case a == nil:
		return "without a task"
	case a.gpus < minGPUs:
		return "without a GPU"
	case a.gpus > traces.MaxMachines:
		return "with more GPUs than any cluster has"
	case !j.ends || !a.starts:
		return "without a start or an end"
	case j.end <= a.start || a.start < j.T:
		return "ended before they began, or began before the submission"
	}
	duration, queue := j.end-a.start, a.start-j.T
	j.GPUs, j.CPUs, j.MemoryGB, j.Tasks = a.gpus, &a.cpus, &a.memory, &a.tasks
	j.DurationUs, j.QueueUs = &duration, &queue
	slices.Sort(a.types)
	j.GPUType = strings.Join(a.types, "|")
	return ""
}
