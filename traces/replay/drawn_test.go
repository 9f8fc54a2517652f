package replay

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// fixedLife is a life without luck, in hours.
type fixedLife float64

func (f fixedLife) Quantile(float64) float64 { return float64(f) }
func (f fixedLife) String() string           { return fmt.Sprintf("fixed(%gh)", float64(f)) }

func nodesOf(t *testing.T, r Replay, trace *Trace, w Window) (text []string, quota int) {
	t.Helper()
	h, end, err := r.Traces(trace, w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.NewMarket(end, h); err != nil {
		t.Fatal(err)
	}
	for _, n := range h[0].Nodes {
		text = append(text, fmt.Sprintf("%.4g %d %v", hoursOf(n.At), n.Node, n.Up))
	}
	return text, h[0].Quota
}

// Two machines could be launched in the first hour, none in the next two, three
// from the third on; machines live 1.5 h. The fall at 1 h takes nobody; those
// that die at 1.5 h cannot be replaced before 3 h.
func TestLaunchOnly(t *testing.T) {
	trace := New(tracetest.Table([][2]int64{{0, 1}}, [][2]int64{{0, 2}, {1, 0}, {3, 3}}, 5))
	r := Replay{Adapter: LaunchOnly, N: 3, Lifetime: fixedLife(1.5)}
	got, quota := nodesOf(t, r, trace, Window{})
	want := []string{"0 0 true", "0 1 true", "1.5 0 false", "1.5 1 false", "3 0 true", "3 1 true", "3 2 true",
		"4.5 0 false", "4.5 1 false", "4.5 2 false", "4.5 0 true", "4.5 1 true", "4.5 2 true"}
	if !reflect.DeepEqual(got, want) || quota != 3 {
		t.Errorf("%q, quota %d, expected %q, 3", got, quota, want)
	}
	r.N, r.Copies = 4, 2
	got, quota = nodesOf(t, r, trace, Window{Until: 2 * tracetest.HourUs})
	want = []string{"0 0 true", "0 1 true", "0 2 true", "0 3 true", "1.5 0 false", "1.5 1 false", "1.5 2 false", "1.5 3 false"}
	if !reflect.DeepEqual(got, want) || quota != 4 {
		t.Errorf("copies: %q, quota %d, expected %q, 4", got, quota, want)
	}
	if s := r.String(); s != "launch_only(n=4,life=fixed(1.5h),copies=2,notice=0s,missing=0)" {
		t.Error(s)
	}
	// From 1 h to 3 h nothing can be launched: no machine, which is not no limit.
	h, _, err := r.Traces(trace, Window{From: tracetest.HourUs, Until: 3 * tracetest.HourUs})
	if err != nil || len(h[0].Nodes) > 0 || !reflect.DeepEqual(h[0].Capacity, []sim.Capacity{{}}) {
		t.Errorf("%+v, %v, expected room for none", h, err)
	}
}

// The machines lived 1 h, 2 h and (still there) 3 h: a third dies at 1 h, half of
// the rest at 2 h, and the others live longer.
func TestLifetimeResample(t *testing.T) {
	check := near.Count(t)
	trace := eventSet(t, "0,add,a\n0,add,b\n1,remove,a\n2,remove,b\n17,add,c\n")
	r := Replay{Adapter: LifetimeResample, N: 300, Seed: 5, FlatPrice: 1}
	h, _, err := r.Traces(trace, Window{})
	if err != nil || h[0].Quota != 300 {
		t.Fatal(err)
	}
	first := map[int]float64{}
	for _, n := range h[0].Nodes {
		if _, seen := first[n.Node]; !n.Up && !seen {
			first[n.Node] = hoursOf(n.At)
		}
	}
	var one, two int
	for _, hours := range first {
		switch hours {
		case 1:
			one++
		case 2:
			two++
		default:
			if check.Below(hours, 3) {
				t.Errorf("a machine lived %v h, which none did", hours)
			}
		}
	}
	if check.Off(float64(one)/300, 1./3, .08) || check.Off(float64(two)/300, 1./3, .08) {
		t.Errorf("%d and %d of 300 lived 1 h and 2 h, expected a third each", one, two)
	}
	again, _, _ := r.Traces(trace, Window{})
	r.Seed = 6
	other, _, _ := r.Traces(trace, Window{})
	if !reflect.DeepEqual(h, again) || reflect.DeepEqual(h, other) {
		t.Error("expected one trace a seed, another for another")
	}
	if s := r.String(); s != "lifetime_resample(n=300,life=kaplan_meier(pool),notice=0s,missing=0,flat_price=1)" {
		t.Error(s)
	}
	// Counts have no lives, but a law may be given; then prices alone will do.
	prices := New(tracetest.Table([][2]int64{{0, 1}}, nil, 5))
	if _, _, err := (Replay{Adapter: LifetimeResample, N: 1}).Traces(prices, Window{}); err == nil {
		t.Error("lives of prices")
	}
	got, _ := nodesOf(t, Replay{Adapter: LifetimeResample, N: 1, Lifetime: describe.Capped{LifetimeDistribution: describe.ExponentialLifetime(1e9),
		Max: 3 * time.Hour}}, prices, Window{})
	if want := []string{"0 0 true", "3 0 false", "3 0 true"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

func TestBid(t *testing.T) {
	trace := New(tracetest.Table([][2]int64{{1, 1}, {2, 3}, {4, 2}, {6, 1}, {8, 5}}, nil, 9))
	for _, c := range []struct {
		w    Window
		bid  float64
		want []sim.Capacity
	}{
		{Window{}, 2, []sim.Capacity{{N: 4}, {At: sim.At(2 * 3600)}, {At: sim.At(4 * 3600), N: 4}, {At: sim.At(8 * 3600)}}},
		{Window{From: 3 * tracetest.HourUs, Until: 7 * tracetest.HourUs}, 1.5, []sim.Capacity{{}, {At: sim.At(3 * 3600), N: 4}}},
		{Window{}, 9, []sim.Capacity{{N: 4}}},
	} {
		r := Replay{Adapter: Bid, N: 4, Bid: c.bid}
		h, _, err := r.Traces(trace, c.w)
		if err != nil || !reflect.DeepEqual(h[0].Capacity, c.want) {
			t.Errorf("%v: %+v, %v, expected %+v", c.bid, h[0].Capacity, err, c.want)
		}
	}
	if s := (Replay{Adapter: Bid, N: 4, Bid: 1.5}).String(); s != "bid(n=4,bid=1.5,notice=0s,missing=0)" {
		t.Error(s)
	}
}

// Repetition: three copies of a machine come and go as one, counts are three
// times as large.
func TestCopies(t *testing.T) {
	trace := eventSet(t, "0,add,a\n1,add,b\n3,remove,a\n")
	got, quota := nodesOf(t, Replay{Adapter: PerEvent, Copies: 2, FlatPrice: 1}, trace, Window{})
	want := []string{"0 0 true", "0 1 true", "1 2 true", "1 3 true", "3 0 false", "3 1 false"}
	if !reflect.DeepEqual(got, want) || quota != 4 {
		t.Errorf("%q, quota %d, expected %q, 4", got, quota, want)
	}
	r := Replay{Copies: 3, FlatPrice: 1}
	h, _, err := r.Traces(trace, Window{})
	if err != nil || h[0].Quota != 6 || !reflect.DeepEqual(h[0].Capacity, []sim.Capacity{{N: 3}, {At: sim.At(3600), N: 6}, {At: sim.At(3 * 3600), N: 3}}) {
		t.Errorf("%+v, %v", h, err)
	}
	if s := r.String(); s != "count_cap(victim=random,copies=3,notice=0s,missing=0,flat_price=1)" {
		t.Error(s)
	}
}

func TestNewAdaptersRefuse(t *testing.T) {
	trace := New(tracetest.Table(nil, [][2]int64{{0, 3}}, 5))
	for _, c := range []struct {
		r    Replay
		want string
	}{
		{Replay{Adapter: LaunchOnly, N: 2}, "without a distribution of lifetimes"},
		{Replay{Adapter: LaunchOnly, Lifetime: fixedLife(1)}, "of 0 machines"},
		{Replay{Adapter: LifetimeResample, N: 2}, "machines was lost"},
		{Replay{Adapter: LifetimeResample, N: 3, Copies: 2}, "multiple of 2 copies"},
		{Replay{Adapter: LifetimeResample, N: 1, Lifetime: fixedLife(1e-12)}, "too short"},
		{Replay{Adapter: Bid, N: 2}, "bid of 0 USD"},
		{Replay{Adapter: Bid, N: 2, Bid: math.NaN()}, "bid of NaN USD"},
		{Replay{Adapter: Bid, N: 2, Bid: 1}, "expected prices to compare"},
		{Replay{Adapter: BinaryAll, N: 4, Copies: 2}, "loses all machines together"},
		{Replay{Copies: 2, Scale: 2}, "one of the two"},
		{Replay{Copies: -1}, "copies -1"},
	} {
		if _, _, err := c.r.Traces(trace, Window{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.r, err, c.want)
		}
	}
}
