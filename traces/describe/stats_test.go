package describe

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	_ "github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// TestStatsArithmetic checks against numbers worked out by hand.
func TestStatsArithmetic(t *testing.T) {
	check := near.Count(t)
	s := tracetest.Table([][2]int64{{0, 1}, {2, 1}, {6, 2}, {8, 1}}, [][2]int64{{0, 4}, {2, 1}, {3, 1}, {5, 0}, {8, 2}}, 12)
	s.Gaps = []traces.GapRow{{TStart: 9 * tracetest.HourUs, TEnd: 10 * tracetest.HourUs}}
	st := Stats(s)
	p := st.Pools[0]
	// 4 for 2 h, 1 for 3 h, none for 3 h, 2 for 3 of the last 4 h: 17 of 44.
	if p.Hours != 11 || check.Off(p.TimeAvg, 17./11, 1e-12) || p.Gaps != 1 || p.GapHours != 1 {
		t.Errorf("%v h, average %v, %d gaps of %v h, expected 11, 17/11 and one of 1 h", p.Hours, p.TimeAvg, p.Gaps, p.GapHours)
	}
	tracetest.Near(t, "availability", p.Availability, 17./44)
	if p.DropEvents != 2 || p.DropInstances != 4 || p.Bulk[3] != 1 || p.Bulk[1] != 1 || p.Rows != 5 || p.Changes != 4 || p.Ones != 4 || p.Sum != 8 ||
		p.Min != 0 || p.Peak != 4 {
		t.Errorf("pool %+v", p)
	}
	tracetest.Near(t, "MTBP", p.MTBPHours, 17./4)
	tracetest.Near(t, "drops", p.DropsPerHour, 2./11)
	tracetest.Near(t, "plural", p.BulkPlural, .5)
	tracetest.Near(t, "bulk", st.BulkMean, 2)
	q := p.Price
	if q.Rows != 4 || q.Changes != 3 || q.Heartbeats != 1 || q.Min != 1 || q.Max != 2 {
		t.Errorf("price %+v", q)
	}
	tracetest.Near(t, "mean price", q.Mean, 13./11)
	tracetest.Near(t, "of on-demand", q.OverOnDemand, 13./33)
	tracetest.Near(t, "changes a day", q.ChangesPerDay, 2./(11./24))
	tracetest.Near(t, "median step", q.StepMedian, .5)
	tracetest.Near(t, "largest step", q.StepMax, 1)
	if !p.MTBPCaveat {
		t.Error("what an observation means is not stated, expected a caveat")
	}
	if _, err := json.Marshal(st); err != nil {
		t.Error(err)
	}
}

func TestStatsEvents(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "n.csv",
		"0,add,a\n0,add,b\n3600000,remove,a\n3600000,add,c\n3600000,remove,b\n7200000,remove,c\n10800000,add,d\n"))
	p := Stats(s).Pools[0]
	// Two go at the first hour while one comes; one goes at the second.
	if p.Adds != 4 || p.Removes != 3 || p.DropEvents != 2 || p.Bulk[2] != 1 || p.Bulk[1] != 1 || p.Peak != 2 || p.Availability != nil {
		t.Errorf("pool %+v", p)
	}
	if p.Hours != 3 || p.TimeAvg != 1 {
		t.Errorf("%v h, average %v, expected 3 and 1", p.Hours, p.TimeAvg)
	}
	tracetest.Near(t, "MTBP", p.MTBPHours, 1)
}

func TestStatsNothing(t *testing.T) {
	text, err := json.Marshal(Stats(&traces.Set{}))
	if err != nil || strings.Contains(string(text), "NaN") {
		t.Errorf("statistics of nothing: %s, %v", text, err)
	}
}

func TestPearson(t *testing.T) {
	check := near.Count(t)
	nan := math.NaN()
	if r, n, ok := pearson([]float64{1, 2, nan, 3}, []float64{2, 4, 9, 6}); !ok || n != 3 || check.Off(r, 1, 1e-12) {
		t.Errorf("r %v of %d", r, n)
	}
	if r, _, ok := pearson([]float64{1, 2, 3, 4}, []float64{1, -1, 1, -1}); !ok || check.Off(r, -1/math.Sqrt(5), 1e-12) {
		t.Errorf("r %v, expected -1/sqrt 5", r)
	}
	if _, _, ok := pearson([]float64{1, 1}, []float64{1, 2}); ok {
		t.Error("a constant was correlated")
	}
}

// Two pools that are up together correlate by one; a gap is left out.
func TestCorrelation(t *testing.T) {
	s := tracetest.Table(nil, nil, 12)
	s.Pools = []traces.Pool{{Name: "a", Region: "r"}, {PoolID: 1, Name: "b", Region: "r"}, {PoolID: 2, Name: "c", Region: "q"}}
	for i, h := range []int64{0, 2, 5, 7} {
		up := int32(i % 2)
		s.Capacity = append(s.Capacity,
			traces.CapacityRow{T: h * tracetest.HourUs, PoolID: 0, Available: up, Cap: 4},
			traces.CapacityRow{T: h * tracetest.HourUs, Seq: 1, PoolID: 1, Available: 3 * up, Cap: 4},
			traces.CapacityRow{T: h * tracetest.HourUs, Seq: 2, PoolID: 2, Available: 1 - up, Cap: 4})
	}
	s.Gaps = []traces.GapRow{{PoolID: 1, TStart: 8 * tracetest.HourUs, TEnd: 12 * tracetest.HourUs}}
	st := Stats(s)
	tracetest.Near(t, "within the region", st.AvailabilitySame, 1)
	tracetest.Near(t, "across", st.AvailabilityCross, -1)
	if len(st.Correlations) != 3 || !st.Correlations[0].SameRegion || st.Correlations[0].Points != 8*12 {
		t.Errorf("correlations %+v, expected 8 h of five minutes between a and b", st.Correlations)
	}
}
