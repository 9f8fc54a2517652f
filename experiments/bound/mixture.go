package bound

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// interval is a range of theta that may have the best cluster.
type interval struct{ low, high float64 }

// Separable is a sim.WorkerModel whose progress on n workers is R^2 / (B sqrt n) where they are alike, and at most
// MixingGain times that where they are not. R and B are sums over the workers of numbers that depend on their pool,
// on n and on the parameter servers only (ps.ASP), and the further on training begins on a first cluster
// (sim.Model.Begin). More servers are of no use where one more adds nothing.
type Separable interface {
	sim.WorkerModel
	// MixingGain returns a number of at least 1; what the model rounds is part of it.
	MixingGain(n int) float64
}

// maxWorkers bounds the instances that a search goes through.
const maxWorkers = 4096

// mixture is a Separable model: workers of several kinds side by side.
type mixture struct {
	model     Separable
	market    *sim.Market
	server    float64    // price of a parameter server, USD per second
	tables    [][]kinds  // by number of workers and of servers less one, when they are first wanted
	intervals []interval // scratch memory, as are the next
	counts    []int32    // by pool: of the cluster that was taken last
	worth     []float64  // by pool: what an instance adds to cost - lambda rate beside its price, 0 or less
	next      []choice
}

func newMixture(m Separable, market *sim.Market, total int, price float64) (*mixture, error) {
	pools := market.Pools()
	x := &mixture{
		model:  m,
		market: market,
		server: price,
		tables: make([][]kinds, total+1),
		counts: make([]int32, pools),
		worth:  make([]float64, pools),
	}
	for p, w := range x.measureKinds(1, 1).w {
		if w == 0 {
			name := market.Pool(p).Name
			return nil, fmt.Errorf("bound: pool %s alone is out of the model's range: "+
				"what it adds to others is not known", name)
		}
	}
	return x, nil
}

// kinds is what an instance of each pool adds: w to R, a to B.
type kinds struct {
	w, a      []float64
	low, high float64   // least and largest w/a
	strength  []float64 // w^2/a
	gain      float64   // Separable.MixingGain of so many workers
}

// isFasterThan reports whether some instance adds more than with one server less.
func (k *kinds) isFasterThan(fewer *kinds) bool {
	for p := range k.w {
		if k.w[p] > fewer.w[p]*(1+1e-12) {
			return true
		}
	}
	return false
}

// of returns what instances add as some of n workers, by the number of servers less one: up to the number from which
// more are of no use.
func (x *mixture) of(n int) []kinds {
	if x.tables[n] == nil {
		for servers := 1; servers <= n; servers++ {
			k := x.measureKinds(n, servers)
			if servers > 1 && !k.isFasterThan(&x.tables[n][servers-2]) {
				break
			}
			x.tables[n] = append(x.tables[n], k)
		}
	}
	return x.tables[n]
}

// measureKinds takes what a worker adds from clusters of one kind each.
func (x *mixture) measureKinds(n, servers int) kinds {
	pools := x.market.Pools()
	k := kinds{
		w:        make([]float64, pools),
		a:        make([]float64, pools),
		low:      math.Inf(1),
		strength: make([]float64, pools),
		gain:     x.model.MixingGain(n),
	}
	for p := range pools {
		layout := sim.Layout{Workers: make([]int32, pools), Servers: int32(servers)}
		layout.Workers[p] = int32(n)
		rate := x.model.Rate(&layout)
		if rate.Progress <= 0 {
			continue
		}
		w := rate.Iterations / float64(n)
		a := w * rate.Iterations / (rate.Progress * math.Sqrt(float64(n)))
		k.w[p] = w
		k.a[p] = a
		k.low = min(k.low, w/a)
		k.high = max(k.high, w/a)
		k.strength[p] = w * w / a
	}
	return k
}

// choice is the next level of a pool, and its price and worth together.
type choice struct {
	pool, level int
	sum         float64
}
