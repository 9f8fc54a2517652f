package mdp_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/sim"
)

var (
	hostileRuns    = flag.Int("hostile", 1, "runs of each job, market and policy of TestHostile")
	hostileSeed    = flag.Uint64("hostile-seed", 1, "seed of the first")
	hostileFutures = flag.Int("hostile-futures", 0, "futures of each market of TestHostileWithoutForesight; 0: none")

	hostileJobs = flag.String("hostile-jobs", "ps,dp,groups",
		"jobs of TestHostile: ps, ps-wide, dp, groups (replica groups that keep the batch), regions (dp in three zones, moves cost 1 USD and 3 min)")
	hostileLaws = flag.String("hostile-laws", "", "markets of TestHostile; all if empty")
	hostileWith = flag.String("hostile-policies", "ondemand,mdp", "policies of TestHostile; the first is what others are compared with")
)

// law is how spot comes. Times are means in hours, of exponential distributions unless it is late.
type law struct {
	name     string
	on, off  float64 // off 0: always there; on 0: never
	together bool    // in all pools at once
	price    float64 // largest, of on demand's, drawn anew every half an hour; 0: 0.3, which stays
	unsaid   float64 // share of notices that do not come
	boot     sim.Boot
	most     int // instances of a pool; 0: the quota
	late     bool
	times    float64 // all prices; 0: once

	notice  time.Duration // 0: 2 min
	tail    float64       // spans have a Pareto distribution with this index; 0: an exponential one
	least   float64       // smallest price, of on demand's; 0: 0.2
	walks   bool          // the price is a random walk between least and the largest
	spikes  bool          // the price is the largest for 20 min every 3 h or so, and 0.3 else
	partial bool          // a span has between 1 and all instances
	gone    bool          // from the first end on it stays away
	rooms   *rooms        // how many instances there is room for; nil: none or all
}

// hostile are eight markets on which planning ahead can lose.
var hostile = []law{
	{name: "never"},
	{name: "rare", on: 0.3, off: 3, together: true},
	{name: "bursts", on: 5.0 / 60, off: 10.0 / 60, together: true},
	{name: "slow shocks", on: 8, off: 8},
	{name: "no notices", on: 1, off: 1, unsaid: 1},
	{name: "volatile prices", on: 2, off: 1, price: 2},
	{name: "late", on: 2, off: 2, together: true, late: true},
	{name: "slow boots", on: 1, off: 1, boot: sim.Boot{Median: 10 * time.Minute, Sigma: 0.5}, most: 2},
}

// kind is a job and the pools that it may have.
type kind struct {
	name  string
	types []string
	usd   []float64
	quota []int // on spot, by zone; twice that on demand
	zones int
	move  sim.Move // of the job's state between two zones

	billing sim.Billing // by the second if there is none
	hours   float64     // of the market; 0: hours

	minimum int           // of instances that train; 0: 1
	restart time.Duration // of data-parallel jobs and pipelines; 0: that of the kind
	wide    int           // times eight instances train a data-parallel job, of as many times the work; 0: 1
	work    float64       // on eight instances, in two hours; 0: that of the kind
}

var kinds = []kind{
	{name: "ps", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 1},
	{name: "ps-wide", types: []string{"p3.2xlarge", "g4dn.4xlarge", "g3.8xlarge", "g3.16xlarge", "p2.8xlarge"}, usd: []float64{3.06, 1.2, 2.28, 4.56, 7.2},
		quota: []int{2, 5, 5, 8, 5}, zones: 2},
	{name: "dp", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 1},
	{name: "groups", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 1},
	{name: "regions", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 3, move: sim.Move{USD: 1, Time: 3 * time.Minute}},
	{name: "hourly", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 1, billing: sim.Billing{Increment: time.Hour}},
	{name: "dp3", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 3},
	{name: "ps3", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 3},
	{name: "slow", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{8}, zones: 1},
	{name: "pipes", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{9}, zones: 1},
}

// mover is the kind itself where moves take something.
func (k *kind) mover() sim.Mover {
	if k.move == (sim.Move{}) {
		return nil
	}
	return k
}

// Move implements sim.Mover.
func (k *kind) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	if from.OnDemand || to.OnDemand || from.Zone == to.Zone {
		return sim.Move{}
	}
	return k.move
}

