package process_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// sees is testdata/sees.py in Go.
type sees struct {
	market *sim.Market
	asked  int
}

func (*sees) Name() string { return "sees" }

func (s *sees) Decide(v sim.View, plan *sim.Plan) {
	var said []string
	if s.asked == 0 {
		said = append(said, s.fixed(v))
	}
	at := s.asked % v.Pools()
	for p := range v.Pools() {
		x, move, gone := v.Seen(p), v.Job(0).Move(at, p), []string{}
		for _, t := range v.Leaving(p, nil) {
			gone = append(gone, fmt.Sprint(int64(t)))
		}
		state := 0
		if v.Job(0).StateIn(p) {
			state = 1
		}
		before := v.SeenBefore(p, 90*time.Minute)
		said = append(said, fmt.Sprintf("%d,%d,%d,%d,%d,%d", before.Removals, before.Arrivals, before.Grants, int64(before.Held),
			before.Waited.Microseconds(), before.Occupied.Microseconds()))
		said = append(said, fmt.Sprintf("%.0f,%s,%s,%d,%d,%d,%d,%d,%d,%d,%.0f,%d,%s,%d", v.PriceAt(p, v.Now()/2)*1e6, instant(x.RefusedAt), instant(x.TakenAt),
			x.Removals, x.Arrivals, x.Grants, int64(x.Held), x.Waited.Microseconds(), x.Occupied.Microseconds(), state, move.USD*1e6, move.Time.Microseconds(),
			strings.Join(gone, "+"), s.market.Apart(p, at)))
	}
	s.asked++
	clear(plan.Jobs[0].Hold)
	plan.Jobs[0].Hold[at] = 2
	plan.WakeIn(15 * time.Minute)
	plan.SetReason(strings.Join(said, " "))
}

func instant(t sim.Time) string {
	if t == sim.Never {
		return "-"
	}
	return fmt.Sprint(int64(t))
}

func (s *sees) fixed(v sim.View) string {
	var all []string
	for i := range v.Pools() {
		p, until, increment, minimum := v.Pool(i), "-", "-", "-"
		if p.Until > 0 {
			until = instant(p.Until)
		}
		if g := p.Granularity; g != nil {
			increment, minimum = fmt.Sprint(g.Increment.Microseconds()), fmt.Sprint(g.Minimum.Microseconds())
		}
		reserved := map[bool]int{true: 1}[p.Reserved]
		all = append(all, fmt.Sprintf("%s,%d,%.0f,%v,%s,%d,%.0f,%d,%s,%s", strings.Join(p.Above, "/"), reserved, p.NoticeMissing*1e6, p.Victim, until,
			p.Wait.Microseconds(), p.WaitSigma*1e6, p.Length.Microseconds(), increment, minimum))
	}
	for _, l := range v.Limits() {
		all = append(all, fmt.Sprintf("%s%s%d", l.Name, strings.ReplaceAll(fmt.Sprint(l.Pools), " ", ", "), l.Instances))
	}
	return strings.Join(all, " ") + " " + v.Job(0).Name()
}

// far makes moves take what the names of pools say.
type far struct{}

func (far) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	return sim.Move{USD: float64(len(from.Name)) / 100, Time: time.Duration(len(to.Name)) * time.Second}
}

// A plug-in sees of pools what a policy in Go sees: tiers, quotas over several pools, what was seen of a pool, in the run
// and before it, prices of the past, moves, and when instances go.
func TestSees(t *testing.T) {
	for seed := range uint64(testutil.Size(2, 4)) {
		traces := simtest.Traces(seed, 6*time.Hour)
		for i := range traces {
			p := &traces[i].Pool
			p.Region = fmt.Sprint("rack ", i/2)
			p.Above = []string{fmt.Sprint("pod ", i/4), "hall"}[:2-i%2]
			traces[i].Recorded = i%3 > 0
		}
		traces[0].Granularity = &sim.Granularity{Increment: time.Minute, Minimum: time.Hour}
		traces[1].Wait, traces[1].WaitSigma, traces[1].Length = 5*time.Minute, 0.5, 2*time.Hour
		traces[5].Reserved, traces[5].Until = true, sim.Time(0).Add(4*time.Hour)
		market, err := sim.NewMarket(sim.Time(0).Add(6*time.Hour), traces, sim.Limit{Name: "three", Pools: []int{0, 1, 3}, Instances: 3})
		if err != nil {
			t.Fatal(err)
		}
		said := func(p sim.Policy) []string {
			d := &diary{}
			w, err := sim.New(sim.Config{
				Market:   market,
				Start:    sim.Time(0).Add(2 * time.Hour),
				Jobs:     simtest.Jobs(1),
				Policy:   p,
				Seed:     seed,
				Billing:  sim.PerSecond(),
				Recorder: d,
				Moves:    far{},
			})
			if err != nil {
				t.Fatal(err)
			}
			w.Run()
			return d.decisions
		}
		want := said(&sees{market: market})
		for _, form := range [][]string{nil, {"--binary"}} {
			carrier := start(t, process.Command{Args: python(t, append([]string{"testdata/sees.py"}, form...)...), Policy: "sees"})
			got := said(plugin.New("sees", func() (plugin.Carrier, error) { return carrier, nil }))
			for i := range min(len(want), len(got)) {
				if got[i] != want[i] {
					t.Fatalf("seed %d%v, decision %d:\n%s\nwant\n%s", seed, form, i, got[i], want[i])
				}
			}
			if len(got) != len(want) || len(want) < 5 {
				t.Fatalf("seed %d%v: %d decisions, want %d", seed, form, len(got), len(want))
			}
		}
	}
}
