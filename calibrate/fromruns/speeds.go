package fromruns

import (
	"cmp"
	"math"
	"slices"
)

// Speed is how fast n workers of one type train together.
type Speed struct {
	Type    string
	Workers int
	Log     float64 // logarithm of steps per second
	Runs    int     // in which they trained
	// Rest are the residuals by run: the logarithm of its speed less Log.
	Rest []float64

	weights []float64 // of Rest: the part of the run, of all runs together 1
	runs    []int     // of Rest
}

// speeds are all, and how much runs differ.
type speeds struct {
	rows    []Speed   // by type and workers
	sigma   float64   // standard deviation of the logarithm of a run's speed, beside what its workers explain
	off     []float64 // by run that trained: the same of each, made as wide as sigma
	freedom float64   // of sigma
	assumed bool      // sigma is the default
	runs    int
}

// DefaultSpread is the standard deviation of the logarithm of a run's speed, where there are too few runs to see it.
const DefaultSpread = 0.05

// cell is what one run says of the speed of one size.
type cell struct {
	run     int
	kind    string
	workers int
	steps   float64
	seconds float64
}

// fitSpeeds fits the speeds to what the runs say: of each size the mean of the logarithms, each run with the part of
// its time that it trained so.
func fitSpeeds(cells []cell, runs int) speeds {
	fitted := speeds{runs: runs}
	total := make([]float64, runs)
	for _, one := range cells {
		total[one.run] += one.seconds
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.workers, b.workers), cmp.Compare(a.run, b.run))
	})
	for i, one := range cells {
		if i == 0 || cells[i-1].kind != one.kind || cells[i-1].workers != one.workers {
			fitted.rows = append(fitted.rows, Speed{Type: one.kind, Workers: one.workers})
		}
		row := &fitted.rows[len(fitted.rows)-1]
		row.Runs++
		row.Rest = append(row.Rest, math.Log(one.steps/one.seconds))
		row.weights = append(row.weights, one.seconds/total[one.run])
		row.runs = append(row.runs, one.run)
	}
	fitted.spread(total)
	return fitted
}

// spread centres the rows and works out how much whole runs differ from them.
func (s *speeds) spread(total []float64) {
	off := make([]float64, s.runs)
	used := 0.0 // what the rows took of the runs' freedom
	for i := range s.rows {
		row := &s.rows[i]
		sum := 0.0
		for k, weight := range row.weights {
			sum += weight
			row.Log += float64(weight * row.Rest[k])
		}
		row.Log /= sum
		for k, weight := range row.weights {
			row.Rest[k] -= row.Log
			off[row.runs[k]] += float64(weight * row.Rest[k])
			used += float64(weight * weight / sum)
			row.weights[k] = weight / sum
		}
	}
	trained := 0
	square := 0.0
	for r := range off {
		if total[r] > 0 {
			trained++
			square += float64(off[r] * off[r])
			s.off = append(s.off, off[r])
		}
	}
	s.freedom = float64(trained) - used
	if s.freedom < 0.5 {
		s.sigma = DefaultSpread
		s.freedom = 0
		s.assumed = true
		return
	}
	s.sigma = math.Sqrt(square / s.freedom)
	for k := range s.off {
		s.off[k] *= math.Sqrt(float64(trained) / s.freedom)
	}
}

// enough is the number of degrees of freedom from which what a run has by chance is drawn from the runs themselves,
// whose tails may be longer than those of a normal distribution: one run in twenty lies outside an interval of 95 %.
const enough = 20

// chance returns what a run has by chance, with the spread sigma.
func (s *speeds) chance(d *draws, sigma float64) float64 {
	if s.freedom < enough {
		return sigma * d.normal()
	}
	d.n++
	return s.off[d.from.Intn(d.n, len(s.off))]
}

// interval returns the interval of a speed at a level such as 0.9, in steps per second.
func (s *speeds) interval(x *Speed, level float64) (low, high float64) {
	half := s.sigma * x.share()
	if s.freedom > 0 {
		half *= studentT(level, s.freedom)
	} else {
		half *= studentT(level, 1e6)
	}
	return math.Exp(x.Log - half), math.Exp(x.Log + half)
}

// share returns the standard error of Log in units of the spread of runs.
func (x *Speed) share() float64 {
	square := 0.0
	for _, weight := range x.weights {
		square += float64(weight * weight)
	}
	return math.Sqrt(square)
}

// draw returns speeds that the observations allow, for a run of its own: what the runs had by chance is drawn once
// for each, so that sizes that are known from the same runs err together.
func (s *speeds) draw(d *draws) speeds {
	out := *s
	if s.freedom > 0 {
		out.sigma *= d.spread(s.freedom)
	}
	chance := make([]float64, s.runs)
	for r := range chance {
		chance[r] = s.chance(d, out.sigma)
	}
	own := s.chance(d, out.sigma)
	out.rows = slices.Clone(s.rows)
	for i := range out.rows {
		row := &out.rows[i]
		for k, weight := range row.weights {
			row.Log -= float64(weight * chance[row.runs[k]])
		}
		row.Log += own
	}
	return out
}

// log returns the logarithm of the speed of n workers of a type: measured, or between measured sizes on the line
// through them in logarithms; below the least in proportion to the number, and above the largest as the line of the
// last two goes on, with a slope from 0 to 1; one measured size is in proportion on both sides. known is false where
// the type was never seen.
func (s *speeds) log(kind string, n int) (speed float64, known bool) {
	of := s.of(kind)
	if len(of) == 0 {
		return 0, false
	}
	i, measured := slices.BinarySearchFunc(of, n, func(x Speed, n int) int { return cmp.Compare(x.Workers, n) })
	size := math.Log(float64(n))
	switch {
	case measured:
		return of[i].Log, true
	case i == 0:
		return of[0].Log + size - math.Log(float64(of[0].Workers)), true
	case i < len(of):
		return of[i-1].Log + float64(slope(&of[i-1], &of[i])*(size-math.Log(float64(of[i-1].Workers)))), true
	}
	last := &of[len(of)-1]
	by := 1.0
	if len(of) > 1 {
		by = min(max(slope(&of[len(of)-2], last), 0), 1)
	}
	return last.Log + float64(by*(size-math.Log(float64(last.Workers)))), true
}

// of returns the rows of a type.
func (s *speeds) of(kind string) []Speed {
	from, _ := slices.BinarySearchFunc(s.rows, kind,
		func(x Speed, kind string) int { return cmp.Compare(x.Type, kind) })
	to := from
	for to < len(s.rows) && s.rows[to].Type == kind {
		to++
	}
	return s.rows[from:to]
}

func slope(a, b *Speed) float64 {
	return (b.Log - a.Log) / math.Log(float64(b.Workers)/float64(a.Workers))
}
