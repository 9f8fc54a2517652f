package throughput

import (
	"cmp"
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// Gang is a job of a shared cluster: it trains on n GPUs at once, or not at all. An
// instance of a pool is a GPU.
type Gang struct {
	GPUs  int     // above 0
	Total float64 // work to do, above 0; steps, or seconds where all GPUs are alike
	// Speeds is the work a second of the whole gang on GPUs of each pool; 0: it does not run
	// there. Of a gang on several pools each GPU is as fast as the slowest. nil: 1 everywhere.
	Speeds []float64
	Share  float64 // weight; 0 means 1
	// Network slows the gang down by how far apart its GPUs are; nil: it does not.
	Network *Network
	// Restart is how long a job takes to go on after it was stopped or moved.
	Restart time.Duration
	// SaveEvery is the time that it trains between two saves, each of which takes Save: when GPUs fail or the cloud
	// takes them, the job falls back to the last of these saves since it went on. A scheduler that stops or moves it
	// has it saved. 0: saves take no time, and nothing is lost.
	SaveEvery, Save time.Duration
	// Sizes says on which other numbers of GPUs it trains; nil: on none.
	Sizes *Sizes
	// Spread says how fast it is where its GPUs are spread over servers, instead of its speed on their number and of
	// the network; nil: it does not.
	Spread *Spread
}

// Spread is how fast a gang is on GPUs that are spread over servers (pools), whichever they are.
type Spread struct {
	Models []int32 // of the pools: where they are in each of the speeds
	speeds map[uint64][]float64
}

// NewSpread returns how fast a gang is by placements, whose speeds are by model of GPU as models numbers them; nil
// where there are none.
func NewSpread(models []int32, placements []Placement) *Spread {
	if len(placements) == 0 {
		return nil
	}
	s := &Spread{Models: models, speeds: map[uint64][]float64{}}
	for _, p := range placements {
		at := uint64(0)
		for _, n := range p.Servers {
			at += hashOf(n)
		}
		s.speeds[at] = p.Speeds
	}
	return s
}

// hashOf is a number for n GPUs on a server, whose sum over the servers stands for a placement in any order: the last
// step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func hashOf(n int) uint64 {
	x := uint64(n) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// speed is the work a second on a layout; false: no placement is that of the layout.
func (s *Spread) speed(l *sim.Layout) (v float64, known bool) {
	at := uint64(0)
	for _, n := range l.Workers {
		if n > 0 {
			at += hashOf(int(n))
		}
	}
	speeds := s.speeds[at]
	if speeds == nil {
		return 0, false
	}
	v = math.Inf(1)
	for k, n := range l.Workers {
		if n > 0 {
			v = min(v, speeds[s.Models[l.Pool(k)]])
		}
	}
	return v, true
}

// Sizes is how a gang trains whose number of GPUs may change.
type Sizes struct {
	Least, Most int // numbers of GPUs, with that of the gang between them
	// Speeds are those of Gang.Speeds for each number of GPUs, the least first, by model of GPU; nil where the gang's
	// own number is the only one.
	Speeds [][]float64
	Models []int32 // of the pools: where they are in each of Speeds
	// Resize is how long it takes to go on with another number of GPUs, which it holds.
	Resize time.Duration
	// Loses says that it then falls back to its last save (Gang.SaveEvery), as where GPUs fail.
	Loses bool
}

// Gang implements sim.GangModel.
func (g *Gang) Gang() int { return g.GPUs }

// Range implements sim.ResizableGang.
func (g *Gang) Range() (least, most int) {
	if g.Sizes == nil {
		return g.GPUs, g.GPUs
	}
	return g.Sizes.Least, g.Sizes.Most
}

// Work implements sim.GangModel.
func (g *Gang) Work() float64 { return g.Total }

// Weight implements sim.GangModel.
func (g *Gang) Weight() float64 { return cmp.Or(g.Share, 1) }

// Rate implements sim.Model.
func (g *Gang) Rate(l *sim.Layout) sim.Rate {
	gpus := l.Total()
	if least, most := g.Range(); gpus < least || gpus > most {
		return sim.Rate{}
	}
	v := g.placed(l, gpus)
	r := sim.Rate{Working: int32(gpus)}
	if g.SaveEvery > 0 {
		r.Step = v * g.SaveEvery.Seconds()
		v *= g.SaveEvery.Seconds() / (g.SaveEvery + g.Save).Seconds()
		r.Saving = g.Save.Seconds() / (g.SaveEvery + g.Save).Seconds()
	}
	r.Progress, r.Iterations, r.Samples = v, v, v
	return r
}

// placed is the work a second on a layout of a number of GPUs.
func (g *Gang) placed(l *sim.Layout, gpus int) float64 {
	if g.Spread != nil {
		if v, known := g.Spread.speed(l); known {
			return v
		}
	}
	v := g.speed(l, gpus)
	if g.Network != nil {
		v *= g.Network.keeps(l, gpus)
	}
	return v
}

// speed is the work a second on a layout of a number of GPUs, without the network.
func (g *Gang) speed(l *sim.Layout, gpus int) float64 {
	resized := g.Sizes != nil && g.Sizes.Speeds != nil
	if g.Speeds == nil && !resized {
		return 1
	}
	v := math.Inf(1)
	for k, n := range l.Workers {
		if n == 0 {
			continue
		}
		p := l.Pool(k)
		if resized {
			v = min(v, g.Sizes.Speeds[gpus-g.Sizes.Least][g.Sizes.Models[p]])
		} else {
			v = min(v, g.Speeds[p])
		}
	}
	return v
}

// Begin implements sim.Model.
func (*Gang) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model: the loss is the work that is left.
func (g *Gang) Goal(loss float64) float64 { return g.Total - loss }

// Loss implements sim.Model.
func (g *Gang) Loss(progress float64) float64 { return g.Total - progress }

// Change implements sim.Model.
func (g *Gang) Change(c *sim.Change) sim.Pause {
	pause := sim.Pause{Stall: g.Restart, As: sim.Restoring, DropStep: g.SaveEvery > 0 && c.Lost > 0, NewStep: true}
	if before := c.From.Total(); g.Sizes != nil && before >= g.Sizes.Least && before != c.To.Total() {
		pause.Stall = g.Sizes.Resize
		pause.As = sim.Reconfiguring
		pause.DropStep = g.SaveEvery > 0 && (c.Lost > 0 || g.Sizes.Loses)
	}
	return pause
}

// SaveTime implements sim.Model.
func (*Gang) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

// Network is what the exchange between GPUs leaves of the speed of a gang.
type Network struct {
	// Keeps is the part of its speed that a gang of several GPUs keeps by how far apart they are (sim.Market.Apart),
	// above 0, at most 1: on one server, on several of one rack, then tier by tier, and last where nothing above them
	// is one place. It has two numbers more than Tiers.
	Keeps []float64
	// Tiers numbers the places of pools (sim.Market.Tiers), from racks on.
	Tiers [][]int32
}

// keeps is the part of its speed that a gang keeps on a layout. Places are within one another, so that it is
// enough to compare all pools with the first.
func (n *Network) keeps(l *sim.Layout, gpus int) float64 {
	if gpus == 1 {
		return 1
	}
	first, apart := -1, 0
	for k, workers := range l.Workers {
		p := l.Pool(k)
		switch {
		case workers == 0:
		case first < 0:
			first = p
		default:
			apart = max(apart, 1)
			for apart <= len(n.Tiers) && n.Tiers[apart-1][p] != n.Tiers[apart-1][first] {
				apart++
			}
		}
	}
	return n.Keeps[apart]
}
