package cluster

import "math"

// Slow says how machines become slow and are fast again, and what is done about it. A machine is a server with all its
// GPUs, or an instance. What only some reactions (Do) have a use for may stand beside others, so that one spec has all.
type Slow struct {
	Bad     *BadSlow      `json:"bad,omitempty" excludes:"trace" jsonschema:"machines that are slow from the start on, until a repair (repair_h)"`
	Comes   *SlowEpisodes `json:"comes,omitempty" excludes:"trace" jsonschema:"episodes in which a machine computes slower"`
	Network *SlowEpisodes `json:"network,omitempty" excludes:"trace" needs:"exposed" jsonschema:"episodes in which a machine communicates slower"`
	Trace   string        `json:"trace,omitempty" jsonschema:"instead: recorded episodes, a CSV file with the columns instance,from_s,to_s,compute,network relative to this file, as marigram observe --slow writes it: instances are numbered from 0 (servers of this entry, or grants of a pool), times count from the start of the traces, an empty to_s is for good"`

	Exposed      float64 `json:"exposed,omitempty" above:"0" max:"1" jsonschema:"share of a step of fast machines that is communication which nothing hides: what network makes slower"`
	Rest         float64 `json:"rest,omitempty" min:"0" max:"1" jsonschema:"share of a step that no slow machine makes longer; 0 if absent"`
	MicroBatches int     `json:"micro_batches,omitempty" min:"1" max:"1048576" jsonschema:"micro-batches of a step for each pipeline, or worker whose do shares them, with n chunks of layers a stage (interleaved) n times as many, the same in all pools; so many that filling pipelines takes no time if absent"`

	Do      string    `json:"do,omitempty" names:"keep,replace,ski-rental,rebalance,move,escalate" jsonschema:"what is done about a slow machine that is seen: keep (nothing), replace (at once), ski-rental (replace when the job has lost as much by it as cost_s), rebalance (workers side by side, or pipelines, share micro-batches by their speed, without a stop), move (likewise, and slow machines of pipelines change places, so that few pipelines have any, if steps are shorter so) or escalate (rebalance, move when as much is lost as move_s, replace when as much is lost as cost_s); keep if absent"`
	Seen    *SlowSeen `json:"seen,omitempty" needs:"do" jsonschema:"when a slow machine is seen; if absent after 300 s from a factor of 1.43 on, as NVIDIA's detector reports every 300 s workers whose score is below 0.7"`
	CostS   float64   `json:"cost_s,omitempty" above:"0" max:"1e7" needs:"do" jsonschema:"what a replacement takes of the job's time, as is believed: restart and work since the last save; none is replaced that would lose less until the job's end; of replace, ski-rental and escalate"`
	MoveS   float64   `json:"move_s,omitempty" above:"0" max:"1e7" needs:"do" jsonschema:"time for which a job in pipelines stops to exchange the states of two machines; 0 for move, and no moves for escalate, if absent"`
	RepairH float64   `json:"repair_h,omitempty" above:"0" max:"87600" needs:"do" jsonschema:"of servers: time for which one that is replaced is away, and not bad any more then; if absent it stays, slow, for whoever gets it"`
}

// BadSlow is machines that are slow from the start on.
type BadSlow struct {
	Share float64     `json:"share" above:"0" max:"1" jsonschema:"share of the machines"`
	Times float64     `json:"times,omitempty" min:"1" max:"1e6" either:"factor" jsonschema:"factor of the time of its work"`
	Over1 *OverOne    `json:"over_1,omitempty" either:"factor" jsonschema:"instead: the factor less 1 is lognormal"`
	Mix   []SlowShare `json:"mix,omitempty" either:"factor" items:"64" jsonschema:"instead: one of several factors"`
}

// SlowEpisodes is times in which machines are slow.
type SlowEpisodes struct {
	Per1000NodeDays float64     `json:"per_1000_node_days" above:"0" max:"1e6" jsonschema:"episodes per 1,000 machine-days, at exponential times; several at one time multiply"`
	Lasts           SlowLasts   `json:"lasts" jsonschema:"how long an episode lasts"`
	Times           float64     `json:"times,omitempty" min:"1" max:"1e6" either:"factor" jsonschema:"factor of the time of its work"`
	Over1           *OverOne    `json:"over_1,omitempty" either:"factor" jsonschema:"instead: the factor less 1 is lognormal"`
	Mix             []SlowShare `json:"mix,omitempty" either:"factor" items:"64" jsonschema:"instead: one of several factors"`
}

