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
	// Holes is the number of places of a pipelined layout that have no instance and
	// whose work others do (Pause.Failover).
	Holes int32
	// Pools says of which pool each of Workers is; nil: the k-th is of pool k. Only gangs
	// (GangModel) that a scheduler places (ByParts) have layouts with it.
	Pools []int32
}

// Pool returns of which pool Workers[k] is.
func (l *Layout) Pool(k int) int {
	if l.Pools == nil {
		return k
	}
	return int(l.Pools[k])
}

// copyFrom makes l equal to another layout, in l's own memory. Pools that are nil stay nil: an empty list would say
// that there are no columns.
func (l *Layout) copyFrom(other *Layout) {
	workers := append(l.Workers[:0], other.Workers...)
	pools := other.Pools
	if pools != nil {
		pools = append(noPools(l.Pools), pools...)
	}
	*l = *other
	l.Workers = workers
	l.Pools = pools
}

// empty makes l a layout of no workers, and keeps its memory.
func (l *Layout) empty() {
	*l = Layout{Workers: l.Workers[:0], Pools: l.Pools[:0]}
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
	// Saving is the share of their time in which they stop for saves that the model makes itself, [0, 1). Progress is
	// the mean over these and the training in between; the share counts as Checkpointing.
	Saving float64
	// Slowed is the share of their time in which slow machines do what fast ones would not need, [0, 1): the world
	// sets it.
	Slowed float64
	// Step is the progress of one step, for Pause.DropStep; 0 if training is not in
	// steps.
	Step float64
	// Traffic is what is paid for traffic between zones while it trains, USD per second, at least 0.
	Traffic float64
}

// Change is a change of layout under a job that has begun.
type Change struct {
	From, To *Layout
	Lost     int32 // instances that the cloud took since training last went on
	// StateLost says that the cloud took drained instances (JobPlan.Drain) before
	// others had their state.
	StateLost bool
	// Worked is the number of instances that took part when training last went on.
	Worked int32
	// Unserved says that the job was without a parameter server at some instant since
	// training last went on: none holds its state.
	Unserved bool
	// Released says that the policy released instances that had a place since training
	// last went on.
	Released bool
	// Vacated says that the job was without a ready instance at some instant since
	// training last went on, whether the cloud took them or the policy released them.
	Vacated bool
	// ChiefLost says that the chief is among the lost: the job's oldest instance,
	// which saves and coordinates in training with parameter servers.
	ChiefLost bool
	// LostPlaces lists, by pipeline and stage, the places that lost their instances
	// since the pipelines were last laid out, holes included. It is valid during the
	// call only.
	LostPlaces []Place
	// Grid is the number of pipelines and of stages when they were last laid out.
	// From may have others, or none, if the job has stopped since. It is zero if the job
	// last trained without places.
	Grid Place
	// Refill says that the policy asks for the holes to be filled (JobPlan.Refill).
	Refill bool
	// Restart says that the policy wants a restart (JobPlan.Restart).
	Restart bool
}

// Pause is what a change costs before training goes on.
type Pause struct {
	Stall    time.Duration // no progress for so long
	As       Activity      // what the time of the stall counts as: Restoring or Reconfiguring
	Rollback bool          // progress falls back to the last save that is safe (Model.SaveTime)
	DropStep bool          // progress falls back to the last whole step (Rate.Step)
	NewStep  bool          // what is done by now is saved: steps are counted from where training goes on
	// DropShare is the share of what was done since that whole step which DropStep takes, above 0 and at most 1, where
	// the others keep theirs; 0 takes all.
	DropShare float64
	// Failover keeps the pipelines as they are: others do the work of LostPlaces, and
	// the rate is that of To with a number of holes.
	Failover bool
	// Fatal ends the job here, unfinished; it is billed until here. Only a change that
	// lost instances can be fatal.
	Fatal bool
	USD   float64 // for the bytes that move between zones, at least 0; paid when training goes on
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
	// Change returns what a change of layout costs. If To cannot train, only Fatal
	// counts, and Change is called again for the next layout that can, or at the end of
	// the run for the one that trained last: what that loses is lost.
	Change(c *Change) Pause
	// SaveTime returns how long a checkpoint on l stops training, and how long from then on it takes to be safe while
	// training goes on, as in CheckFreq (FAST 2021); 0: it is safe at once. Until it is safe, a loss falls back to the
	// one before, and no other save is made.
	SaveTime(l *Layout) (stall, persist time.Duration)
}

// PipelineModel is a Model of pipelines of stages, for policies that lay jobs
// out.
type PipelineModel interface {
	Model
	// Best returns the layout that trains fastest on a number of instances, which may
	// leave spares; 0, 0 if they cannot train.
	Best(instances int) (pipelines, stages int)
	// MaxUseful returns the number of instances beyond which more are of no use.
	MaxUseful() int
}

// GangModel is a Model that trains on a gang: a number of instances at once, or not at all. Its
// loss is the work that is left.
type GangModel interface {
	Model
	// Gang returns the number of instances.
	Gang() int
	// Work returns the work of the whole job, in the unit of its progress.
	Work() float64
	// Weight returns the job's weight among those that share a cluster, above 0.
	Weight() float64
}

