package papers_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/papers"
)

// The committed tables say of a few quick figures what comes out, and of every figure that
// has one something that a claim notices, unless all its parameters go unnoticed.
func TestSensitivity(t *testing.T) {
	var rows [][]string
	for _, p := range papers.All() {
		data, err := fs.ReadFile(p.Files, "sensitivity.csv")
		if err != nil {
			t.Fatal(err)
		}
		table, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil || !slices.Equal(table[0], papers.SensitivityColumns) {
			t.Fatalf("%s: %v, %v", p.Name, table, err)
		}
		rows = append(rows, table...)
	}
	list, err := papers.Select("spotdnn/fig9", "oobleck/table2", "icac19/costs", "varuna")
	if err != nil {
		t.Fatal(err)
	}
	got, err := papers.Sensitivity(context.Background(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	noticed, ofProfiles := 0, 0
	for _, n := range got {
		if n.Verdicts > 0 {
			noticed++
		}
		if strings.HasPrefix(n.Parameter, "spotdnn-resnet110.") && n.Values > 0 {
			ofProfiles++
		}
		if !slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(r, n.Row()) }) {
			t.Errorf("sensitivity.csv lacks %v (make -C tools sensitivity)", n.Row())
		}
	}
	if noticed < 10 || ofProfiles < 8 {
		t.Errorf("%d of %d parameters change a verdict, %d of a published profile a number", noticed, len(got), ofProfiles)
	}
	if want := papers.Unnoticed("oobleck/table2"); !slices.Contains(want, "oobleck_nodes.idle") || slices.Contains(want, "boot_s") {
		t.Errorf("unnoticed in oobleck/table2: %v", want)
	}
}