// hours are those of a market.
const hours = 7

// spans are the times of a seed in which there is capacity, N is 1 there.
func (l *law) spans(seed, stream uint64, hours float64) (of []sim.Capacity) {
	d := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+902, stream)
	at, there := sim.Time(0), l.off == 0 && l.on > 0 || l.on > 0 && !l.late && d.Uniform(0) < l.on/(l.on+l.off)
	if l.late {
		of = append(of, sim.Capacity{})
		at, there = sim.At(3600*(1+3*d.Uniform(0))), true
	}
	for i := uint64(1); at < sim.At(hours*3600); i++ {
		mean, n := l.off, 0
		if there {
			mean, n = l.on, 1
		}
		of = append(of, sim.Capacity{At: at, N: n})
		if mean == 0 || there && l.off == 0 || l.gone && !there && i > 1 {
			break
		}
		span := d.Exponential(i)
		if l.tail > 0 {
			span = (l.tail - 1) / l.tail * math.Exp(span/l.tail)
		}
		at, there = at.After(1+3600*mean*span), !there
	}
	return of
}

// capacity is how many instances a pool has room for, at most so many.
func (l *law) capacity(seed, stream uint64, most int, hours float64) (all []sim.Capacity) {
	if l.rooms != nil {
		return l.rooms.of(seed, stream, most, hours)
	}
	some := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+904, stream)
	for i, span := range l.spans(seed, stream, hours) {
		n := span.N * most
		if l.partial {
			n = span.N * (1 + int(float64(most)*some.Uniform(uint64(i))))
		}
		all = append(all, sim.Capacity{At: span.At, N: n})
	}
	return all
}

// pricesOf are the prices of a seed, of on demand's.
func (l *law) pricesOf(seed, stream uint64, hours float64) (of []sim.Price) {
	d := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+903, stream)
	least := l.least
	if least == 0 {
		least = 0.2
	}
	usd := least + (l.price-least)*d.Uniform(1<<20)
	at := 0.0
	for h := uint64(0); at < hours; h++ {
		switch {
		case l.spikes:
			of = append(of, sim.Price{At: sim.At(3600 * at), USD: 0.3})
			at += 0.1 + 3*d.Exponential(h)
			of = append(of, sim.Price{At: sim.At(3600 * at), USD: l.price})
			at += 1. / 3
			continue
		case l.walks:
			usd = min(max(usd*math.Exp(0.3*(2*d.Uniform(h)-1)), least), l.price)
		default:
			usd = least + (l.price-least)*math.Pow(d.Uniform(h), 2)
		}
		of = append(of, sim.Price{At: sim.At(3600 * at), USD: usd})
		at += 0.5
	}
	return of
}

// course is the future of a law on one pool: bound.Course.
type course struct {
	*law
	of         []sim.Capacity
	spot, sure int
}

func (c course) Len() int { return len(c.of) }

func (c course) State(i int) (sim.Time, []int) { return c.of[i].At, []int{c.of[i].N * c.spot, c.sure} }

func (c course) Rates(i int, regime func([]int) int, into []float64) {
	clear(into)
	if c.of[i].N > 0 {
		into[regime([]int{0, c.sure})] = 1 / (1 + 3600*c.on)
	} else if c.off > 0 {
		into[regime([]int{c.spot, c.sure})] = 1 / (1 + 3600*c.off)
	}
}

// withoutForesight is the bound without foresight of a kind of one pool, in the mean of some futures, with its
// standard error.
func (k *kind) withoutForesight(t testing.TB, l *law, from uint64, n int) (usd, spread float64) {
	var all []float64
	for seed := from; seed < from+uint64(n); seed++ {
		c := course{law: l, of: l.spans(seed, 0, hours), spot: k.quota[0], sure: k.quota[0]}
		if l.most > 0 {
			c.spot = min(c.spot, l.most)
		}
		sample := c
		sample.of = l.spans(seed^1<<60, 0, 200)
		least, err := bound.WithoutForesight(k.config(t, l, seed, "ondemand"), bound.Law{Future: c, Sample: sample}, values)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, least)
	}
	mean, sd := stat.MeanStdDev(all, nil)
	return mean, sd / math.Sqrt(float64(n))
}

