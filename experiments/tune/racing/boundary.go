package racing

import (
	"math"
)

// boundary is the smallest number of met runs that proves a share, analysis by analysis: a group-sequential test whose error is worked
// out exactly, with what earlier analyses have left of it (error spending: Lan and DeMets, Biometrika 70(3), 1983). Runs are
// independent; the error is largest where the share is exactly the one asked for.
type boundary struct {
	share, level float64
	n            int
	first        int       // met runs of chance[0]
	chance       []float64 // of that many met runs after n, without a proof, where the share is exactly share
	spent        float64   // chance of a proof so far
	enough       int       // what needed returned at n; 0: it was not asked
}

// negligible chances are left out: they are far below any level.
const negligible = 1e-30

// needed returns how many of n runs, not fewer than at the analysis before, have to be met for a proof, where all proofs until then
// may have a part of the level; n + 1: no number is enough.
func (b *boundary) needed(n int, part float64) int {
	switch {
	case b.chance == nil:
		b.chance = []float64{1}
	case b.n == n && b.enough > 0:
		return b.enough
	}
	for ; b.n < n; b.n++ {
		b.run()
	}
	enough, tail := n+1, 0.0
	for k := len(b.chance) - 1; k >= 0; k-- {
		if b.spent+tail+b.chance[k] > b.level*part {
			break
		}
		tail += b.chance[k]
		if b.first+k <= n {
			enough = b.first + k
		}
	}
	b.spent += tail
	b.chance, b.enough = b.chance[:max(min(enough-b.first, len(b.chance)), 0)], enough
	return enough
}

// run adds a run.
func (b *boundary) run() {
	b.chance = append(b.chance, 0)
	for k := len(b.chance) - 1; k > 0; k-- {
		b.chance[k] = b.chance[k]*(1-b.share) + b.chance[k-1]*b.share
	}
	b.chance[0] *= 1 - b.share
	for len(b.chance) > 1 && b.chance[0] < negligible {
		b.chance, b.first = b.chance[1:], b.first+1
	}
}

// hopeless reports whether an attempt is not worth going on with: even the share that it shows, and a standard error more, is not proven
// by all blocks.
func hopeless(met, n, all int, share, level float64) bool {
	if n < minHopeless {
		return false
	}
	p := shown(met, n)
	return p < 1 && lowerShare(int(p*float64(all)), all, level) < share
}

// shown is the share that met of n runs show, and a standard error more.
func shown(met, n int) float64 {
	p := (float64(met) + 1) / (float64(n) + 2)
	return p + math.Sqrt(p*(1-p)/float64(n))
}

// minHopeless is the number of blocks below which no attempt is hopeless.
const minHopeless = 300
