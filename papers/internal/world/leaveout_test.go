package world

import (
	"testing"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
)

// Points that a law made are on the law that is fitted to the others.
func TestLeaveOneOut(t *testing.T) {
	check := near.Count(t)
	for _, law := range []ps.Capacity{{Gain: 1, Cap: 45, P: 4}, {Gain: 1.07, Cap: 80, P: 8}, {Gain: .95, Cap: 6, P: 2.5}} {
		var points []ps.SpeedPoint
		for n := 1.; n <= 8; n++ {
			points = append(points, ps.SpeedPoint{Sum: n * law.Cap / 5, Speed: law.Speed(n * law.Cap / 5), Runs: n})
		}
		left, err := LeaveOneOut(points)
		if err != nil || len(left) != len(points) {
			t.Fatal(left, err)
		}
		for i, speed := range left {
			if want := points[i].Speed; check.Off(speed, want, 1e-3*want) {
				t.Errorf("%+v: left out, point %d is predicted as %v, want %v", law, i, speed, want)
			}
		}
	}
}
