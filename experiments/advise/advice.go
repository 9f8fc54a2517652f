package advise

import (
	"math"

	"github.com/marigram/marigram/internal/stats"
)

// Where is GPUs of a job, or instances, in a pool.
type Where struct {
	Pool string `json:"pool" jsonschema:"name of the pool"`
	N    int    `json:"n" jsonschema:"GPUs of a job, or instances"`
}

// JobChange is what is to become of one of many jobs, and what is expected of it.
type JobChange struct {
	Job       string    `json:"job" jsonschema:"its name"`
	GPUs      int       `json:"gpus" jsonschema:"GPUs that it needs all at once"`
	Do        string    `json:"do" jsonschema:"start, stop, move (to other pools), keep (it runs on where it is) or wait"`
	From      []Where   `json:"from" jsonschema:"where it is; empty: it waits"`
	To        []Where   `json:"to" jsonschema:"where it is to be; empty: it waits"`
	Note      string    `json:"note" jsonschema:"what the scheduler says of it; may be empty"`
	Done      float64   `json:"done" jsonschema:"share of its work that is done"`
	DeadlineS *float64  `json:"deadline_s" jsonschema:"seconds from the start until its deadline; null: it has none"`
	StartS    Quantiles `json:"start_s" jsonschema:"quantiles of when it first has GPUs, seconds from the start; null: not by the horizon"`
	FinishS   Quantiles `json:"finish_s" jsonschema:"quantiles of its end, seconds from the start; null: not by the horizon"`
	Met       float64   `json:"met" jsonschema:"share of the continuations in which it meets its deadline; 1 without one"`
	AtRisk    bool      `json:"at_risk" jsonschema:"whether that is a smaller share than has to"`
}

// Change is what is to be done in one pool.
type Change struct {
	Pool    string   `json:"pool" jsonschema:"name of the pool"`
	Type    string   `json:"type" jsonschema:"instance type"`
	Zone    string   `json:"zone" jsonschema:"zone; empty on demand in any"`
	Market  string   `json:"market" jsonschema:"spot, on-demand, or own: servers that are always there"`
	Keep    int      `json:"keep" jsonschema:"instances that are held on, not counting those under notice"`
	Request int      `json:"request" jsonschema:"instances to ask for, in addition to those that wait already"`
	Wait    int      `json:"wait" jsonschema:"requests that wait already and stay"`
	Cancel  int      `json:"cancel" jsonschema:"requests that wait and are to be taken back"`
	Release int      `json:"release" jsonschema:"instances to give back"`
	IDs     []string `json:"release_ids,omitempty" jsonschema:"the state's ids of those, if it has them"`
	Price   float64  `json:"usd_per_h" jsonschema:"present price of one instance"`
}

// Advice is what a policy would do now, and what that is expected to lead to. Times are seconds from the start of
// the job.
type Advice struct {
	Version       int         `json:"version" jsonschema:"version of this form"`
	Spec          string      `json:"spec" jsonschema:"name of the spec"`
	Objective     string      `json:"objective" jsonschema:"name of the objective"`
	Now           string      `json:"now" jsonschema:"the present, as the state has it"`
	ElapsedS      float64     `json:"elapsed_s" jsonschema:"seconds from the start until now"`
	DeadlineS     float64     `json:"deadline_s" jsonschema:"seconds from the start until the deadline; of many jobs until the next one, 0 if none has one"`
	TraceAgeS     float64     `json:"trace_age_s" jsonschema:"seconds from the last change that the traces have until now"`
	TraceS        float64     `json:"trace_s" jsonschema:"seconds of traces of which continuations are made; 0: nothing of the market changes"`
	BlockS        float64     `json:"block_s" jsonschema:"mean length of the blocks of trace that continuations are made of; 0: there are none"`
	Continuations int         `json:"continuations" jsonschema:"number of continuations that were simulated for each policy"`
	Seed          int64       `json:"seed" jsonschema:"seed of the random numbers"`
	SpentUSD      float64     `json:"spent_usd" jsonschema:"what was paid until now"`
	Done          float64     `json:"done" jsonschema:"share of the training that is done; of many jobs the mean"`
	ModelDone     float64     `json:"model_done" jsonschema:"the share that the model says for what was held until now"`
	Share         float64     `json:"share" jsonschema:"share of the continuations in which the objective has to be met"`
	AtRisk        bool        `json:"at_risk" jsonschema:"whether the policy meets the objective in a smaller share; of many jobs whether a deadline is at risk"`
	Plan          Plan        `json:"plan" jsonschema:"what the policy would do now"`
	Jobs          []JobChange `json:"jobs" jsonschema:"of many jobs: what is to become of each, and what is expected of it"`
	Policies      []Row       `json:"policies" jsonschema:"what is expected of the policy, which is the first, and of the others in its place"`
	Warnings      []string    `json:"warnings" jsonschema:"why the figures may mislead"`

	cost, finish *forecast // of the first policy
}