// values is a bound.Planner: the programme of the policy.
func values(regimes []bound.Regime, work, seconds, boot float64) bound.Values {
	list := make([]mdp.Regime, len(regimes))
	for i, r := range regimes {
		list[i] = mdp.Regime{Clusters: []mdp.Cluster{{}}, Next: r.Next}
		for _, c := range r.Clusters {
			list[i].Clusters = append(list[i].Clusters, mdp.Cluster{Rate: c[0], USD: c[1]})
		}
	}
	return mdp.NewValues(list, work, seconds, 180, boot)
}

// What no policy without foresight pays less than, where the law of the market is known: beside TestHostile's table.
func TestHostileWithoutForesight(t *testing.T) {
	if *hostileFutures == 0 {
		t.Skip("no -hostile-futures")
	}
	for _, l := range hostile {
		if !l.late {
			usd, spread := kinds[0].withoutForesight(t, &l, *hostileSeed, *hostileFutures)
			t.Logf("%s: no policy without foresight below %.2f USD +- %.2f", l.name, usd, spread)
		}
	}
}

// config is a run of a kind of job within 6 h.
func (k *kind) config(t testing.TB, l *law, seed uint64, policy string) sim.Config {
	t.Helper()
	boot := l.boot
	if boot == (sim.Boot{}) {
		boot = sim.DefaultBoot()
	}
	hours := cmp.Or(k.hours, hours)
	var traces []sim.Trace
	var types []string
	for i, typ := range k.types {
		for zone := range k.zones {
			notice := cmp.Or(l.notice, 2*time.Minute)
			pool := sim.Pool{Name: fmt.Sprintf("%c/%s", 'a'+zone, typ), Zone: fmt.Sprint(zone), InstanceType: typ, Quota: k.quota[i], Notice: notice,
				NoticeMissing: l.unsaid, Boot: boot}
			stream := uint64(2*i + zone)
			most := pool.Quota
			if l.most > 0 {
				most = min(most, l.most)
			}
			x := sim.Trace{Pool: pool, Prices: []sim.Price{{USD: 0.3 * k.usd[i]}}}
			if l.price > 0 {
				x.Prices = l.pricesOf(seed, stream, hours)
				for h := range x.Prices {
					x.Prices[h].USD *= k.usd[i]
				}
			}
			if l.together {
				stream = 0
			}
			x.Capacity = l.capacity(seed, stream, most, hours)
			traces, types = append(traces, x), append(types, typ)
		}
		pool := sim.Pool{Name: "on-demand/" + typ, InstanceType: typ, Quota: k.zones * k.quota[i], Boot: boot, OnDemand: true, OnDemandPrice: k.usd[i]}
		traces, types = append(traces, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: k.usd[i]}}}), append(types, typ)
	}
	times := max(l.times, 1)
	if l.times > 0 {
		for i := range traces {
			traces[i].OnDemandPrice *= times
			for k := range traces[i].Prices {
				traces[i].Prices[k].USD *= times
			}
		}
	}
	m, err := sim.NewMarket(sim.At(hours*3600), traces)
	if err != nil {
		t.Fatal(err)
	}
	job := sim.Job{ParameterServers: 1, ParameterServerPrice: times * sim.DefaultParameterServerPrice, Objective: sim.Objective{Loss: 0.54, Within: 6 * time.Hour}}
	switch k.name {
	case "dp", "regions", "dp3", "slow":
		job = sim.Job{Objective: sim.Objective{Within: 6 * time.Hour}}
		job.Model, err = k.dataParallel(len(types))
	case "pipes":
		job = sim.Job{Objective: sim.Objective{Within: 6 * time.Hour}}
		job.Model, err = k.pipelined()
	case "groups":
		job = sim.Job{Objective: sim.Objective{Within: 6 * time.Hour}}
		job.Model, err = parallel.NewReplicated(parallel.Groups{Samples: 4e6, Batch: 2048, Groups: 8, Workers: 1, Min: 1, Step: 6 * time.Second, Kept: true,
			Restart: 3 * time.Minute, Save: 20 * time.Second, Interval: time.Hour}, len(types))
	default:
		profile, coef, bad := ps.Published("spotdnn-resnet110")
		if bad != nil {
			t.Fatal(bad)
		}
		coef.BeginLoss = 4.605
		job.Model, err = ps.NewASP(profile, coef, ps.FormArtifact, types)
		if k.work > 0 {
			job.Objective.Loss = lossOf(job.Model, coef.BeginLoss, 0.65*k.work)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	name, sure := strings.CutSuffix(policy, "-sure")
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	if sure { // boots at the bound that safe forms plan with
		if err := policies.Configure(p, map[string]any{"boot_share": 0.999}); err != nil {
			t.Fatal(err)
		}
	}
	rules := sim.PerSecond()
	if k.billing.Increment > 0 {
		rules = k.billing
	}
	return sim.Config{Market: m, Seed: seed, Policy: p, Billing: rules, Jobs: []sim.Job{job}, Moves: k.mover()}
}

// lossOf returns the loss at which a share of the work is done that takes a model from a loss to 0.54.
func lossOf(model sim.Model, from, share float64) float64 {
	begin := model.Goal(from)
	all := model.Goal(0.54) - begin
	low := 0.54
	high := from
	for range 60 {
		middle := (low + high) / 2
		if model.Goal(middle)-begin < share*all {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// What runs cost where planning ahead can lose. None is late, and where spot never comes waiting for it costs no more
// than its limit.
func TestHostile(t *testing.T) {
	names := strings.Split(*hostileWith, ",")
	for _, k := range kinds {
		for _, l := range hostile {
			if !strings.Contains(*hostileJobs+",", k.name+",") || *hostileLaws != "" && !strings.Contains(*hostileLaws+",", l.name+",") {
				continue
			}
			usd, line := make([][]float64, len(names)), ""
			for i, name := range names {
				late, took, least, ratio, worst := 0, time.Duration(0), 0.0, 0.0, 0.0
				for r := range *hostileRuns {
					c := k.config(t, &l, *hostileSeed+uint64(r), name)
					begin := time.Now()
					ended, total := run(t, c)
					took += time.Since(begin)
					if !ended {
						late++
					}
					usd[i] = append(usd[i], total)
					if i == 0 {
						b, err := bound.Hindsight(c)
						if err != nil {
							t.Fatal(err)
						}
						least += b.USD
					}
					ratio, worst = ratio+total/usd[0][r], max(worst, total/usd[0][r])
				}
				n := float64(*hostileRuns)
				if i == 0 {
					line = fmt.Sprintf("%s, %s, %d runs: bound %.2f USD", k.name, l.name, *hostileRuns, least/n)
				}
				more, half := paired(usd[i], usd[0])
				line += fmt.Sprintf("; %s %.2f (%+.2f, ±%.2f), %.3f and at most %.3f of %s, %.0f ms", name, stat.Mean(usd[i], nil), more, half, ratio/n, worst,
					names[0], took.Seconds()*1000/n)
				if late > 0 {
					t.Errorf("%s, %s: %s is late in %d of %d runs", k.name, l.name, name, late, *hostileRuns)
				}
				if l.on == 0 && name == "mdp" && names[0] == "ondemand" && ratio/n > 1.05 {
					t.Errorf("%s, %s: mdp costs %.3f of the best plan on demand, expected at most 1.05", k.name, l.name, ratio/n)
				}
			}
			t.Log(line)
		}
	}
}

// paired returns the mean of differences and half its interval of 95 %.
func paired(a, b []float64) (mean, half float64) {
	var d []float64
	for i := range a {
		d = append(d, a[i]-b[i])
	}
	if len(d) == 1 {
		return d[0], math.Inf(1)
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return mean, 1.96 * sd / math.Sqrt(float64(len(d)))
}

// Twice the prices are twice the cost, by the same decisions: nothing is counted in dollars.
func TestTwiceThePrices(t *testing.T) {
	check := near.Count(t)
	for _, name := range []string{"ps", "dp", "groups"} {
		k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
		for _, l := range hostile {
			for seed := range uint64(testutil.Size(1, 20)) {
				c := k.config(t, &l, *hostileSeed+seed, "mdp")
				_, usd := run(t, c)
				l.times = 2
				c = k.config(t, &l, *hostileSeed+seed, "mdp")
				_, twice := run(t, c)
				l.times = 0
				if check.Off(twice, 2*usd, 1e-9) {
					t.Errorf("%s, %s, seed %d: %v USD, and %v USD at twice the prices", k.name, l.name, seed, usd, twice)
				}
			}
		}
	}
}
