package traces

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12*math.Max(1, math.Abs(want)) {
		if got == nil {
			t.Errorf("%s is not there, expected %v", what, want)
			return
		}
		t.Errorf("%s is %v, expected %v", what, *got, want)
	}
}

// TestStatsArithmetic checks against numbers worked out by hand.
func TestStatsArithmetic(t *testing.T) {
	s := tableSet([][2]int64{{0, 1}, {2, 1}, {6, 2}, {8, 1}}, [][2]int64{{0, 4}, {2, 1}, {3, 1}, {5, 0}, {8, 2}}, 12)
	s.Gaps = []GapRow{{TStart: 9 * hourUs, TEnd: 10 * hourUs}}
	st := Stats(s)
	p := st.Pools[0]
	// 4 for 2 h, 1 for 3 h, none for 3 h, 2 for 3 of the last 4 h: 17 of 44.
	if p.Hours != 11 || math.Abs(p.TimeAvg-17./11) > 1e-12 || p.Gaps != 1 || p.GapHours != 1 {
		t.Errorf("%v h, average %v, %d gaps of %v h, expected 11, 17/11 and one of 1 h", p.Hours, p.TimeAvg, p.Gaps, p.GapHours)
	}
	near(t, "availability", p.Availability, 17./44)
	if p.DropEvents != 2 || p.DropInstances != 4 || p.Bulk[3] != 1 || p.Bulk[1] != 1 || p.Rows != 5 || p.Changes != 4 || p.Ones != 4 || p.Sum != 8 || p.Min != 0 || p.Peak != 4 {
		t.Errorf("pool %+v", p)
	}
	near(t, "MTBP", p.MTBPHours, 17./4)
	near(t, "drops", p.DropsPerHour, 2./11)
	near(t, "plural", p.BulkPlural, .5)
	near(t, "bulk", st.BulkMean, 2)
	q := p.Price
	if q.Rows != 4 || q.Changes != 3 || q.Heartbeats != 1 || q.Min != 1 || q.Max != 2 {
		t.Errorf("price %+v", q)
	}
	near(t, "mean price", q.Mean, 13./11)
	near(t, "of on-demand", q.OverOnDemand, 13./33)
	near(t, "changes a day", q.ChangesPerDay, 2./(11./24))
	near(t, "median step", q.StepMedian, .5)
	near(t, "largest step", q.StepMax, 1)
	if !p.MTBPCaveat {
		t.Error("what an observation means is not stated, expected a caveat")
	}
	if _, err := json.Marshal(st); err != nil {
		t.Error(err)
	}
}

func TestStatsEvents(t *testing.T) {
	s, _ := mustImport(t, "", Options{}, file(t, "n.csv", "0,add,a\n0,add,b\n3600000,remove,a\n3600000,add,c\n3600000,remove,b\n7200000,remove,c\n10800000,add,d\n"))
	p := Stats(s).Pools[0]
	// Two go at the first hour while one comes; one goes at the second.
	if p.Adds != 4 || p.Removes != 3 || p.DropEvents != 2 || p.Bulk[2] != 1 || p.Bulk[1] != 1 || p.Peak != 2 || p.Availability != nil {
		t.Errorf("pool %+v", p)
	}
	if p.Hours != 3 || p.TimeAvg != 1 {
		t.Errorf("%v h, average %v, expected 3 and 1", p.Hours, p.TimeAvg)
	}
	near(t, "MTBP", p.MTBPHours, 1)
}

func TestStatsNothing(t *testing.T) {
	text, err := json.Marshal(Stats(&Set{}))
	if err != nil || strings.Contains(string(text), "NaN") {
		t.Errorf("statistics of nothing: %s, %v", text, err)
	}
}

func TestPearson(t *testing.T) {
	nan := math.NaN()
	if r, n, ok := pearson([]float64{1, 2, nan, 3}, []float64{2, 4, 9, 6}); !ok || n != 3 || math.Abs(r-1) > 1e-12 {
		t.Errorf("r %v of %d", r, n)
	}
	if r, _, ok := pearson([]float64{1, 2, 3, 4}, []float64{1, -1, 1, -1}); !ok || math.Abs(r+1/math.Sqrt(5)) > 1e-12 {
		t.Errorf("r %v, expected -1/sqrt 5", r)
	}
	if _, _, ok := pearson([]float64{1, 1}, []float64{1, 2}); ok {
		t.Error("a constant was correlated")
	}
}

// Two pools that are up together correlate by one; a gap is left out.
func TestCorrelation(t *testing.T) {
	s := tableSet(nil, nil, 12)
	s.Pools = []Pool{{Name: "a", Region: "r"}, {PoolID: 1, Name: "b", Region: "r"}, {PoolID: 2, Name: "c", Region: "q"}}
	for i, h := range []int64{0, 2, 5, 7} {
		up := int32(i % 2)
		s.Capacity = append(s.Capacity,
			CapacityRow{T: h * hourUs, PoolID: 0, Available: up, Cap: 4},
			CapacityRow{T: h * hourUs, Seq: 1, PoolID: 1, Available: 3 * up, Cap: 4},
			CapacityRow{T: h * hourUs, Seq: 2, PoolID: 2, Available: 1 - up, Cap: 4})
	}
	s.Gaps = []GapRow{{PoolID: 1, TStart: 8 * hourUs, TEnd: 12 * hourUs}}
	st := Stats(s)
	near(t, "within the region", st.AvailabilitySame, 1)
	near(t, "across", st.AvailabilityCross, -1)
	if len(st.Correlations) != 3 || !st.Correlations[0].SameRegion || st.Correlations[0].Points != 8*12 {
		t.Errorf("correlations %+v, expected 8 h of five minutes between a and b", st.Correlations)
	}
}
