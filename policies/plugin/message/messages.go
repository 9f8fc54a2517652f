package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Hello is the first message to a process. It answers with a Greeting.
type Hello struct {
	Type     string         `json:"type"` // "hello"
	V        int            `json:"v"`    // Version
	Policy   string         `json:"policy"`
	Settings map[string]any `json:"settings"` // of the spec
	// Many is how many decisions a message may have (Decisions), if the plug-in says that it takes that many.
	Many int `json:"many"`
}

// Greeting is a plug-in's first message.
type Greeting struct {
	V    int `json:"v"`
	Many int `json:"many"` // decisions that a message to it may have; 1 if it is absent
	// Settings are those that it has, an empty list if it has none; null: it does not say, and any setting is passed on
	// to it.
	Settings []Setting `json:"settings"`
}

// Setting is what a plug-in says of one of its settings. A number has both bounds, a text its names.
type Setting struct {
	Name    string   `json:"name"`    // of lower-case letters, digits and _
	Default any      `json:"default"` // a number, true or false, or one of the names
	Min     *float64 `json:"min"`
	Max     *float64 `json:"max"`
	Whole   bool     `json:"whole"` // the number is a whole one
	Names   []string `json:"names"`
	Doc     string   `json:"doc"` // what it does, in a few words
}

// Decisions are several decisions in one message: as many plans are the answer, each as if its View had come alone, in
// their order. A plug-in that asks before a plan asks about the View which that plan is for.
type Decisions struct {
	Type  string `json:"type"` // "decisions"
	Views []View `json:"views"`
}

// Begin tells a plug-in of a run: what stays as it is until its end. There is no answer. Spans
// and instants of all messages are in seconds, to the microsecond; instants count from the
// beginning of the traces.
type Begin struct {
	Type   string  `json:"type"`           // "begin"
	World  int64   `json:"world"`          // number of the run; decisions name it
	From   *int64  `json:"from,omitempty"` // a copy of this run begins, with all that its policy remembers
	Ended  []int64 `json:"ended,omitempty"`
	Random uint64  `json:"random"` // seed for the policy's own random numbers: a function of the run's seed
	StartS float64 `json:"start_s"`
	Pools  []Pool  `json:"pools"`
	// Of a run, not of a copy:
	Terms  []Terms  `json:"terms,omitempty"`     // by pool, what else is fixed
	Limits []Limit  `json:"limits,omitempty"`    // quotas over several pools
	Names  []string `json:"job_names,omitempty"` // of jobs, by number
}

// Pool is what is fixed about a pool (sim.Pool).
type Pool struct {
	Name          string  `json:"name"`
	Cloud         string  `json:"cloud"`
	Region        string  `json:"region"`
	Zone          string  `json:"zone"`
	Type          string  `json:"type"`
	GPU           string  `json:"gpu"`
	GPUs          int     `json:"gpus"`
	OnDemand      bool    `json:"on_demand"`
	OnDemandPrice float64 `json:"on_demand_usd_per_h"` // list price, 0 if it is not known
	Quota         int     `json:"quota"`
	NoticeS       float64 `json:"notice_s"`
	BootMedianS   float64 `json:"boot_median_s"`
	BootSigma     float64 `json:"boot_sigma"`
}

// View is what a policy sees at a decision (sim.View). It is answered with a Plan, or first with
// any number of Asks.
type View struct {
	Type  string  `json:"type"` // "decide"
	World int64   `json:"world"`
	NowS  float64 `json:"now_s"`
	// Trigger is names joined by "+": start, grant, ready, notice, gone, price, job, wake, again, met, repair.
	Trigger  string    `json:"trigger"`
	Recorded bool      `json:"recorded"` // somebody listens to inputs and candidates
	USD      float64   `json:"usd"`      // cost so far
	Prices   []float64 `json:"usd_per_h"`
	Jobs     []Job     `json:"jobs"` // submitted and not done
}

// Job is what a policy sees of a job (sim.JobView). Absent instants and numbers that are not
// finite are null.
type Job struct {
	Job       int      `json:"job"` // number of the job
	DeadlineS float64  `json:"deadline_s"`
	WithinS   float64  `json:"within_s"` // from the submission to the deadline
	GoalLoss  float64  `json:"goal_loss"`
	Begun     bool     `json:"begun"`
	Training  bool     `json:"training"`
	Safe      bool     `json:"safe"` // the last save is
	Done      float64  `json:"done"` // 0 to 1
	Loss      *float64 `json:"loss"`
	SavedLoss *float64 `json:"saved_loss"`
	Speed     float64  `json:"speed"` // iterations per second
	LaidS     float64  `json:"laid_s"`
	SavedS    float64  `json:"saved_s"`
	ResumedS  float64  `json:"resumed_s"`
	PausedS   *float64 `json:"paused_s"`
	LeavingS  *float64 `json:"leaving_s"`
	SaveS     float64  `json:"save_s"`    // what a save on the present layout takes
	PersistS  float64  `json:"persist_s"` // and then until it is safe
	Losses    int      `json:"losses"`
	Servers   int      `json:"servers"`
	Pipelines int      `json:"pipelines"` // of the present layout
	Stages    int      `json:"stages"`
	Held      []Held   `json:"held"` // pools in which the job has or wants anything, ascending
}

