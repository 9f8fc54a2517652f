package calibrate_test

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate"
)

// The families that come with marigram, in the order of their names.
func TestFamilies(t *testing.T) {
	var names []string
	for _, f := range calibrate.Families() {
		names = append(names, f.Name)
	}
	if want := "batch-memory checkpoint-time data-parallel loss loss-mixed memory-linear ps-bandwidth ps-capacity ps-contention ps-distance " +
		"roll-back roofline stall-layers start-up step-time-flops-linear step-time-flops-quadratic step-time-flops-svr-poly step-time-flops-svr-rbf " +
		"step-time-linear step-time-quadratic"; strings.Join(names, " ") != want {
		t.Errorf("%v, expected %s", names, want)
	}
	if _, err := calibrate.FamilyNamed("cubic"); err == nil || !strings.Contains(err.Error(), `no family "cubic"; there are batch-memory, checkpoint-time`) {
		t.Errorf("got %v", err)
	}
}
