package replay

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	_ "github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats/tracetest"
	"github.com/marigram/marigram/traces/internal/series"
)

func hoursOf(t sim.Time) float64 { return t.Seconds() / 3600 }

func TestReplayWindow(t *testing.T) {
	s := tracetest.Table([][2]int64{{2, 1}, {5, 2}, {5, 3}, {9, 4}}, [][2]int64{{1, 4}, {4, 4}, {6, 1}, {8, 0}, {9, 2}}, 12)
	trace := New(s)
	for _, c := range []struct {
		w        Window
		prices   []sim.Price
		capacity []sim.Capacity
	}{
		{Window{}, []sim.Price{{At: sim.At(2 * 3600), USD: 1}, {At: sim.At(5 * 3600), USD: 2}, {At: sim.At(5 * 3600), USD: 3}, {At: sim.At(9 * 3600), USD: 4}},
			[]sim.Capacity{{At: sim.At(3600), N: 4}, {At: sim.At(6 * 3600), N: 1}, {At: sim.At(8 * 3600), N: 0}, {At: sim.At(9 * 3600), N: 2}}},
		// State carries in: the last record before the start holds.
		{Window{From: 7 * tracetest.HourUs}, []sim.Price{{USD: 3}, {At: sim.At(2 * 3600), USD: 4}},
			[]sim.Capacity{{N: 1}, {At: sim.At(3600), N: 0}, {At: sim.At(2 * 3600), N: 2}}},
		// A record at the start holds from the start.
		{Window{From: 9 * tracetest.HourUs}, []sim.Price{{USD: 4}}, []sim.Capacity{{N: 2}}},
		// A fall at the end, announced before it, is still there; prices are not.
		{Window{From: 5 * tracetest.HourUs, Until: 8 * tracetest.HourUs}, []sim.Price{{USD: 3}},
			[]sim.Capacity{{N: 4}, {At: sim.At(3600), N: 1}, {At: sim.At(3 * 3600), N: 0}}},
	} {
		r := Replay{Notice: time.Minute}
		h, end, err := r.Traces(trace, c.w)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(h[0].Prices, c.prices) || !reflect.DeepEqual(h[0].Capacity, c.capacity) {
			t.Errorf("%+v:\n%+v\n%+v, expected\n%+v\n%+v", c.w, h[0].Prices, h[0].Capacity, c.prices, c.capacity)
		}
		if want := float64(12 - c.w.From/tracetest.HourUs); c.w.Until == 0 && hoursOf(end) != want {
			t.Errorf("%+v: ends after %v h, expected %v", c.w, hoursOf(end), want)
		}
		if _, err := sim.NewMarket(end, h); err != nil {
			t.Errorf("%+v: %v", c.w, err)
		}
	}
}

// A window that says nothing is the whole observation, also of a trace that was
// recorded long after 1970.
// A trace that is laid out while it is read is that of the set.
func TestRead(t *testing.T) {
	s := tracetest.Table([][2]int64{{2, 1}, {5, 2}, {5, 3}, {9, 4}}, [][2]int64{{1, 4}, {4, 4}, {6, 1}, {8, 0}, {9, 2}}, 12)
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	whole, err := traces.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := Read(dir)
	if err != nil || !reflect.DeepEqual(got, New(whole)) {
		t.Errorf("%+v, expected %+v; %v", got, New(whole), err)
	}
}

func TestReplayWithoutWindow(t *testing.T) {
	const hour = 472_222 // in 2023
	start := hour * tracetest.HourUs
	set := tracetest.Table([][2]int64{{hour, 1}, {hour + 2, 2}}, [][2]int64{{hour, 3}, {hour + 1, 1}}, hour+4)
	set.Manifest.TStartUs = start
	if err := set.Check(); err != nil {
		t.Fatal(err)
	}
	trace := New(set)
	for _, w := range []Window{{}, {From: start}, {Until: start + 4*tracetest.HourUs}, {start, start + 4*tracetest.HourUs}} {
		h, end, err := Replay{}.Traces(trace, w)
		if err != nil || hoursOf(end) != 4 {
			t.Fatalf("%+v: until hour %v, %v, expected 4", w, hoursOf(end), err)
		}
		if c := h[0].Capacity; len(c) != 2 || c[0] != (sim.Capacity{N: 3}) || hoursOf(c[1].At) != 1 {
			t.Errorf("%+v: capacity %+v, expected 3 from the start and 1 from hour 1", w, c)
		}
		if p := trace.PriceHistory(0, w); len(p) != 2 || hoursOf(p[1].At) != 2 {
			t.Errorf("%+v: prices %+v, expected two, the second from hour 2", w, p)
		}
	}
}