// Held is what a job has in a pool (sim.Held).
type Held struct {
	Pool          int      `json:"pool"`
	Want          int      `json:"want"`
	Waiting       int      `json:"waiting"`
	Starting      int      `json:"starting"`
	Ready         int      `json:"ready"`
	Noticed       int      `json:"noticed"`
	WaitingSinceS *float64 `json:"waiting_since_s"`
}

// Ask is a question of a plug-in in the middle of a decision: how would a job do on n
// instances? It is answered with an Answer.
type Ask struct {
	Job       int   `json:"job"`
	Instances int   `json:"instances"` // of one type, on the fastest layout
	Hold      []int `json:"hold"`      // or by pool
	Pipelines int   `json:"pipelines"` // with Hold, of a pipelined job
	Stages    int   `json:"stages"`
	Servers   *int  `json:"servers"` // those that the job has if absent

	// Or about a pool: what was seen of it (PoolAnswer).
	Pool *int     `json:"pool"`
	From *int     `json:"from"` // the state of the job would be carried from here
	AtS  *float64 `json:"at_s"` // the instant of the price, not after now; now if absent
	// BeforeS has the counts and times be those of so long before the run, and not of the run (sim.View.SeenBefore).
	BeforeS *float64 `json:"before_s"`
}

// Answer answers an Ask, by the model that the policy may see. Numbers that are not finite
// are null.
type Answer struct {
	Type      string   `json:"type"`    // "answer"
	WholeS    *float64 `json:"whole_s"` // the whole job, without a pause
	LeftS     *float64 `json:"left_s"`  // from the present progress to the goal
	Samples   float64  `json:"samples_per_s"`
	SaveS     float64  `json:"save_s"`
	LossS     float64  `json:"loss_s"`    // how long the loss of one instance stops training
	ReadyS    float64  `json:"ready_s"`   // after which all are ready with a probability of 99 %, in the slowest pool
	Pipelined bool     `json:"pipelined"` // the model lays out pipelines
	Max       int      `json:"most"`      // instances of which the model can make use
	Pipelines int      `json:"pipelines"`
	Stages    int      `json:"stages"`

	Pool *PoolAnswer `json:"pool,omitempty"` // to a question about a pool, instead of all of this
}

// Plan answers a View. What it leaves out stays as it is.
type Plan struct {
	Ask *Ask `json:"ask"` // a question instead of a plan

	JobPlan           // of the first job of the view
	Jobs    []JobPlan `json:"jobs"`

	WakeS      *float64    `json:"wake_s"`    // asked again after so long
	WakeWhen   []Condition `json:"wake_when"` // asked again when one of these begins to hold
	WaitFor    *string     `json:"wait_for"`  // events for which it is asked until then, names joined by +; else all
	Again      bool        `json:"again"`     // and at this instant
	Because    string      `json:"because"`   // the reason, for records
	Inputs     []Input     `json:"inputs"`
	Candidates []Candidate `json:"candidates"`
}

// Condition is something that a policy waits for (sim.Condition): of waited_s, done and whole_s, which
// are of a job, and the prices, which are of a pool, it has one.
type Condition struct {
	Job      *int     `json:"job"`      // the first of the view if it is not given
	Pool     *int     `json:"pool"`     // its number
	WaitedS  *float64 `json:"waited_s"` // a request has waited so long
	Done     *float64 `json:"done"`     // that share of the training is done
	WholeS   *float64 `json:"whole_s"`  // what is left takes until the deadline on a cluster with this time for all
	ReserveS *float64 `json:"reserve_s"`
	Below    *float64 `json:"below_usd_per_h"` // the price is below this
	Above    *float64 `json:"above_usd_per_h"` // or above this
	EveryS   *float64 `json:"every_s"`         // looked at only so often
}