// OverOne is a lognormal number.
type OverOne struct {
	Median float64 `json:"median" above:"0" max:"1e6" jsonschema:"median of the factor less 1"`
	Sigma  float64 `json:"sigma,omitempty" min:"0" max:"5" jsonschema:"standard deviation of its logarithm; 0 if absent"`
}

// SlowShare is a factor that some episodes have.
type SlowShare struct {
	Times float64 `json:"times" min:"1" max:"1e6" jsonschema:"factor of the time of its work"`
	Share float64 `json:"share" above:"0" max:"1" jsonschema:"share of the episodes; all add up to 1"`
}

// SlowLasts is how long an episode lasts.
type SlowLasts struct {
	MeanH   float64 `json:"mean_h,omitempty" above:"0" max:"87600" either:"time" jsonschema:"mean of exponential times"`
	MedianH float64 `json:"median_h,omitempty" above:"0" max:"87600" either:"time" jsonschema:"instead: median of lognormal times"`
	Sigma   float64 `json:"sigma,omitempty" min:"0" max:"5" needs:"median_h" jsonschema:"standard deviation of the logarithm; 0 if absent"`
}

// SlowSeen is when a slow machine is seen.
type SlowSeen struct {
	AfterS      float64 `json:"after_s" min:"0" max:"864000" jsonschema:"time from when it is slow"`
	From        float64 `json:"from" min:"1" max:"1e6" jsonschema:"factor of the job's step by it from which it is; a smaller one is never seen"`
	FalsePerDay float64 `json:"false_per_day,omitempty" above:"0" max:"1440" jsonschema:"how often in a day a machine is seen that is not slow, of each machine; do: replace pays for it, the others wait for a loss that it does not cause; never if absent"`
}

// Check reports what goes together wrongly.
func (s *Slow) Check(place string, server, fails bool, at At) error {
	switch {
	case s.Bad == nil && s.Comes == nil && s.Network == nil && s.Trace == "":
		return at(place, "nothing that makes a machine slow, expected bad, comes, network or trace")
	case s.Exposed+s.Rest > 1:
		return at(place+".rest", "%v, expected at most %v: with exposed (%v) no more than the whole step",
			s.Rest, 1-s.Exposed, s.Exposed)
	case (s.Do == "ski-rental" || s.Do == "escalate") && s.CostS == 0:
		return at(place+".do", "%s without cost_s, expected what a replacement costs, such as 600", s.Do)
	case s.RepairH > 0 && !server:
		return at(place+".repair_h", "%v, expected none: an instance that is replaced is given back", s.RepairH)
	case s.RepairH > 0 && fails:
		return at(place+".repair_h", "%v, expected none of servers with failures, which have repairs of their own",
			s.RepairH)
	}
	for _, of := range []struct {
		key string
		mix []SlowShare
	}{{"bad", s.bad()}, {"comes", s.Comes.mix()}, {"network", s.Network.mix()}} {
		sum := 0.0
		for _, one := range of.mix {
			sum += one.Share
		}
		if len(of.mix) > 0 && math.Abs(sum-1) > 1e-9 {
			return at(place+"."+of.key+".mix", "shares that add up to %v, expected 1", sum)
		}
	}
	return nil
}

// Shares reports whether slow machines have micro-batches shared anew, and whether they are moved in pipelines.
func (s *Slow) Shares() (shared, moved bool) {
	shared = s.Do == "rebalance" || s.Do == "move" || s.Do == "escalate"
	return shared, s.Do == "move" || s.MoveS > 0
}

func (s *Slow) bad() []SlowShare {
	if s.Bad == nil {
		return nil
	}
	return s.Bad.Mix
}

func (e *SlowEpisodes) mix() []SlowShare {
	if e == nil {
		return nil
	}
	return e.Mix
}