func TestReplayAdapters(t *testing.T) {
	trace := New(tracetest.Table([][2]int64{{0, 1}}, [][2]int64{{0, 3}, {1, 1}, {2, 0}, {3, 4}}, 5))
	for _, c := range []struct {
		r          Replay
		capacities []int
		quota      int
		name       string
	}{
		{Replay{Notice: 120 * time.Second}, []int{3, 1, 0, 4}, 4, "count_cap(victim=random,notice=120s,missing=0)"},
		{Replay{Scale: 2.5, Victim: sim.VictimOldest, NoticeMissing: .25}, []int{8, 3, 0, 10}, 10, "count_cap(victim=oldest,scale=2.5,notice=0s,missing=0.25)"},
		{Replay{Adapter: BinaryAll, N: 8, Notice: 30 * time.Second}, []int{8, 0, 8}, 8, "binary_all(n=8,notice=30s,missing=0)"},
		{Replay{Adapter: Unlimited, N: 7}, []int{7}, 7, "unlimited(n=7,notice=0s,missing=0)"},
	} {
		h, _, err := c.r.Traces(trace, Window{})
		if err != nil {
			t.Fatal(err)
		}
		var capacities []int
		for _, x := range h[0].Capacity {
			capacities = append(capacities, x.N)
		}
		if !reflect.DeepEqual(capacities, c.capacities) || h[0].Quota != c.quota || c.r.String() != c.name {
			t.Errorf("%s: rooms %v quota %d, expected %s %v %d", c.r, capacities, h[0].Quota, c.name, c.capacities, c.quota)
		}
		if h[0].Victim != c.r.Victim || h[0].Notice != c.r.Notice || h[0].NoticeMissing != c.r.NoticeMissing {
			t.Errorf("%s: the pool says %+v", c.r, h[0].Pool)
		}
		if _, err := c.r.Market(trace, Window{}); err != nil {
			t.Error(err)
		}
	}
	for i, name := range adapterNames {
		if a, err := AdapterNamed(name); err != nil || int(a) != i || a.String() != name {
			t.Errorf("adapter %d: %v, %v", i, a, err)
		}
	}
	if _, err := AdapterNamed("count"); err == nil {
		t.Error("adapter count was found")
	}
}

func eventSet(t *testing.T, text string) *Trace {
	t.Helper()
	s, _ := tracetest.Import(t, "node-events", traces.Options{Unit: time.Hour, End: time.Unix(20*3600, 0)}, tracetest.File(t, "fleet.csv", text))
	return New(s)
}

func TestPerEvent(t *testing.T) {
	trace := eventSet(t, "0,add,a\n1,add,b\n3,remove,a\n3,add,c\n4,add,d\n4,remove,d\n4,add,e\n5,add,f\n6,remove,b\n")
	type ev struct {
		hour float64
		slot int
		up   bool
	}
	get := func(w Window) (out []ev, slots int) {
		h, end, err := Replay{Adapter: PerEvent, FlatPrice: 1, Notice: 2 * time.Minute}.Traces(trace, w)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sim.NewMarket(end, h); err != nil {
			t.Fatalf("%+v: %v", w, err)
		}
		for _, n := range h[0].Nodes {
			out = append(out, ev{hoursOf(n.At), n.Node, n.Up})
		}
		return out, h[0].Quota
	}
	got, slots := get(Window{})
	// The slot that a leaves at 3 is not c's, but d's at 4; d's is not e's.
	want := []ev{{0, 0, true}, {1, 1, true}, {3, 0, false}, {3, 2, true}, {4, 0, true}, {4, 0, false}, {4, 3, true}, {5, 0, true}, {6, 1, false}}
	if !reflect.DeepEqual(got, want) || slots != 4 {
		t.Errorf("%v in %d slots, expected %v in 4", got, slots, want)
	}
	got, slots = get(Window{From: 3 * tracetest.HourUs, Until: 5 * tracetest.HourUs})
	want = []ev{{0, 0, true}, {0, 1, true}, {1, 2, true}, {1, 2, false}, {1, 3, true}, {2, 2, true}}
	if !reflect.DeepEqual(got, want) || slots != 4 {
		t.Errorf("%v in %d slots, expected %v in 4: b and c are there at 3", got, slots, want)
	}
	counts := trace.countCap(0, Window{}, 0, 1)
	if len(counts) != 5 || counts[len(counts)-1].N != 3 {
		t.Errorf("as counts %+v", counts)
	}
}

