package backtest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/traces/ownruns"
)

// PublishedSet is a set of runs of one job.
type PublishedSet struct {
	Name  string
	About string
	// Idle are the instance types that do not train.
	Idle []string
	Runs func() ([]*ownruns.Run, error)
}

// PublishedSets returns all, in the order of their names.
func PublishedSets() []PublishedSet {
	return []PublishedSet{
		{
			Name: "cmdare-replacements",
			Idle: []string{server},
			Runs: replacements,
			About: "11 runs of ResNet-32 on 4 K80 that lost a worker and got another (CM-DARE, ICDCS 2020), " +
				"from the loss on, with the measured speeds of 1 to 8 workers and start-up times",
		},
		{
			Name:  "icac19-k80-spot",
			Idle:  []string{server},
			Runs:  k80Spot,
			About: "96 runs of ResNet-32 on 2, 4 and 8 transient K80, 20 of them completed with a loss (ICAC 2019)",
		},
	}
}

// Published returns a set by its name.
func Published(name string) (PublishedSet, bool) {
	sets := PublishedSets()
	i := slices.IndexFunc(sets, func(s PublishedSet) bool { return s.Name == name })
	if i < 0 {
		return PublishedSet{}, false
	}
	return sets[i], true
}

// server is the type of parameter servers.
const server = "parameter-server"

// builder collects the events of a run.
type builder struct {
	events []ownruns.Event
}

func (b *builder) add(atS float64, kind ownruns.Kind, instance, machine, zone string, value float64) {
	b.events = append(b.events, ownruns.Event{
		T:        int64(math.Round(atS * 1e6)),
		Kind:     kind,
		Instance: instance,
		Type:     machine,
		Zone:     zone,
		Value:    value,
	})
}

// ready adds an instance that trains from the beginning.
func (b *builder) ready(instance, machine, zone string) {
	b.add(0, ownruns.Launched, instance, machine, zone, math.NaN())
	b.add(0, ownruns.Ready, instance, machine, zone, math.NaN())
}

// whole adds an event of the whole run.
func (b *builder) whole(atS float64, kind ownruns.Kind, value float64) {
	b.add(atS, kind, "", "", "", value)
}

func (b *builder) run(name, source string) (*ownruns.Run, error) {
	return ownruns.New(name, true, []string{source}, b.events)
}

