package sailor

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// head says what calibrate/facts/layout_throughputs.csv is.
const head = `# Steps of networks in pipelines whose stages are nodes of four GPUs (tensor parallelism 4), computed by calibrate/layout from the layers
# that Sailor measured (eth-easl/sailor at cf2c8e3, MIT), in one zone, with the runtime deepspeed-gh200 and the best micro-batch that fits into memory.
network,gpu,pipelines,stages,samples,step_s
`

// The published throughputs of pipelines of nodes are what calibrate/layout computes.
func TestPipelineThroughputs(t *testing.T) {
	set, err := layout.Open(pulled.Dir(t, "sailor"))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString(head)
	rows := 0
	for _, network := range []string{"GPT-Neo-2.7", "LLAMA-3-8", "OPT-30"} {
		for _, gpu := range []string{"A100-40", "GH-96", "V100-16"} {
			for stages := 1; stages <= 12; stages++ {
				for pipelines := 1; pipelines*stages <= 32; pipelines++ {
					if step := fastest(t, set, network, gpu, pipelines, stages); step < math.Inf(1) {
						fmt.Fprintf(&text, "%s,%s,%d,%d,512,%.5g\n", network, gpu, pipelines, stages, step)
						rows++
					}
				}
			}
		}
	}
	testutil.GoldenText(t, "../../calibrate/facts/layout_throughputs.csv", text.String())
	testutil.Compared(t, "sailor", rows)
}

// fastest is the shortest step of a number of pipelines of stages of one node each; infinite where none fits into
// memory.
func fastest(t *testing.T, set *layout.Set, network, gpu string, pipelines, stages int) float64 {
	t.Helper()
	runtime, err := layout.RuntimeNamed(layout.DefaultRuntime)
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Profile(network)
	if err != nil {
		t.Fatal(err)
	}
	m := layout.Model{Profile: p, Links: set.Links, Runtime: runtime}
	place := layout.Place{GPU: gpu, Zone: "us-central1-a", Node: 4, TP: 4}
	best := math.Inf(1)
	for _, at := range p.Points(gpu) {
		if at.TP != place.TP || stages > p.Layers() {
			continue
		}
		l := layout.Layout{Micro: at.Micro, Batch: 512}
		from := 0
		for _, to := range cut(t, p, &runtime, at, stages, (512+at.Micro*pipelines-1)/(at.Micro*pipelines)) {
			s := layout.Stage{}
			for ; from < to; from++ {
				s.Layers = append(s.Layers, from)
			}
			for range pipelines {
				s.Replicas = append(s.Replicas, place)
			}
			l.Stages = append(l.Stages, s)
		}
		if len(l.Stages) == 0 {
			continue
		}
		c, err := m.Cost(&l)
		if err != nil {
			t.Fatal(err)
		}
		if c.Memory <= layout.GPUMemory(gpu) {
			best = min(best, c.Step)
		}
	}
	return best
}

// cut returns the ends of stages with the least time of the slowest one, of those that fit into memory; none if none
// does.
func cut(t *testing.T, p *layout.Profile, r *layout.Runtime, at layout.Point, stages, micros int) []int {
	t.Helper()
	times, err := p.Times(at)
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := p.Sizes(at.TP)
	if err != nil {
		t.Fatal(err)
	}
	n := len(times)
	// pace[k][i] is the least time of the slowest of k stages from layer i on, first[k][i] where the first of them
	// ends.
	pace, first := make([][]float64, stages+1), make([][]int, stages+1)
	for k := range pace {
		pace[k], first[k] = make([]float64, n+1), make([]int, n+1)
		for i := range pace[k] {
			pace[k][i] = math.Inf(1)
		}
	}
	pace[0][n] = 0
	for k := 1; k <= stages; k++ {
		for i := range n {
			compute, params, kept := 0.0, 0.0, 0.0
			for to := i; to < n; to++ {
				compute += times[to].Forward + times[to].Backward
				params += 4 * sizes[to].Params
				kept += 4 * sizes[to].Activations * float64(at.Micro*min(k, micros))
				if r.Bytes(at.TP, params, kept) > layout.GPUMemory(at.GPU) {
					break
				}
				if x := max(compute, pace[k-1][to+1]); x < pace[k][i] {
					pace[k][i], first[k][i] = x, to+1
				}
			}
		}
	}
	if math.IsInf(pace[stages][0], 1) {
		return nil
	}
	var ends []int
	for i, k := 0, stages; k > 0; k-- {
		i = first[k][i]
		ends = append(ends, i)
	}
	return ends
}
