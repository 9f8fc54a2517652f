package sim

import "time"

// Layout is what a job trains on.
type Layout struct {
	// Workers counts the ready instances by pool, those under notice included.
	Workers []int32
	// Pipelines and Stages are D and P of a pipelined layout; 0 for data-
	// parallel training on all workers.
	Pipelines, Stages int32
	// Servers is the number of parameter servers.
	Servers int32
	// Holes counts the places of a pipelined layout that have no instance and
	// whose work others do (Pause.Failover).
	Holes int32
}

// Total returns the number of instances.
func (l *Layout) Total() int {
	n := 0
	for _, k := range l.Workers {
		n += int(k)
	}
	return n
}

// Rate is how fast a job trains on a layout. It is constant while the layout
// is: the world advances a job by rate times time, never step by step.
type Rate struct {
	Progress   float64 // per second, in the model's own unit
	Iterations float64 // per second, normalised iterations
	Samples    float64 // per second
	Working    int32   // instances that take part; the others wait
	Redundant  float64 // share of their time spent on replicated computation, [0, 1]
	Step       float64 // progress of one step, for what a loss drops of it (Pause.DropStep); 0: not in steps
}

// Change is a change of layout under a job that has begun.
type Change struct {
	From, To *Layout
	Lost     int32 // instances that the cloud took since training last went on
	// StateLost says that the cloud took instances that had left the layout before
	// (JobPlan.Drain), and nobody had got their places by then.
	StateLost bool
	// ChiefLost says that the chief is among them: the job's oldest instance,
	// which saves and coordinates in training with parameter servers.
	ChiefLost bool
	// LostPlaces lists the places whose instances are gone since pipelines were last laid
	// out, those that are covered included, by pipeline and stage. It is valid
	// during the call only.
	LostPlaces []Place
	// Grid is how many pipelines and stages these were. From has none where the
	// job has stopped since, for want of instances.
	Grid Place
	// Refill says that the policy wants the holes filled (JobPlan.Refill).
	Refill bool
	// Restart says that the policy wants a restart (JobPlan.Restart).
	Restart bool
}

// Pause is what a change costs before training goes on.
type Pause struct {
	Stall    time.Duration // no progress for so long
	As       Activity      // what the stall is booked as: Restoring or Reconfiguring
	Rollback bool          // progress falls back to the last save that is safe (Persister)
	DropStep bool          // progress falls back to the last whole step (Rate.Step)
	Failover bool          // the pipelines stay as they are, and others do the work of the places in LostPlaces; the rate is that of To with so many holes
	Fatal    bool          // the job is lost: it ends here, unfinished, and is billed until here (only for a change that lost instances)
}

// Model says how a job trains: pure functions of their arguments, safe for
// concurrent use. Progress is a number that grows linearly in time while the
// layout does not change; its unit is the model's own.
type Model interface {
	// Rate returns the speed on l; the zero Rate if l cannot train.
	Rate(l *Layout) Rate
	// Begin returns the progress at which training set up for l starts.
	Begin(l *Layout) float64
	// Goal returns the progress at which training reaches loss, +Inf if never.
	Goal(loss float64) float64
	// Loss returns the training loss at a progress.
	Loss(progress float64) float64
	// Change returns what a change of layout costs. Where To cannot train, only
	// Fatal counts; the rest is asked again for the layout that can.
	Change(c *Change) Pause
	// SaveTime returns how long a checkpoint on l stops training.
	SaveTime(l *Layout) time.Duration
}

// Persister is a Model whose saves take time to be safe while training goes on,
// as in CheckFreq (FAST 2021): SaveTime is the stall for the snapshot. Until then
// a loss falls back to the save before. A save that is asked for while another
// is not safe is not made.
type Persister interface {
	// PersistTime returns how long a save on l takes to be safe, from the end of
	// its stall.
	PersistTime(l *Layout) time.Duration
}

// PipelineModel is a Model of pipelines of stages, for policies that lay jobs
// out.
type PipelineModel interface {
	Model
	// Best returns the layout with which so many instances train fastest, the
	// rest of them spares; 0, 0 if they cannot.
	Best(instances int) (pipelines, stages int)
	// MostUseful returns the number of instances beyond which more are of no use.
	MostUseful() int
}

// Worker is what one instance does as one of n.
type Worker struct {
	Rate  float64 // mini-batches per second; 0: cannot train here
	Speed float64 // samples per second
}

// WorkerModel is a Model whose workers train side by side, each at a speed that
// depends on the others by their number only (asynchronous training with a
// parameter server). Planners search it without trying every layout.
type WorkerModel interface {
	Model
	// Workers writes for each pool what an instance of it does as one of n.
	// margin is added to the predicted contention as a share of it, [0, 1).
	Workers(n int, margin float64, into []Worker)
	// WorkerBounds returns how many workers are worth trying to go from one
	// loss to another within seconds; a loss of +Inf is the start of training.
	// lo is at least 1; hi is the number at which the parameter server
	// saturates, and may be below lo.
	WorkerBounds(from, to, seconds float64) (lo, hi int)
	// Estimate returns what a set of workers needs to go from one loss to
	// another; a loss of +Inf is the start of training on that very set.
	Estimate(t Tally, from, to float64) Estimate
}

// BoundedModel is a WorkerModel that an exhaustive search can prune.
type BoundedModel interface {
	WorkerModel
	// LeastIterations returns numbers such that Estimate says no fewer seconds
	// than iterations/rate - slack for any n workers that make rate mini-batches
	// per second of, on average, between lo and hi samples, and of which none
	// has a larger share of the speed than top. Iterations of 0 are no bound.
	LeastIterations(n int, lo, hi, top, from, to float64) (iterations, slack float64)
}

// Tally sums up a set of workers.
type Tally struct {
	N      int     // workers
	Rate   float64 // mini-batches per second
	Speed  float64 // samples per second
	Square float64 // sum of the squares of the workers' speeds
	Top    float64 // the largest speed of a worker
}

// Add adds k workers like w, whose numbers are finite; 0 of them change nothing.
func (t *Tally) Add(k int, w Worker) {
	f := float64(k)
	t.N += k
	t.Rate += float64(f * w.Rate)
	t.Speed += float64(f * w.Speed)
	t.Square += float64(f * w.Speed * w.Speed)
	if w.Speed > t.Top && k > 0 {
		t.Top = w.Speed
	}
}

// Estimate is a predicted stretch of training.
type Estimate struct {
	Iterations  float64 // normalised iterations
	Seconds     float64 // +Inf if the loss cannot be reached
	Batch       float64 // weighted-average batch, samples
	Convergence float64 // convergence coefficient
}
