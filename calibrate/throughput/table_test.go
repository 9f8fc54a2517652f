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