// ResizableGang is a GangModel whose number of instances may change while it trains: Rate says how fast it is on any
// number from the least to the most. It goes on with what is left when instances are lost, before the policy is asked.
type ResizableGang interface {
	GangModel
	// Range returns the fewest and the most instances on which it trains: at least 1, with Gang between them.
	Range() (least, most int)
}

// RangeOf returns the fewest and the most instances on which a gang trains: both are Gang, unless it is a
// ResizableGang.
func RangeOf(g GangModel) (least, most int) {
	if resizable, is := g.(ResizableGang); is {
		return resizable.Range()
	}
	return g.Gang(), g.Gang()
}

// Worker is the speed of one instance as one of n workers.
type Worker struct {
	Rate  float64 // mini-batches per second; 0: cannot train here
	Speed float64 // samples per second
}

// WorkerModel is a Model whose workers train side by side, each at a speed that
// depends on the others by their number only (asynchronous training with a
// parameter server). Planners search it without trying every layout.
type WorkerModel interface {
	Model
	// NeedsServers reports whether it cannot train without a parameter server.
	NeedsServers() bool
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

// MixedModel is a WorkerModel whose workers do not add up: Workers and Estimate are right for sets of one pool, and of
// all others Rate knows what they do.
type MixedModel interface {
	WorkerModel
	// Kinds writes for each pool of which kind its instances are: those of one kind stand in for each other.
	Kinds(into []int32)
}

// Tally sums up a set of workers.
type Tally struct {
	N      int     // workers
	Rate   float64 // mini-batches per second
	Speed  float64 // samples per second
	Square float64 // sum of the squares of the workers' speeds
	Top    float64 // the largest speed of a worker
	Min    float64 // the smallest speed of a worker
}

// Add adds k workers like w, whose numbers are finite; 0 of them change nothing.
func (t *Tally) Add(k int, worker Worker) {
	count := float64(k)
	if (worker.Speed < t.Min || t.N == 0) && k > 0 {
		t.Min = worker.Speed
	}
	t.N += k
	t.Rate += float64(count * worker.Rate)
	t.Speed += float64(count * worker.Speed)
	t.Square += float64(count * worker.Speed * worker.Speed)
	if worker.Speed > t.Top && k > 0 {
		t.Top = worker.Speed
	}
}

// AddAll adds counts[i] workers like workers[i], as Add does one after another.
func (t *Tally) AddAll(counts []int32, workers []Worker) {
	workers = workers[:len(counts)]
	n := t.N
	rate := t.Rate
	speed := t.Speed
	square := t.Square
	top := t.Top
	smallest := t.Min
	for i, number := range counts {
		k := int(number)
		worker := &workers[i]
		count := float64(k)
		if (worker.Speed < smallest || n == 0) && k > 0 {
			smallest = worker.Speed
		}
		n += k
		rate += float64(count * worker.Rate)
		speed += float64(count * worker.Speed)
		square += float64(count * worker.Speed * worker.Speed)
		if worker.Speed > top && k > 0 {
			top = worker.Speed
		}
	}
	t.N = n
	t.Rate = rate
	t.Speed = speed
	t.Square = square
	t.Top = top
	t.Min = smallest
}

// Estimate is a predicted stretch of training.
type Estimate struct {
	Iterations  float64 // normalised iterations
	Seconds     float64 // +Inf if the loss cannot be reached
	Batch       float64 // weighted-average batch, samples
	Convergence float64 // convergence coefficient
}

// Place is one stage of one pipeline, both from 0. An instance of a pipelined
// job holds one place or is a spare.
type Place struct{ Pipeline, Stage int32 }

// Activity is what an instance does. Every microsecond of every instance counts for
// exactly one.
type Activity uint8

// The activities.
const (
	Useful        Activity = iota // training that counts
	Redundant                     // replicated computation
	Checkpointing                 // stopped to save
	Restoring                     // stopped to load a save
	Reconfiguring                 // stopped to change the layout
	Redone                        // training whose results were lost, whether it has been done again or not
	Waiting                       // ready, but a spare or without a feasible layout
	Starting                      // granted, not yet ready
	Slowed                        // training that counts, as far as fast machines would not have needed the time
	Activities    = 9             // the number of activities
)

var activityNames = [Activities]string{"useful", "redundant", "checkpointing", "restoring",
	"reconfiguring", "redone", "waiting", "starting", "slowed"}

func (a Activity) String() string { return activityNames[a] }

// ElasticModel is a Model whose workers come and go while the others go on: as long as the job has a parameter server,
// Change and SaveTime return nothing. The world then asks for no more than the rate, which is written where it stays: a
// new layout takes a third of the instructions.
type ElasticModel interface {
	Model
	// RateInto writes what Rate returns of a layout with a number of workers by pool, n in all, and servers, and
	// reports true. It reports false, and the world asks Rate and Change, if it has no shorter way, or if self is not
	// the receiver: a type that embeds an ElasticModel and has a Rate of its own is no ElasticModel.
	RateInto(self Model, workers []int32, n int, servers int32, into *Rate) bool
}
