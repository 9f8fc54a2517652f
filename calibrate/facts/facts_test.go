package facts

import (
	"testing"
	"testing/fstest"
)

// The same rows come from other files.
func TestReadFrom(t *testing.T) {
	type row struct {
		Model string `col:"model"`
	}
	other := fstest.MapFS{"own.csv": {Data: []byte("# source\nmodel,steps\nBERT,5\n")}}
	if rows := ReadFrom[row](other, "own"); len(rows) != 1 || rows[0].Model != "BERT" {
		t.Errorf("%+v", rows)
	}
}

func TestFacts(t *testing.T) {
	type row struct {
		Model   string  `col:"model"`
		LocalMs float64 `col:"local_ms"`
		Stages  int     `col:"stages"`
	}
	rows := Read[row]("bamboo_networks")
	if len(rows) < 2 || rows[0] != (row{"BERT", 20000, 12}) {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
	type wrong struct {
		X float64 `col:"absent"`
	}
	for _, f := range []func(){func() { Read[wrong]("bamboo_networks") }, func() { Read[row]("absent") }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