// Plan is a decision.
type Plan struct {
	Policy     string      `json:"policy" jsonschema:"name of the policy"`
	AtMost     *int        `json:"at_most" jsonschema:"of many requests: instances after whose grant the policy takes the other requests back; null: it wants all that it requests and waits for"`
	Order      []string    `json:"order" jsonschema:"with at_most: the pools in which to request, the first first"`
	HandOver   []Where     `json:"hand_over" jsonschema:"instances that are kept until what is requested is ready, and then released"`
	Changes    []Change    `json:"pools" jsonschema:"what to do, by pool; pools of which nothing is held and asked for are left out"`
	Save       bool        `json:"save" jsonschema:"save a checkpoint now"`
	Servers    int         `json:"parameter_servers" jsonschema:"parameter servers to hold"`
	Pipelines  int         `json:"pipelines" jsonschema:"pipelines of a pipelined job; 0 trains data-parallel"`
	Stages     int         `json:"stages" jsonschema:"stages of each"`
	NextS      *float64    `json:"next_s" jsonschema:"seconds from the start until the policy decides again at the latest; null: when something happens"`
	Reason     string      `json:"reason" jsonschema:"why, in the policy's words; may be empty"`
	Inputs     []Input     `json:"inputs" jsonschema:"numbers that the decision rests on"`
	Candidates []Candidate `json:"candidates" jsonschema:"what was weighed up"`
}

// Input is a number that a decision rests on.
type Input struct {
	Name  string   `json:"name" jsonschema:"its name"`
	Value *float64 `json:"value" jsonschema:"its value; null: not finite"`
	Unit  string   `json:"unit" jsonschema:"its unit; empty for a count or a share"`
}

// Candidate is an option that was weighed up.
type Candidate struct {
	Name   string   `json:"name" jsonschema:"a cluster, a layout or an action"`
	Score  *float64 `json:"score" jsonschema:"what candidates were compared by; null: not finite"`
	Unit   string   `json:"unit" jsonschema:"unit of the score"`
	Note   string   `json:"note" jsonschema:"another reason"`
	Chosen bool     `json:"chosen" jsonschema:"whether it was chosen"`
}

// Row is what is expected of a policy from now on.
type Row struct {
	Policy      string    `json:"policy" jsonschema:"name of the policy"`
	Met         float64   `json:"met" jsonschema:"share of the continuations in which it meets the objective; of many jobs all deadlines"`
	MetLow      float64   `json:"met_low" jsonschema:"lower end of the 95 % interval of that share, of as many draws"`
	MetHigh     float64   `json:"met_high" jsonschema:"upper end"`
	MeanUSD     float64   `json:"mean_usd" jsonschema:"mean cost in all, what was spent included"`
	USD         Quantiles `json:"usd" jsonschema:"quantiles of the cost in all"`
	FinishS     Quantiles `json:"finish_s" jsonschema:"quantiles of the finish, of many jobs of the last one, seconds from the start; null: not by the horizon"`
	MeanJCTS    *float64  `json:"mean_jct_s" jsonschema:"of many jobs: mean seconds from submission to the end of those that are there, over all continuations; null: of one job, or not all end"`
	MoreUSD     float64   `json:"more_usd" jsonschema:"mean of how much more it costs than the first policy, on the same continuations"`
	MoreUSDLow  float64   `json:"more_usd_low" jsonschema:"lower end of the 95 % interval of that mean"`
	MoreUSDHigh float64   `json:"more_usd_high" jsonschema:"upper end"`

	Calibration *Calibration `json:"calibration,omitempty" jsonschema:"how usd and finish_s were widened for what became of earlier predictions; absent: they are as the continuations say"`
}

// Quantiles are those of the continuations: between P05 and P95 lie 90 % of them, between P25 and P75 one half. Nil
// is more than what was simulated.
type Quantiles struct {
	P05 *float64 `json:"p05" jsonschema:"5 % are below"`
	P25 *float64 `json:"p25" jsonschema:"25 % are below"`
	P50 *float64 `json:"p50" jsonschema:"the median"`
	P75 *float64 `json:"p75" jsonschema:"75 % are below"`
	P95 *float64 `json:"p95" jsonschema:"95 % are below"`
}

// Covers reports whether x, +Inf for an end that did not come, lies in the interval of 90 % or of 50 %.
func (q *Quantiles) Covers(x float64) (ninety, fifty bool) {
	in := func(low, high *float64) bool {
		return x >= stats.Or(low, math.Inf(1))*(1-rounding) && x <= stats.Or(high, math.Inf(1))*(1+rounding)
	}
	return in(q.P05, q.P95), in(q.P25, q.P75)
}

// rounding is the difference of two outcomes that are alike, a share of them.
const rounding = 1e-9

// outcome is how a continuation ended.
type outcome struct {
	usd    float64   // in all, from the start
	finish float64   // seconds from the start, of many jobs of the last; +Inf: not by the horizon
	met    bool      // the objective, of many jobs all deadlines
	jobs   []float64 // of many: the finish of each
	starts []float64 // of many: when each first has GPUs; +Inf: not by the horizon
}
