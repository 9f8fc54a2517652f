package results

import (
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/stats"
)

// Queue is what the jobs of a queue of a run had.
type Queue struct {
	Policy, Name        string
	Jobs, Done          int
	WaitMeanS, WaitP50S float64 // time without GPUs
	WaitP95S            float64
	Admissions, Stopped int64 // by the scheduler
	GPUH                float64
	BorrowedH           float64 // GPU-hours beyond its nominal quota; 0 where the scheduler has no quotas
	Fairness            float64 // mean finish-time fairness of the jobs that were done; NaN: of none
}

// QueueUse is the quota of GPUs that a queue uses from an instant until the next, as a scheduler with quotas says in
// the inputs of its decisions.
type QueueUse struct {
	AtS           float64
	Used, Nominal float64 // GPUs
}

// The units of the inputs of a decision, each named after a queue, that say how many GPUs of its quota it uses.
const (
	UsedUnit    = "GPUs used"
	NominalUnit = "GPUs nominal"
)

// QueueUses returns what the queues of a run use over time, by name.
func QueueUses(decisions []Decision) map[string][]QueueUse {
	uses := map[string][]QueueUse{}
	for i := range decisions {
		d := &decisions[i]
		for input := range strings.SplitSeq(d.Inputs, "; ") {
			for _, unit := range [...]string{UsedUnit, NominalUnit} {
				text, is := strings.CutSuffix(input, " "+unit)
				at := strings.LastIndexByte(text, ' ')
				value, err := strconv.ParseFloat(text[at+1:], 64)
				if !is || at < 0 || err != nil {
					continue
				}
				name := text[:at]
				list := uses[name]
				if len(list) == 0 || list[len(list)-1].AtS != d.AtS {
					list = append(list, QueueUse{AtS: d.AtS})
				}
				last := &list[len(list)-1]
				if unit == UsedUnit {
					last.Used = value
				} else {
					last.Nominal = value
				}
				uses[name] = list
			}
		}
	}
	return uses
}

// Queues sums up the jobs of a run by their queue (their vc), in the order of names.
func (r *Run) Queues() []Queue {
	byName := map[string][]*Job{}
	var names []string
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if byName[j.VC] == nil {
			names = append(names, j.VC)
		}
		byName[j.VC] = append(byName[j.VC], j)
	}
	slices.Sort(names)
	uses := QueueUses(r.Decisions)
	var queues []Queue
	for _, name := range names {
		q := Queue{Policy: r.Policy, Name: name, Jobs: len(byName[name])}
		q.add(byName[name])
		for k, use := range uses[name] {
			end := r.lasts()
			if k+1 < len(uses[name]) {
				end = uses[name][k+1].AtS
			}
			q.BorrowedH += max(0, use.Used-use.Nominal) * max(0, end-use.AtS) / 3600
		}
		queues = append(queues, q)
	}
	return queues
}

// lasts is when the last job of a run was done, in seconds.
func (r *Run) lasts() float64 { return stats.Or(r.FinishS, r.HorizonS) }

// add sums up jobs.
func (q *Queue) add(jobs []*Job) {
	var waits, fairness []float64
	for _, j := range jobs {
		if j.FinishS != nil {
			q.Done++
		}
		q.Stopped += j.Suspensions
		if j.StartS != nil {
			q.Admissions += 1 + j.Suspensions + j.Preemptions
		}
		q.GPUH += stats.Or(j.GPUH, 0)
		if j.QueueS != nil {
			waits = append(waits, *j.QueueS)
		}
		if j.FTF != nil {
			fairness = append(fairness, *j.FTF)
		}
	}
	q.Fairness = stats.Mean(fairness)
	q.WaitMeanS = stats.Mean(waits)
	slices.Sort(waits)
	q.WaitP50S = stats.NearestRank(waits, 0.5)
	q.WaitP95S = stats.NearestRank(waits, 0.95)
}
