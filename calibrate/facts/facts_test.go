package facts

import "testing"

func TestFacts(t *testing.T) {
	type row struct {
		Model      string  `col:"model"`
		Loss       float64 `col:"objective_loss"`
		Iterations int     `col:"normalized_iterations"`
	}
	rows := Read[row]("spotdnn_fig6")
	if len(rows) != 16 || rows[0] != (row{"resnet110", 2.4, 2308}) {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
	type wrong struct {
		X float64 `col:"absent"`
	}
	for _, f := range []func(){func() { Read[wrong]("spotdnn_fig6") }, func() { Read[row]("absent") }} {
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
