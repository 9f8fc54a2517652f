package simtest_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/marigram/marigram/papers/gavel/rules" // registers isolated
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// scheduler makes a registered policy with settings.
func scheduler(name string, settings map[string]string) (sim.Policy, error) {
	p, err := policies.New(name)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for k, v := range settings {
		values[k] = v
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			values[k] = x
		}
	}
	err = policies.Configure(p, values)
	return p, err
}

// Small clusters whose results are worked out by hand, each in its file.
func TestClusterScenarios(t *testing.T) {
	files, _ := filepath.Glob("testdata/clusters/*.scenario")
	if len(files) < 30 {
		t.Fatalf("%d scenarios, expected at least 30", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".scenario"), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			s, err := simtest.ParseClusterScenario(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Check(scheduler); err != nil {
				t.Error(err)
			}
		})
	}
}

// A scenario that expects something else fails, and what cannot be read names its line.
func TestClusterScenarioThatIsWrongFails(t *testing.T) {
	s, err := simtest.ParseClusterScenario(strings.NewReader("pool s quota=4\njob a gpus=2 work=1h\nscheduler fifo\nexpect a finish 2h\nexpect end 3h"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(scheduler); err == nil || !strings.Contains(err.Error(), "line 4: finish of a is 1h0m0s, expected 2h") ||
		!strings.Contains(err.Error(), "line 5") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"pool", "place a s 1", "job a gpus=x", "colour"} {
		if _, err := simtest.ParseClusterScenario(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
