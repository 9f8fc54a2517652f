package reference

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Sets calls yield with every way to use exactly n nodes for pipelines of
// the given sizes, at least least of them: how many of each size, in
// lexicographic order (Oobleck section 4.1.2, a coin-change problem). The slice
// is used again. It stops when yield returns false.
func Sets(sizes []int, n, smallest int, yield func(counts []int) bool) {
	counts := make([]int, len(sizes))
	var fill func(i, left, pipelines int) bool
	fill = func(i, left, pipelines int) bool {
		if i == len(sizes)-1 {
			if left%sizes[i] != 0 || pipelines+left/sizes[i] < smallest {
				return true
			}
			counts[i] = left / sizes[i]
			return yield(counts)
		}
		for k := 0; k*sizes[i] <= left; k++ {
			counts[i] = k
			if !fill(i+1, left-k*sizes[i], pipelines+k) {
				return false
			}
		}
		return true
	}
	fill(0, n, 0)
}

// ErrNoBatches means that the batch cannot be divided among the pipelines.
var ErrNoBatches = errors.New("oobleck: the micro-batches cannot be divided among the pipelines")

// Batches divides micro-batches among pipelines so that they end
// together: by template, how many micro-batches each of its pipelines gets, such
// that the sum of the squares of the deviations of the pipelines' times
// (micro-batches times seconds) is least and every micro-batch is used. weighted
// counts every pipeline, else every template once, as Oobleck's code does.
// Templates without pipelines get 0. The search is exact: no pipeline's time
// lies further from the common time than the root of twice the least sum.
func Batches(seconds []float64, counts []int, batches int, weighted bool) ([]int, error) {
	s := batchSplit{best: math.Inf(1), out: make([]int, len(counts))}
	rate := 0.0
	for i, k := range counts {
		if k > 0 {
			s.of = append(s.of, i)
			w := 1.0
			if weighted {
				w = float64(k)
			}
			s.seconds, s.counts, s.weights = append(s.seconds, seconds[i]), append(s.counts, k), append(s.weights, w)
			rate += float64(k) / seconds[i]
		}
	}
	if len(s.of) == 0 || batches <= 0 {
		return nil, ErrNoBatches
	}
	s.common = float64(batches) / rate
	s.pick = make([]int, len(s.of))
	for reach := 2 * slices.Max(s.seconds); math.IsInf(s.best, 1) &&
		reach < 4*(s.common+slices.Max(s.seconds)); reach *= 2 {
		s.reach = reach
		s.search(0, batches)
	}
	if math.IsInf(s.best, 1) {
		return nil, ErrNoBatches
	}
	s.reach = math.Inf(1)
	s.search(0, batches)
	return s.out, nil
}

// batchSplit is one search, over the templates that have pipelines.
type batchSplit struct {
	of, counts       []int
	seconds, weights []float64
	common           float64 // time at which all would end if micro-batches were divisible
	reach            float64 // farthest from it that is tried
	pick, out        []int
	best             float64
}

func (s *batchSplit) search(i, left int) {
	if i == len(s.of)-1 {
		if left > 0 && left%s.counts[i] == 0 {
			s.pick[i] = left / s.counts[i]
			s.judge()
		}
		return
	}
	start := int(s.common / s.seconds[i])
	for _, way := range []int{1, -1} {
		for k := start + (1-way)/2*way; k >= 1 && k*s.counts[i] < left; k += way {
			if math.Abs(float64(k)*s.seconds[i]-s.common) > min(s.reach, math.Sqrt(2*s.best)+1e-9) {
				break
			}
			s.pick[i] = k
			s.search(i+1, left-k*s.counts[i])
		}
	}
}

func (s *batchSplit) judge() {
	sum, weight := 0.0, 0.0
	for i, k := range s.pick {
		sum += s.weights[i] * float64(k) * s.seconds[i]
		weight += s.weights[i]
	}
	squares := 0.0
	for i, k := range s.pick {
		d := float64(k)*s.seconds[i] - sum/weight
		squares += s.weights[i] * d * d
	}
	if squares < s.best-1e-12 {
		s.best = squares
		for i, k := range s.pick {
			s.out[s.of[i]] = k
		}
	}
}

// ErrTooFewNodes means that the nodes that are left do not make one pipeline.
var ErrTooFewNodes = errors.New("oobleck: too few nodes are left for a pipeline")

// Reconfigure returns the sizes of the pipelines after losses, as in Oobleck's
// section 5: a pipeline with at least least nodes left takes the template of its
// new size; a smaller one borrows nodes one by one from the largest that can spare
// some; where none can, it is merged with the smallest other. Pipelines without
// nodes vanish.
func Reconfigure(sizes, lost []int, smallest int) (after []int, borrowed, merged int, err error) {
	for i, n := range sizes {
		if lost[i] > n {
			panic(fmt.Sprintf("oobleck: %d of %d nodes lost", lost[i], n))
		}
		if n > lost[i] {
			after = append(after, n-lost[i])
		}
	}
	for i := range after {
		for after[i] < smallest {
			from := largest(after)
			if after[from] <= smallest {
				break
			}
			after[from]--
			after[i]++
			borrowed++
		}
	}
	for {
		short := slices.IndexFunc(after, func(n int) bool { return n < smallest })
		if short < 0 {
			break
		}
		n := after[short]
		after = slices.Delete(after, short, short+1)
		if len(after) == 0 {
			return nil, borrowed, merged, ErrTooFewNodes
		}
		after[slices.Index(after, slices.Min(after))] += n
		merged++
	}
	if len(after) == 0 {
		err = ErrTooFewNodes
	}
	return after, borrowed, merged, err
}

// largest returns the place of the first of the largest.
func largest(sizes []int) int { return slices.Index(sizes, slices.Max(sizes)) }
