package parcae

// MigrationModel is a network as Planner sees it: layouts of D pipelines of P
// stages, one instance a stage, the speed of each, and the costs of changes in ms.
// pipeline.Parcae is one.
type MigrationModel interface {
	// Stages lists the numbers of stages that can train, ascending.
	Stages() []int
	// Pipelines is the least number of pipelines.
	Pipelines() int
	// Speed returns the samples/s of a layout, 0 if it cannot train.
	Speed(pipelines, stages int) float64
	// Liveput returns the samples/s expected to be left of a layout among n
	// instances when n of them are preempted.
	Liveput(pipelines, stages, instances, preempted int) float64
	// RestartTime returns what a restart takes, join: with instances that are new.
	RestartTime(pipelines, stages int, join bool) float64
	// Arrive returns the part of a change to another number of stages that does not
	// depend on which instances are left, the restart included.
	Arrive(pipelines, stages int, join bool) float64
	// ExpectDepth returns the mean cost of that change beyond Arrive, over the
	// instances that may be preempted, and its standard error; from 0 stages at the
	// start.
	ExpectDepth(pipelines, stages, instances, preempted, toStages int) (ms, stderr float64)
	// DropsRemainder says whether the rest of a migration that another interrupts
	// is replaced by one more restart; else it is added to the other.
	DropsRemainder() bool
	// MinDepth returns a lower bound of ExpectDepth.
	MinDepth(stages, toStages int) float64
	// ExpectSameDepth returns the mean cost of going to another number of pipelines
	// with as many stages, or of repairing them, and its standard error.
	ExpectSameDepth(pipelines, stages, instances, preempted, toPipelines int) (ms, stderr float64)
}

// Shape is a layout of pipelines; the zero Shape is none.
type Shape struct{ Pipelines, Stages int }

// Size returns the number of instances with a place.
func (s Shape) Size() int { return s.Pipelines * s.Stages }

// Turnover is how many instances come and go at the beginning of an interval.
type Turnover struct{ Added, Removed int }

// Objective is what Planner maximises.
type Objective uint8

const (
	// Throughput is what the public code of Parcae maximises: throughput of
	// the next layout times the time that the migration leaves.
	Throughput Objective = iota
	// Liveput is the same with the liveput of the next layout under the interval's
	// preemptions in place of its throughput, as in equation 4 of the paper; layout
	// and time left are taken as independent.
	Liveput
)
