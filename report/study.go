package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
)

// Study gathers what a page says of runs, of a study or of one cell of a sweep, a run
// at a time. Its memory grows with the number of units (starts or seeds), not with that
// of runs: of many runs the figures draw evenly many.
type Study struct {
	from                 results.Provenance
	name, market, replay string
	by                   string // what runs are independent by: results.ByStart, BySeed
	runs, failed         int
	starts               map[float64]bool
	seeds                map[int64]bool
	all                  intervals.Tally // of all runs
	longest              float64         // run, seconds
	objectives           []*objective
	warned               warned

	set   *results.Set // runs with their timelines
	Sweep *Sweep       // nil: the runs are not of a sweep
}

// Sweep is what a page says of a sweep besides the runs of the cell that it is about.
type Sweep struct {
	Dir         string // of the sweep, as the user wrote it
	Where       []string
	Parameters  string // of the cell, in words; empty if there is one only
	Cells       []Cell // the best first; none if there is one only
	MoreCells   int    // that are not among them
	NoTimelines string // why no run could be simulated again; empty if they were
}

// Cell is one combination of parameters of a sweep.
type Cell struct {
	Name  string // the parameters that differ between cells
	Shown bool   // the page is about it
	Study *Study
}

// NewStudy begins a study that results of this provenance are of.
func NewStudy(from results.Provenance) *Study {
	return &Study{from: from, starts: map[float64]bool{}, seeds: map[int64]bool{}}
}

// Add adds a run.
func (s *Study) Add(run *results.Summary) {
	if s.runs == 0 {
		s.name = run.Scenario
		s.market = run.Market
		s.replay = run.Replay
		s.by = run.Unit
	}
	s.runs++
	s.starts[run.StartS] = true
	s.seeds[run.Seed] = true
	s.all.AddRunHit(run, run.Met)
	s.longest = max(s.longest, run.LastedS())
	s.warned.add(run)
	at := slices.IndexFunc(s.objectives, func(known *objective) bool { return known.Name == run.Objective })
	if at < 0 {
		at = len(s.objectives)
		s.objectives = append(s.objectives, &objective{
			Name:     run.Objective,
			LossGoal: run.ObjectiveLoss,
			WithinS:  run.ObjectiveS,
			Kind:     run.Kind(),
			Value:    run.GoalValue,
			Share:    run.ObjectiveShare,
			by:       run.Unit,
			capacity: run.Capacity(),
			metric:   run.Metric(),
		})
	}
	s.objectives[at].policy(run).add(run)
}

// AddFailed counts a run that failed.
func (s *Study) AddFailed() { s.failed++ }

// Timelines has runs of the study drawn over their time: those of a set.
func (s *Study) Timelines(set *results.Set) { s.set = set }

// rank puts the policies of every objective into their order, the best first.
func (s *Study) rank() {
	for _, objective := range s.objectives {
		objective.rank()
	}
}

// Empty says whether no run was added.
func (s *Study) Empty() bool { return s.runs == 0 }

// unitCount is how many independent units there are, in the few words that a figure has room for.
func (s *Study) unitCount() string { return intervals.Count(s.all.Independent(), s.by) }

// basis is what intervals count, in words.
func (s *Study) basis() string { return intervals.CountIndependent(s.all.Independent(), s.by) }

// doubts say why intervals may mislead.
func (s *Study) doubts() (out []string) {
	if text := intervals.Doubt(s.all.Independent(), s.by); text != "" {
		out = append(out, text)
	}
	if text := intervals.Overlap(slices.Collect(maps.Keys(s.starts)), s.longest); text != "" &&
		s.by == results.ByStart {
		out = append(out, text)
	}
	if s.failed > 0 {
		out = append(out, fmt.Sprintf("%s failed and are left out", units.Count(s.failed, "run", "runs")))
	}
	return out
}

// Typical returns the runs that a page shows of an objective of the study by its place:
// that run of its best policy whose cost is the median, and the one that did worst.
// They are the same where there is one. ok is false where no run was added.
func (s *Study) Typical(objective int) (typical, worst int64, ok bool) {
	s.rank()
	rows := s.objectives[objective].Rows
	if len(rows) == 0 || rows[0].N == 0 {
		return 0, 0, false
	}
	best := rows[0]
	return best.median().Run, best.worst[0].Run, true
}

// Objectives returns the names of the objectives, in the order of the runs.
func (s *Study) Objectives() (names []string) {
	for _, objective := range s.objectives {
		names = append(names, objective.Name)
	}
	return names
}

// many reports whether the runs are of many jobs.
func (s *Study) many() bool { return len(s.objectives) > 0 && s.objectives[0].many() }

// Of is the study that a set is.
func Of(set *results.Set) *Study {
	study := NewStudy(set.Provenance)
	for i := range set.Summaries {
		study.Add(&set.Summaries[i])
	}
	study.Timelines(set)
	return study
}