// JobPlan is what a policy wants for a job (sim.JobPlan).
type JobPlan struct {
	Job         *int  `json:"job"`
	Hold        *Hold `json:"hold"`
	Pipelines   *int  `json:"pipelines"`
	Stages      *int  `json:"stages"`
	Workers     *int  `json:"workers"`
	Servers     *int  `json:"servers"`
	AcrossZones *bool `json:"across_zones"`
	Drain       *bool `json:"drain"`
	Restart     *bool `json:"restart"`
	Refill      bool  `json:"refill"`
	Save        bool  `json:"save"`
}

// Input is a number that a decision is based on (sim.Input).
type Input struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Candidate is an option that was considered (sim.Candidate).
type Candidate struct {
	Name   string  `json:"name"`
	Score  float64 `json:"score"`
	Unit   string  `json:"unit"`
	Note   string  `json:"note"`
	Chosen bool    `json:"chosen"`
}

// Terms is what else is fixed about a pool (sim.Pool).
type Terms struct {
	Above         []string `json:"above"` // what the region is part of, the narrowest first
	Reserved      bool     `json:"reserved"`
	NoticeMissing float64  `json:"notice_missing"` // probability that no notice comes
	Victim        string   `json:"victim"`         // which instance goes where capacity falls: random, newest, oldest
	UntilS        *float64 `json:"until_s"`        // when a capacity block ends; null for other pools
	WaitS         float64  `json:"wait_s"`         // from the first request to its grants, in the median
	WaitSigma     float64  `json:"wait_sigma"`
	LengthS       float64  `json:"length_s"`            // an instance goes so long after its grant; 0: it does not
	IncrementS    *float64 `json:"billing_increment_s"` // as its cloud counts; null: as the run does
	MinimumS      *float64 `json:"billing_minimum_s"`
}

// Limit is a quota over several pools (sim.Limit).
type Limit struct {
	Name      string `json:"name"`
	Pools     []int  `json:"pools"`
	Instances int    `json:"instances"`
}

// PoolAnswer answers a question about a pool (sim.Seen). Absent instants are null. To a question with before_s,
// refused_s to waited_s and occupied_s tell what a job would have seen of the pool before the run, had it requested the
// whole quota; without a record of that time they are 0 and null.
type PoolAnswer struct {
	Price    float64   `json:"usd_per_h"` // at the instant of the question
	RefusedS *float64  `json:"refused_s"` // when a request last waited although the quota had room
	TakenS   *float64  `json:"taken_s"`   // when the cloud last took an instance
	Removals int       `json:"removals"`  // instants at which instances were taken
	Arrivals int       `json:"arrivals"`  // and at which a request was granted that had been waiting
	Grants   int       `json:"grants"`    // instances
	HeldS    float64   `json:"held_s"`    // of all instances, added up
	WaitedS  float64   `json:"waited_s"`
	Occupied float64   `json:"occupied_s"` // in which there was an instance at least
	HasState bool      `json:"has_state"`  // the state of the job is there
	MoveUSD  float64   `json:"move_usd"`   // what carrying it there from the pool named in the question takes
	MoveS    float64   `json:"move_s"`
	LeavingS []float64 `json:"leaving_s"` // when the instances under notice go, those of all jobs
}

// Hold is how many instances to hold, by pool: as JSON, an object of numbers by the names of
// pools or a list of a number a pool. Pools that an object does not name are 0.
type Hold struct {
	ByPool []int
	ByName map[string]int
}

// UnmarshalJSON implements json.Unmarshaler.
func (h *Hold) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &h.ByPool)
	}
	return json.Unmarshal(text, &h.ByName)
}

// MarshalJSON implements json.Marshaler.
func (h Hold) MarshalJSON() ([]byte, error) {
	if h.ByName != nil {
		return json.Marshal(h.ByName)
	}
	return json.Marshal(h.ByPool)
}

// Into writes the numbers by pool; the names are those of the pools.
func (h *Hold) Into(hold []int, names []string) error {
	if h.ByName == nil {
		if len(h.ByPool) != len(hold) {
			return fmt.Errorf("hold has %d numbers, expected %d, one a pool", len(h.ByPool), len(hold))
		}
		copy(hold, h.ByPool)
		return checkCounts(hold, names)
	}
	clear(hold)
	for name, n := range h.ByName {
		p := slices.Index(names, name)
		if p < 0 {
			return fmt.Errorf("hold names the pool %q, expected one of %q", name, names)
		}
		hold[p] = n
	}
	return checkCounts(hold, names)
}

// Max bounds the numbers of a plan: more is a mistake, not a wish.
const Max = 1 << 20

func checkCounts(hold []int, names []string) error {
	for p, n := range hold {
		if n < 0 || n > Max {
			return fmt.Errorf("hold of pool %q is %d, expected 0 to %d", names[p], n, Max)
		}
	}
	return nil
}
