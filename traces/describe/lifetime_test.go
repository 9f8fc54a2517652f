package describe

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/tracetest"
	"github.com/marigram/marigram/traces/internal/series"
)

// TestLifetimes follows machines: twice alive under one name, gone twice, there at
// the end, never seen to come.
func TestLifetimes(t *testing.T) {
	s := &traces.Set{Pools: []traces.Pool{{Name: "a"}, {PoolID: 1, Name: "b"}}}
	add := func(h int64, pool int32, id, kind, reason string) {
		s.InstanceEvents = append(s.InstanceEvents, traces.InstanceEventRow{T: h * tracetest.HourUs, Seq: int32(len(s.InstanceEvents)), PoolID: pool,
			InstanceID: id, Kind: kind, Reason: reason})
	}
	add(0, 0, "x", traces.KindLaunch, traces.ReasonUnknown)
	add(0, 1, "x", traces.KindLaunch, traces.ReasonUnknown) // another machine of the same name
	add(1, 0, "x", traces.KindRunning, traces.ReasonUnknown)
	add(1, 0, "y", traces.KindPreempt, traces.ReasonCapacity)
	add(2, 0, "x", traces.KindPreempt, traces.ReasonCapacity)
	add(3, 0, "x", traces.KindTerminate, traces.ReasonUser)
	add(4, 0, "x", traces.KindRunning, traces.ReasonUnknown)
	add(5, 0, "z", traces.KindLaunchFail, traces.ReasonCapacity)
	add(6, 0, "x", traces.KindTerminate, traces.ReasonUser)
	s.Gaps = []traces.GapRow{{PoolID: 1, TStart: 8 * tracetest.HourUs, TEnd: 10 * tracetest.HourUs}}
	s.Manifest = traces.Manifest{SchemaVersion: traces.SchemaVersion, TEndUs: 10 * tracetest.HourUs, Rows: s.Counts(), Semantics: traces.SemanticsLifetimes}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	lifetimes, unborn := Lifetimes(s)
	want := []Lifetime{{0, 0, 2 * tracetest.HourUs, true}, {0, 4 * tracetest.HourUs, 6 * tracetest.HourUs, false}, {1, 0, 8 * tracetest.HourUs, false}}
	if len(lifetimes) != 3 || lifetimes[0] != want[0] || lifetimes[1] != want[1] || lifetimes[2] != want[2] || unborn != 1 {
		t.Errorf("lives %+v and %d unborn, expected %+v and 1", lifetimes, unborn, want)
	}
	st := Stats(s)
	if l := st.Lifetimes; l.N != 3 || l.Preempted != 1 || l.NoStart != 1 || st.Pools[0].Lifetimes.N != 2 {
		t.Errorf("%+v", l)
	}
	if p := st.Pools[0]; p.Adds != 2 || p.Removes != 2 || p.DropEvents != 1 {
		t.Errorf("%+v: a machine that is given back is no loss", p)
	}
}

// Ten machines come together, one every hour from the first on is taken, and from
// hour 3 to hour 6 nothing is recorded. Who was there at hour 3 is censored there,
// also the four who are seen to go later: to count these, and not the three who went
// in the gap, would have seven of ten outlive it.
func TestLifetimesInAGap(t *testing.T) {
	check := near.Count(t)
	s := &traces.Set{Pools: []traces.Pool{{Name: "a"}}, Gaps: []traces.GapRow{{TStart: 3*tracetest.HourUs + 1, TEnd: 6*tracetest.HourUs + 1}}}
	add := func(h int64, id, kind string) {
		s.InstanceEvents = append(s.InstanceEvents, traces.InstanceEventRow{T: h * tracetest.HourUs, Seq: int32(len(s.InstanceEvents)), InstanceID: id,
			Kind: kind, Reason: traces.ReasonUnknown})
	}
	name := func(i int64) string { return string(rune('a' + i)) }
	for i := range int64(10) {
		add(0, name(i), traces.KindLaunch)
	}
	for h := int64(1); h <= 10; h++ {
		switch {
		case h <= 3:
			add(h, name(h-1), traces.KindPreempt)
		case h == 7:
			add(h, "j", traces.KindRunning) // of an age that is not known
			add(h, "k", traces.KindRunning) // new to the record
			add(h, "d", traces.KindLaunch)  // anew, after it went in the gap
			add(h, "g", traces.KindTerminate)
		case h > 7:
			add(h, name(h-1), traces.KindPreempt)
		}
	}
	s.Manifest = traces.Manifest{SchemaVersion: traces.SchemaVersion, TEndUs: 12 * tracetest.HourUs, Rows: s.Counts()}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	all, unborn := Lifetimes(s)
	var lost, cut, later int
	for _, l := range all {
		switch {
		case l.Lost:
			lost++
		case l.To == 3*tracetest.HourUs+1:
			cut++
		default:
			later++
		}
	}
	if lost != 3 || cut != 7 || later != 2 || unborn != 0 {
		t.Errorf("%d lost, %d censored by the gap, %d later, %d unborn, expected 3, 7, 2, 0: %+v", lost, cut, later, unborn, all)
	}
	v := KaplanMeier(all[:10])
	if share, known := v.At(3); !known || check.Off(share, .7, 1e-12) {
		t.Errorf("after 3 h %v are there, expected .7", share)
	}
	if _, known := v.At(4); known {
		t.Error("what becomes of those there when the gap begins is not known")
	}
}

// A machine that came and went at one instant of the source's clock is a loss at age
// 0: without it .5 of the machines would outlive an hour, and they are a third.
func TestLifetimesOfNoLength(t *testing.T) {
	check := near.Count(t)
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "n.csv", "0,add,a\n0,add,b\n0,add,c\n0,remove,a\n3600000,remove,b\n7200000,remove,c\n"))
	all, _ := Lifetimes(s)
	v := KaplanMeier(all)
	if len(all) != 3 || all[0].Hours() != 0 || !all[0].Lost || len(v.Steps) != 3 {
		t.Fatalf("%+v, expected a lifetime of no length first", all)
	}
	for hours, want := range map[float64]float64{0: 2. / 3, .5: 2. / 3, 1: 1. / 3} {
		if share, _ := v.At(hours); check.Off(share, want, 1e-12) {
			t.Errorf("%v outlive %v h, expected %v", share, hours, want)
		}
	}
	if got := v.Quantile(0); got != 1/series.HourUs {
		t.Errorf("the shortest that is drawn is %v h, expected a microsecond", got)
	}
}
