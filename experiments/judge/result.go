package judge

import (
	"github.com/marigram/marigram/experiments/intervals"
)

// Format is the version of the Result's form.
const Format = 2

// Result is what came out, for people and leaderboards. The same set, entries and version give the same
// bytes.
type Result struct {
	Format   int           `json:"format"`
	Version  string        `json:"version"` // of marigram
	Commit   string        `json:"commit"`
	Set      SetRecord     `json:"set"`
	With     string        `json:"compared_with"` // the policy that the others are compared with
	Policies []RankingRow  `json:"policies"`      // the best first; then those that are out
	Studies  []StudyResult `json:"studies"`
	Warnings []string      `json:"warnings,omitempty"`
}

// SetRecord says by what set a result is.
type SetRecord struct {
	Name    string    `json:"name"`
	Version int       `json:"version"`
	SHA256  string    `json:"sha256"`
	Late    float64   `json:"late"`
	LeftOut []LeftOut `json:"left_out,omitempty"` // results are comparable only with the same studies
}

// RankingRow is how a policy did over all studies, each objective of which counts the same.
type RankingRow struct {
	Policy string `json:"policy"`
	Entry  *Entry `json:"entry,omitempty"`  // of a policy that was handed in
	Failed string `json:"failed,omitempty"` // why it is out; it has no numbers then

	Objectives int                `json:"objectives"` // for which it is; in the others it counts as ondemand
	Runs       int                `json:"runs"`
	Met        int                `json:"met"`
	MetCI      intervals.Interval `json:"met_ci"`     // of the share of runs
	OverBound  float64            `json:"over_bound"` // mean of cost / bound, late or not
	// Place has the score: cost / bound with what a miss counts, and the rank by it.
	*intervals.Place
}

// Entry says what was handed in.
type Entry struct {
	SHA256  string `json:"sha256"`  // of its files
	Sandbox bool   `json:"sandbox"` // it was started by bwrap; else it could do what its user can
}

// StudyResult is what policies did for one objective of a study.
type StudyResult struct {
	Study     string        `json:"study"`
	Objective string        `json:"objective"`
	Market    string        `json:"market"`
	Runs      int           `json:"runs"`
	Unit      string        `json:"unit"`     // what runs are independent by: start or seed
	Hopeless  int           `json:"hopeless"` // runs that no policy can end in time, which do not count
	BoundUSD  float64       `json:"bound_usd"`
	Policies  []StudyPolicy `json:"policies"`

	units   []intervals.Unit
	longest float64            // run of a start, s; 0 where seeds are independent
	scores  intervals.Stratum  // by unit, and policy of the whole trial
	counted map[string]counted // by policy
}

// StudyPolicy is what a policy did for one objective of a study; means of the runs that count.
type StudyPolicy struct {
	Policy    string  `json:"policy"`
	Met       int     `json:"met"`
	CostUSD   float64 `json:"cost_usd"`
	OverBound float64 `json:"over_bound"`
	Score     float64 `json:"score"`
}
