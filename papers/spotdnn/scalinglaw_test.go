package spotdnn

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
)

func TestFitScalingFindsItsOwn(t *testing.T) {
	check := near.Count(t)
	c := ps.Coefficients{ParameterMB: 100, WorkerMBps: 500, ServerMBps: 1200, PCIeMBps: 10000, Alpha1: 0.5, Beta1: -0.7}
	truth := []scalingLaw{{Coefficients: c, Work: 4000, Batches: 900}, {Coefficients: c, Work: 900, Batches: 300}}
	var blank []scalingLaw
	var runs [][]gang
	for i, s := range truth {
		runs = append(runs, nil)
		for _, n := range []int{1, 2, 4, 6} {
			runs[i] = append(runs[i], gang{n, 2, s.Seconds(n, 2)})
		}
		s.Alpha1, s.Beta1, s.Batches = 0, 0, 0
		blank = append(blank, s)
	}
	got, squares, err := fitContentionByScaling(blank, runs)
	if err != nil || check.Above(squares, 1e-10) {
		t.Fatal(squares, err)
	}
	for i, s := range got {
		if check.OffRel(s.Batches, truth[i].Batches, 1e-6) || check.OffRel(s.Seconds(5, 1), truth[i].Seconds(5, 1), 1e-3) {
			t.Errorf("%+v, made with %+v", s, truth[i])
		}
	}
	if _, _, err := fitContentionByScaling(blank[:1], [][]gang{runs[0][2:]}); err == nil || !strings.Contains(err.Error(), "without contention") {
		t.Errorf("without a free run: %v", err)
	}
	one, residuals, err := fitScaling(c, []gang{{1, 1, truth[0].Seconds(1, 1)}, {1, 4, truth[0].Seconds(1, 4)}})
	if err != nil || check.OffRel(one.Batches, 900, 1e-3) || check.OffRel(one.Work, 4000, 1e-3) || check.Off(residuals[1], 0, 1e-6) {
		t.Errorf("%+v, %v, %v", one, residuals, err)
	}
	if _, _, err := fitScaling(c, []gang{{1, 1, 0}}); err == nil {
		t.Error("a run of 0 s")
	}
}
