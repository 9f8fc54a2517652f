package pipeline

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// The example of the paper's figure 3.
func TestLiveputExample(t *testing.T) {
	check := near.Count(t)
	pipeline := map[int]float64{3: 50, 2: 30}
	speed := func(d, p int) float64 { return float64(d) * pipeline[p] }
	for _, c := range []struct {
		d, p int
		want [3]float64
	}{{2, 3, [3]float64{100, 50, 20}}, {3, 2, [3]float64{90, 60, 36}}} {
		for n, want := range c.want {
			e := Exposed{c.d, c.p, 6, n}
			if got := e.Liveput(speed, false); check.Off(got, want, 1e-12) {
				t.Errorf("%d x %d, %d preempted: %v, want %v", c.d, c.p, n, got, want)
			}
			if got := e.intact() * pipeline[c.p]; check.Off(got, want, 1e-12) {
				t.Errorf("%d x %d, %d preempted: %v by the mean, want %v", c.d, c.p, n, got, want)
			}
		}
	}
}

// The closed forms are what counting all sets gives.
func TestSurviveCounted(t *testing.T) {
	check := near.Count(t)
	for _, shape := range [][3]int{{2, 3, 6}, {3, 2, 8}, {4, 2, 8}, {1, 5, 7}, {5, 1, 5}, {2, 5, 12}, {3, 3, 9}} {
		for n := 0; n <= shape[2]; n++ {
			e := Exposed{shape[0], shape[1], shape[2], n}
			for _, repair := range []bool{false, true} {
				got, want := e.survive(repair), counted(e, repair)
				for d := range want {
					if check.Off(got[d], want[d], 1e-12) {
						t.Errorf("%+v, repair %v: %v, want %v", e, repair, got, want)
						break
					}
				}
			}
		}
	}
}

// counted enumerates all sets.
func counted(e Exposed, repair bool) []float64 {
	p := make([]float64, e.Pipelines+1)
	sets := 0.0
	for v := uint(0); v < 1<<e.Instances; v++ {
		if bits.OnesCount(v) != e.Preempted {
			continue
		}
		sets++
		pipes, stage := 0, make([]int, e.Stages)
		for d := range e.Pipelines {
			row := v >> (d * e.Stages) & (1<<e.Stages - 1)
			if row == 0 {
				pipes++
			}
			for s := range stage {
				stage[s] += int(^row >> s & 1)
			}
		}
		if repair {
			pipes = e.Pipelines
			for _, n := range stage {
				pipes = min(pipes, n)
			}
		}
		p[pipes]++
	}
	for d := range p {
		p[d] /= sets
	}
	return p
}

// What migrations cost on average is what costing all sets gives, with and
// without the quirks, and sampling agrees within its error.
func TestExpectMigrationCounted(t *testing.T) {
	check := near.Count(t)
	for _, quirks := range []ParcaeQuirks{{}, ParcaeAsPublished()} {
		m := parcae(t, "bert")
		m.Quirks = quirks
		for _, e := range []Exposed{{2, 4, 10, 2}, {3, 3, 10, 4}, {1, 6, 8, 3}, {2, 5, 10, 5}, {2, 2, 4, 4}, {1, 4, 8, 2}, {1, 10, 12, 3}, {5, 2, 11, 3}} {
			for _, to := range [][2]int{{2, 4}, {1, 3}, {3, 3}, {2, 2}, {1, 6}, {1, 8}, {2, 5}, {3, 4}, {6, 2}, {1, 12}, {1, 10}} {
				got, stderr := m.ExpectMigration(e, to[0], to[1])
				if want := costed(m, e, to); check.OffRel(got, want, 1e-9) || stderr != 0 {
					t.Errorf("%+v -> %v, %+v: %v, want %v", e, to, quirks, got, want)
				}
			}
		}
	}
}

// Only what is too much to count is sampled, and within its error it is what
// counting gives.
func TestExpectMigrationSampled(t *testing.T) {
	check := near.Count(t)
	gpt := parcae(t, "gpt-1.5b")
	for _, n := range []int{3, 8} {
		for _, p := range gpt.Depths {
			for _, to := range gpt.Depths {
				for d := 1; d*p <= 32; d++ {
					if _, stderr := gpt.ExpectMigration(Exposed{d, p, 32, n}, 1, to); stderr != 0 {
						t.Errorf("GPT-2, %d x %d to %d, %d of 32: sampled", d, p, to, n)
					}
				}
			}
		}
	}
	resnet := parcae(t, "resnet152")
	resnet.Quirks = ParcaeQuirks{}
	r := revealed{model: resnet, Exposed: Exposed{2, 16, 32, 12}, toStages: 12}
	r.cut = resnet.cutOf(&r.scratch, 16, 12)
	exact, _ := r.count(1_000_000)
	if ms, stderr := resnet.ExpectDepth(2, 16, 32, 12, 12); check.Off(ms, exact, 4*stderr) || stderr == 0 || check.Above(stderr, 0.01*ms) {
		t.Errorf("12 of 32: %v +- %v ms, exact %v", ms, stderr, exact)
	}
	var layers []float64
	for l := range 40 {
		layers = append(layers, float64(1_000_000+l*l))
	}
	wide := NewParcae(Parcae{Layers: layers, Depths: []int{40}, MinPipelines: 1, Restart: gpt.Restart, Transfer: gpt.Transfer}, nil)
	r = revealed{model: wide, Exposed: Exposed{1, 40, 44, 4}}
	c := r.staffed(1, 1_000_000)
	sampled := r.sampleStaffed(1)
	if c.stderr != 0 || check.Off(c.transfer, sampled.transfer, 4*sampled.stderr) || check.Off(c.chances[MigrationInter], sampled.chances[MigrationInter], 0.04) {
		t.Errorf("4 of 44: %+v, sampled %+v", c, sampled)
	}
	if _, stderr := wide.ExpectSameDepth(1, 40, 44, 12, 1); stderr == 0 {
		t.Error("12 of 44, all stages different: counted")
	}
}

