package pipeline

import (
	"sync"
)

// Parcae is a network as Parcae (Duan et al., NSDI 2024) sees it: how fast it
// trains as D pipelines of P stages, an instance a stage, and what it costs to go
// from one such layout to another. Times are in ms, as in the paper's public
// code, from whose constants its profiles are (JF-D/Parcae at efedee7).
type Parcae struct {
	Batch          int       // samples of a mini-batch, global
	UnitsPerSample float64   // tokens or images
	Layers         []float64 // parameters by layer, in order
	Depths         []int     // numbers of stages that fit into memory, ascending
	MinPipelines   int
	Restart        RestartCosts
	Transfer       TransferTable
	Quirks         ParcaeQuirks // set before first use

	speeds    map[[2]int]float64
	before    []float64   // parameters of the layers before each, and of all
	plans     []depthPlan // by depth, up to the greatest
	scratch   *sync.Pool  // of *revealed
	scratches *sync.Pool  // of *migrationRoom
}

// depthPlan is how the layers lie on n stages.
type depthPlan struct {
	bounds    []int     // the first layer of each stage, and the end
	params    []float64 // by stage
	transfers []float64 // ms to send the state of each stage
	broadcast float64   // the longest of them
	to        []depthBound
}

// stateBytes is the state of a parameter with Adam: weight and two moments, of 4
// bytes each.
const stateBytes = 12

// Stages returns the depths, ascending.
func (m *Parcae) Stages() []int { return m.Depths }

// Pipelines returns the least number of pipelines.
func (m *Parcae) Pipelines() int { return m.MinPipelines }

// Speed returns the samples/s of a layout; 0 for those without a profile.
func (m *Parcae) Speed(pipelines, stages int) float64 { return m.speeds[[2]int{pipelines, stages}] }

// Best returns the fastest layout for n instances, of equal ones that with
// the fewest pipelines, then stages; 0, 0 if none trains.
func (m *Parcae) Best(instances int) (pipelines, stages int) {
	fastest := 0.0
	for d := m.MinPipelines; d*m.Depths[0] <= instances; d++ {
		for _, p := range m.Depths {
			if v := m.Speed(d, p); d*p <= instances && v > fastest {
				fastest, pipelines, stages = v, d, p
			}
		}
	}
	return pipelines, stages
}

// DropsRemainder says whether what is left of a migration that another interrupts
// is dropped, for a restart more.
func (m *Parcae) DropsRemainder() bool { return m.Quirks.DropRemainder }

// depthBound is what is known of a change of depth whichever instances survive.
type depthBound struct {
	min    float64 // parameters that are missed if each new stage finds the survivor it wants most
	minMS  float64 // to send them
	last   float64 // of them, those of the last stage
	wanted int     // the most new stages that want instances of one old stage
	cut    *recut  // nil: it is not kept (maxKept)
}
