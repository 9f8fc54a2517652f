package parcae

// MigrationModel is a network as ParcaePlanner sees it: layouts of D pipelines of
// P stages, one instance a stage, how fast each trains and what changes cost, ms.
// pipeline.Parcae is one.
type MigrationModel interface {
	// Stages lists the numbers of stages that can train, ascending.
	Stages() []int
	// Pipelines is the least number of pipelines.
	Pipelines() int
	// Speed returns the samples/s of a layout, 0 if it cannot train.
	Speed(pipelines, stages int) float64
	// Liveput returns the samples/s expected to be left of a layout among so many
	// instances when so many of them are preempted.
	Liveput(pipelines, stages, instances, preempted int) float64
	// RestartTime returns what a restart takes, join: with instances that are new.
	RestartTime(pipelines, stages int, join bool) float64
	// Arrive returns what a change to another number of stages takes whoever
	// survives, the restart included.
	Arrive(pipelines, stages int, join bool) float64
	// ExpectDepth returns what that change takes beyond Arrive, on average over
	// what is preempted, and the standard error; from no stages at the start.
	ExpectDepth(pipelines, stages, instances, preempted, toStages int) (ms, stderr float64)
	// DropsRemainder says whether what is left of a migration that another
	// interrupts is dropped, for a restart more; else it is still to be paid.
	DropsRemainder() bool
	// LeastDepth returns the least that ExpectDepth may come to.
	LeastDepth(stages, toStages int) float64
	// ExpectSameDepth returns what it takes to go to another number of pipelines
	// of as many stages, or to repair them, on average, and the standard error.
	ExpectSameDepth(pipelines, stages, instances, preempted, toPipelines int) (ms, stderr float64)
}

// Shape is a layout of pipelines; the zero Shape is none.
type Shape struct{ Pipelines, Stages int }

// Size returns the number of instances with a place.
func (s Shape) Size() int { return s.Pipelines * s.Stages }

// Turnover is what the cloud does at the beginning of an interval.
type Turnover struct{ Added, Removed int }

// Objective is what ParcaePlanner maximises.
type Objective uint8

const (
	// Throughput is what the public code of Parcae maximises: throughput of
	// the next layout times the time that the migration leaves.
	Throughput Objective = iota
	// Liveput takes for the throughput the liveput of the next layout under
	// the interval's preemptions, as in equation 4 of the paper; layout and
	// time left are taken as independent.
	Liveput
)