// The kinds of migrations have the chances that the sets of preempted instances
// have.
func TestChances(t *testing.T) {
	check := near.Count(t)
	m := parcae(t, "bert")
	m.Quirks = ParcaeQuirks{}
	for to, want := range map[[2]int][4]float64{ // of the 6 pairs out of 2 x 2 instances
		{2, 2}: {0, 0, 1, 0}, {1, 2}: {0, 4. / 6, 2. / 6, 0}, {1, 4}: {0, 0, 0, 1},
	} {
		got := m.Chances(Exposed{2, 2, 4, 2}, to[0], to[1])
		for k := range want {
			if check.Off(got[k], want[k], 1e-12) {
				t.Errorf("%v: %v, want %v", to, got, want)
				break
			}
		}
	}
	if got := m.Chances(Exposed{2, 2, 6, 1}, 2, 2); check.Off(got[MigrationNone], 2./6, 1e-12) {
		t.Errorf("one of 6, two without a place: %v", got)
	}
}

func costed(m *Parcae, e Exposed, to [2]int) float64 {
	sets, sum := 0, 0.0
	for v := uint(0); v < 1<<e.Instances; v++ {
		if bits.OnesCount(v) != e.Preempted {
			continue
		}
		var preempted []int
		for i := range e.Instances {
			if v>>i&1 == 1 {
				preempted = append(preempted, i)
			}
		}
		_, cost := m.migrate(e.Pipelines, e.Stages, preempted, to[0], to[1])
		sets, sum = sets+1, sum+cost
	}
	return sum / float64(sets)
}

func BenchmarkLiveput(b *testing.B) {
	for _, e := range []Exposed{{4, 8, 32, 3}, {16, 16, 256, 12}} {
		b.Run(fmt.Sprintf("N=%d", e.Instances), func(b *testing.B) {
			for b.Loop() {
				e.survive(true)
			}
		})
	}
}

// Half of a fleet whose sets no float64 counts: as many pipelines as on the mean
// by the closed form, and migrations that take what those of a smaller fleet do.
func TestManyInstances(t *testing.T) {
	check := near.Count(t)
	for _, e := range []Exposed{{400, 3, 1250, 600}, {600, 2, 1200, 700}, {100, 2, 1200, 600}} {
		sum, mean := 0.0, 0.0
		for d, p := range e.survive(false) {
			sum += p
			mean += float64(d) * p
		}
		if check.Off(sum, 1, 1e-9) || check.OffRel(mean, e.intact(), 0.02) {
			t.Errorf("%+v: chances add up to %v, %v pipelines on the mean, want %v", e, sum, mean, e.intact())
		}
		sum, mean = 0, 0
		for d, p := range e.survive(true) {
			sum += p
			mean += float64(d) * p
		}
		if largest := float64(e.Pipelines) * (1 - float64(e.Preempted)/float64(e.Instances)); check.Off(sum, 1, 1e-9) || check.Outside(mean, 0.9*largest, largest) {
			t.Errorf("%+v, repaired: chances add up to %v, %v pipelines on the mean, want a little less than %v", e, sum, mean, largest)
		}
	}
	m := small()
	large, _ := m.ExpectSameDepth(600, 2, 1200, 600, 400)
	fewer, _ := m.ExpectSameDepth(500, 2, 1000, 500, 333)
	if check.Off(large, fewer, 1) {
		t.Errorf("half of 1200 instances: %v ms, half of 1000: %v ms", large, fewer)
	}
}

// intact returns the expected number of pipelines that lose nothing,
// D C(N-P, n) / C(N, n).
func (e Exposed) intact() float64 {
	e.check()
	p := float64(e.Pipelines)
	for i := range e.Stages { // the places of a pipeline, one after the other, are kept
		p *= max(0, float64(e.Instances-e.Preempted-i)) / float64(e.Instances-i)
	}
	return p
}
