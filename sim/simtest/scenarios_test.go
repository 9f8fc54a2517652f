package simtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/sim/simtest"
)

func TestScenarios(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.scenario")
	if len(files) == 0 {
		t.Fatal("no scenarios")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".scenario"), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			s, err := simtest.ParseScenario(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestScenarioThatIsWrongFails(t *testing.T) {
	s, err := simtest.ParseScenario(strings.NewReader("pool a price=1 quota=1\njob work=60\nhold a 1\nexpect finish 2m\nexpect colour 3"))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Check()
	if err == nil || !strings.Contains(err.Error(), "line 4: finish is 1m0s, expected 2m") || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"pool", "hold b 1", "price x y z", "colour", "job work=x"} {
		if _, err := simtest.ParseScenario(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