// numbers reads numbers that are separated by semicolons.
func numbers(text string) (out []float64, err error) {
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		x, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// k80Steps is the goal of the runs of ICAC 2019, and of CM-DARE's.
const k80Steps = 64000

// k80Spot makes the runs of ICAC 2019 on transient K80. Time counts from their first evaluation, when the first of the
// steps was done. What was paid is by the authors' own rule: workers that stayed for as long as the run, those that
// went for their uptime, and the parameter server (its table of costs leaves revocations on two workers out).
func k80Spot() ([]*ownruns.Run, error) {
	type fact struct {
		Workers   int     `col:"workers"`
		Zone      string  `col:"zone"`
		Run       int     `col:"run"`
		Completed int     `col:"completed"`
		Seconds   float64 `col:"duration_s"`
		Lost      string  `col:"revoked_at_s"`
		Uptimes   string  `col:"revoked_uptime_s"`
	}
	const worker, parameters = 7.1e-5, 3.97e-5 // USD/s
	var runs []*ownruns.Run
	for _, r := range facts.Read[fact]("icac19_k80_spot") {
		var b builder
		lost, err := numbers(r.Lost)
		if err != nil {
			return nil, err
		}
		uptimes, err := numbers(r.Uptimes)
		if err != nil {
			return nil, err
		}
		b.whole(0, ownruns.Start, math.NaN())
		b.whole(0, ownruns.Step, 0)
		b.add(0, ownruns.Price, "", "K80", r.Zone, worker*3600)
		b.add(0, ownruns.Price, "", server, r.Zone, parameters*3600)
		b.ready("server", server, r.Zone)
		usd := (float64(r.Workers-len(uptimes))*worker + parameters) * r.Seconds
		for _, s := range uptimes {
			usd += worker * s
		}
		for i := range r.Workers {
			name := "worker-" + strconv.Itoa(i)
			b.ready(name, "K80", r.Zone)
			if i < len(lost) {
				b.add(lost[i], ownruns.Preempted, name, "K80", r.Zone, math.NaN())
			}
		}
		if r.Completed == 1 {
			b.whole(r.Seconds, ownruns.Step, k80Steps)
			b.whole(r.Seconds, ownruns.End, math.NaN())
		} else {
			b.whole(r.Seconds, ownruns.Aborted, math.NaN())
		}
		b.whole(r.Seconds, ownruns.Charge, usd)
		run, err := b.run(fmt.Sprintf("%dxK80-%s-%d", r.Workers, r.Zone, r.Run), "facts/icac19_k80_spot.csv")
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// replacements makes CM-DARE's runs with one loss, from the loss on: three workers that train, and the
// fourth, which is asked for at once. Runs that were cut say how fast n workers train, and how long a new one takes:
// its machine and its set-up, of two tables, paired in their order.
func replacements() ([]*ownruns.Run, error) {
	type remaining struct {
		Case   string  `col:"case"`
		Done   float64 `col:"done_steps"`
		Actual float64 `col:"actual_s"`
	}
	var runs []*ownruns.Run
	for _, r := range facts.Read[remaining]("cmdare_remaining") {
		var b builder
		b.whole(0, ownruns.Start, math.NaN())
		b.whole(0, ownruns.Step, r.Done)
		for i := range 3 {
			b.ready("worker-"+strconv.Itoa(i), "K80", "")
		}
		b.add(0, ownruns.Launched, "worker-3", "K80", "", math.NaN())
		b.whole(r.Actual, ownruns.Step, k80Steps)
		b.whole(r.Actual, ownruns.End, math.NaN())
		run, err := b.run("case-"+r.Case, "facts/cmdare_remaining.csv")
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return parts(runs)
}

// parts adds the runs that show speeds and start-ups.
func parts(runs []*ownruns.Run) ([]*ownruns.Run, error) {
	type speed struct {
		GPU     string  `col:"gpu"`
		Servers int     `col:"servers"`
		Network string  `col:"model"`
		Workers int     `col:"workers"`
		Speed   float64 `col:"steps_per_s"`
	}
	for _, r := range facts.Read[speed]("cmdare_cluster_speeds") {
		if r.GPU != "K80" || r.Servers != 1 || r.Network != "resnet-32" {
			continue
		}
		var b builder
		const seconds = 600 // any: a mean speed is known
		b.whole(0, ownruns.Start, math.NaN())
		b.whole(0, ownruns.Step, 0)
		for i := range r.Workers {
			b.ready("worker-"+strconv.Itoa(i), "K80", "")
		}
		b.whole(seconds, ownruns.Step, r.Speed*seconds)
		b.whole(seconds, ownruns.Aborted, math.NaN())
		run, err := b.run(fmt.Sprintf("speed-%d", r.Workers), "facts/cmdare_cluster_speeds.csv")
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return starts(runs)
}

// starts adds the runs that show start-ups.
func starts(runs []*ownruns.Run) ([]*ownruns.Run, error) {
	type boot struct {
		GPU     string  `col:"gpu"`
		Market  string  `col:"market"`
		Seconds float64 `col:"time_s"`
	}
	type setUp struct {
		Network string  `col:"model"`
		Start   string  `col:"start"`
		Seconds float64 `col:"time_s"`
	}
	var cold []float64
	for _, r := range facts.Read[setUp]("cmdare_replacement") {
		if r.Network == "resnet-32" && r.Start == "cold" {
			cold = append(cold, r.Seconds)
		}
	}
	n := 0
	for _, r := range facts.Read[boot]("cmdare_startup") {
		if r.GPU != "K80" || r.Market == "on_demand" {
			continue
		}
		var b builder
		at := r.Seconds + cold[n%len(cold)]
		n++
		b.add(0, ownruns.Launched, "worker", "K80", "", math.NaN())
		b.add(at, ownruns.Ready, "worker", "K80", "", math.NaN())
		run, err := b.run(fmt.Sprintf("start-%d", n), "facts/cmdare_startup.csv, facts/cmdare_replacement.csv")
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}