func TestReplayRefuses(t *testing.T) {
	prices := tracetest.Table([][2]int64{{0, 1}}, nil, 5)
	counts := tracetest.Table(nil, [][2]int64{{0, 3}}, 5)
	counts.Pools[0].OnDemandNano = nil
	for name, c := range map[string]struct {
		set  *traces.Set
		r    Replay
		w    Window
		want string
	}{
		"starts at the end": {prices, Replay{Adapter: Unlimited, N: 1}, Window{From: 5 * tracetest.HourUs}, "expected one within the observation"},
		"starts before":     {prices, Replay{Adapter: Unlimited, N: 1}, Window{From: -1}, "expected one within the observation"},
		"ends after":        {prices, Replay{Adapter: Unlimited, N: 1}, Window{Until: 6 * tracetest.HourUs}, "not after the end of the observation"},
		"ends before":       {prices, Replay{Adapter: Unlimited, N: 1}, Window{From: 2 * tracetest.HourUs, Until: tracetest.HourUs}, "expected one after"},
		"no counts":         {prices, Replay{}, Window{}, "only prices were recorded, expected the adapter unlimited"},
		"no machines":       {prices, Replay{Adapter: PerEvent}, Window{}, "no machines were recorded"},
		"no price":          {counts, Replay{}, Window{}, "no price was recorded"},
		"no number":         {prices, Replay{Adapter: BinaryAll}, Window{}, "of 0 machines"},
		"scale":             {counts, Replay{Scale: -1}, Window{}, "scale -1"},
		"adapter":           {counts, Replay{Adapter: 99}, Window{}, "is unknown"},
	} {
		if _, _, err := c.r.Traces(New(c.set), c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
	h, _, err := Replay{FlatPrice: 1.5}.Traces(New(counts), Window{})
	if err != nil || h[0].Prices[0].USD != 1.5 || !strings.Contains(Replay{FlatPrice: 1.5}.String(), "flat_price=1.5") {
		t.Errorf("flat price: %v %v", h, err)
	}
}

// Pools that end before the others end the window.
func TestReplayPoolEnd(t *testing.T) {
	a := tracetest.File(t, "us-east-1a_v100_1.json", `{"metadata": {"gap_seconds": 3600}, "data": [1, 0, 1]}`)
	b := tracetest.File(t, "us-east-1b_v100_1.json", `{"metadata": {"gap_seconds": 3600}, "data": [1, 1, 1, 0, 1]}`)
	s, _ := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable}, a, b)
	trace := New(s)
	_, end, err := Replay{}.Traces(trace, Window{})
	if err != nil || hoursOf(end) != 3 {
		t.Errorf("ends after %v h (%v), expected 3: the first pool is not known later", hoursOf(end), err)
	}
	if _, end, err = (Replay{}).Traces(trace, Window{}, 1); err != nil || hoursOf(end) != 5 {
		t.Errorf("the second pool alone ends after %v h (%v), expected 5", hoursOf(end), err)
	}
}

func TestReplayRecorded(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{PriceArrays: tracetest.Recorded(t, "skynomad-aws-v100-prices", "v100_spot_prices.json")},
		tracetest.Recorded(t, "skynomad-aws-v100-availability"))
	trace := New(s)
	start, _ := trace.Span()
	m, err := Replay{Adapter: BinaryAll, N: 4, Notice: 120 * time.Second}.Market(trace, Window{From: start + 100*tracetest.HourUs, Until: start +
		200*tracetest.HourUs})
	if err != nil || m.Pools() != 6 || hoursOf(m.End()) != 100 {
		t.Fatalf("market %v", err)
	}
	p3, _ := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "bamboo-preemption-traces", "p3-trace.csv"))
	m, err = Replay{Adapter: PerEvent, FlatPrice: .918, Notice: 120 * time.Second}.Market(New(p3), Window{From: 3 * tracetest.HourUs})
	if err != nil {
		t.Fatal(err)
	}
	steps := series.EventSteps(p3.InstanceEvents)
	for h := range 8 {
		want := int(steps[series.At(steps, int64(3+h)*tracetest.HourUs)].V)
		if got, ok := m.Capacity(0, sim.At(float64(h)*3600)); !ok || got != want {
			t.Errorf("%d machines at %d h, recorded %d", got, 3+h, want)
		}
	}
}
