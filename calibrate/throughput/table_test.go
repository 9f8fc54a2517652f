package throughput

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	table, err := Read("t.csv", strings.NewReader("kind,gpus,V100,k80\nlm,1,4,1\nlm,2,7,2\n*,*,1,0.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		kind, gpu string
		gpus      int
		want      float64
	}{{"lm", "v100", 1, 4}, {"lm", "k80", 2, 2}, {"lm", "v100", 4, 4}, {"other", "k80", 4, 2}, {"lm", "h100", 1, 0}} {
		if got := table.Speed(x.kind, x.gpu, x.gpus); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
	for text, want := range map[string]string{
		"kind,gpus\na,1\n":               "no column of speeds",
		"kind,gpus,v100,V100\na,1,2,3\n": "once",
		"kind,gpus,v100\na,1,-2\n":       `t.csv:2:5: v100: "-2"`,
		"kind,gpus,v100\na,0,2\n":        "gpus",
		"kind,gpus,v100\na,1,2\na,1,3\n": "t.csv:3",
		"kind,gpus,v100\n,1,2\n":         "expected the kind",
		"kind,v100\na,2\n":               `no column "gpus"`,
		"kind,gpus,v100\na,1,nan\n":      "nan",
		"kind,gpus,v100\n\"a,1,nan\n":    "t.csv",
	} {
		if _, err := Read("t.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("kind,gpus,V100,k80\nlm,1,4,1\n*,*,1,0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		if table, err := Read("t.csv", strings.NewReader(text)); err == nil && len(table.GPUs) == 0 {
			t.Error("a table without a model of GPU")
		}
	})
}

// Between two rows the speed is on their line; beyond them it is known only by a row of any number of GPUs.
func TestBetween(t *testing.T) {
	table, err := Read("t.csv", strings.NewReader("kind,gpus,a,b\nx,2,4,0\nx,6,8,3\ny,*,2,0\ny,4,7,1\n*,2,5,5\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind, gpu      string
		gpus           int
		speed          float64
		perfect, known bool
	}{
		{"x", "a", 2, 4, false, true}, {"x", "a", 3, 5, false, true}, {"x", "a", 6, 8, false, true},
		{"x", "b", 3, 0, false, true}, {"x", "c", 3, 0, false, true},
		{"x", "a", 1, 0, false, false}, {"x", "a", 7, 0, false, false},
		{"y", "a", 3, 6, true, true}, {"y", "a", 4, 7, false, true}, {"y", "a", 5, 10, true, true},
		{"z", "a", 2, 5, false, true}, {"z", "a", 3, 0, false, false},
	} {
		speed, perfect, known := table.Between(c.kind, c.gpu, c.gpus)
		if speed != c.speed || perfect != c.perfect || known != c.known {
			t.Errorf("%+v: %v, %v, %v", c, speed, perfect, known)
		}
	}
}
