package experiments

import (
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// work is what a study gives its policies to do: how its jobs enter the world, which columns they give and what is
// warned of. It is a spec.Workload that is opened; a study asks it, and never which of them it is.
type work interface {
	// inputs are the files with jobs that were read.
	inputs() []traces.SourceFile
	// warnBounds warns of what no policy can do, by the bounds that are known.
	warnBounds() error
	// batches reports whether there is memory for worlds of several runs at one time.
	batches() bool
	// believed reports whether policies only believe how long jobs take, so that one which asks knows no more than
	// others.
	believed() bool
	// keepJobs has the rows of jobs kept that files of results have (Study.KeepJobs).
	keepJobs(row func(*results.Job) error)

	// runs returns the jobs of a worker's runs.
	runs() runJobs

	// fill fills what a row says of the jobs, and returns the time within which they were to be done.
	fill(r *results.Summary, t *sim.Totals, c *sim.Config, of *jobTally) (within time.Duration)
	// warnEnd returns the number of the outcome of a run, and why its numbers may mislead by how it ended.
	warnEnd(r *results.Summary, t *sim.Totals) (outcome int, texts []string)
}

// runJobs is the jobs of the runs of one worker, one run after the other.
type runJobs interface {
	// enter makes a market that of the runs of a seed that follow, and returns the models on it by policy; nil where
	// jobs have models of their own.
	enter(m *sim.Market, seed int64) ([]sim.Model, error)
	// load makes the jobs of a case ready, on the market of the runs. An error says that the policy is none for them.
	load(c Case, policy sim.Policy) error
	// begin begins the tally of a run.
	begin(t *jobTally, l label, c *sim.Config)
	// source returns the jobs as they come, each of which is told, so that they need not be held; nil: they are held.
	source(told func(number int, j *workload.Job)) sim.Source
	// hold returns all jobs, as the spec says them and as the world has them.
	hold() ([]workload.Job, []sim.Job, error)
	// record returns what records the timeline of a run of jobs that are held.
	record(l label, start sim.Time) timeline
	// each calls each for all jobs.
	each(each func(number int, j *workload.Job)) error
}

// works opens the workloads of specs.
var works = map[spec.WorkloadKind]func(*Study) (work, error){
	spec.OneJob:   openOneJob,
	spec.ManyJobs: openManyJobs,
}
