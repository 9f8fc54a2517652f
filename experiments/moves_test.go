package experiments_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

const threeRegions = `name: moves
seeds: 4
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.6, within: 6h}]
policies: [{name: reactive}, {name: spotdnn}]
market:
  synthetic: {regions: 3, zones: 2, machines: 4}
  pools: [{type: p3.2xlarge, quota: 4, on_demand_usd_per_h: 3.06}]
`

// movesStudy opens a spec of three regions with some moves.
func movesStudy(t *testing.T, moves string) (*experiments.Study, error) {
	t.Helper()
	dir := t.TempDir()
	text := threeRegions
	if moves != "" {
		text += "  moves: " + moves + "\n"
	}
	table := "from,to,usd_per_gb,gb_per_s\n*,*,0.02,5\nsynthetic-1,*,0.5,1\n"
	for name, text := range map[string]string{"moves.yaml": text, "own.csv": table, "bad.csv": "from,to,usd_per_gb\na,b,0.1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "moves.yaml"))
	if err != nil {
		return nil, err
	}
	return experiments.NewStudy(s)
}

// rowsOf runs all of a study.
func rowsOf(t *testing.T, moves string) (rows []results.Summary) {
	t.Helper()
	s, err := movesStudy(t, moves)
	if err != nil {
		t.Fatal(err)
	}
	w := s.Worker()
	for p := range s.Spec.Policies {
		for seed := range int64(4) {
			row, err := w.Run(experiments.Case{Policy: p, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if err := row.Check(); err != nil {
				t.Error(err)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Moves that take no time change nothing but the bill, by their price; and those that take
// time only, only what follows from the time.
func TestMovesAreBilled(t *testing.T) {
	check := near.Count(t)
	free, paid := rowsOf(t, ""), rowsOf(t, "{gb: 50, usd_per_gb: 0.02, gb_per_s: 0}")
	slow, own := rowsOf(t, "{gb: 50, usd_per_gb: 0, gb_per_s: 0.5}"), rowsOf(t, "{gb: 50, tariff: own.csv}")
	moves := int64(0)
	for i := range free {
		if !strings.Contains(free[i].Warnings, "moves between regions are free") || strings.Contains(paid[i].Warnings, "moves") {
			t.Errorf("warnings %q and %q", free[i].Warnings, paid[i].Warnings)
		}
		if free[i].Moves != 0 || free[i].CostTransferUSD != 0 {
			t.Errorf("without a price: %d moves, %v USD", free[i].Moves, free[i].CostTransferUSD)
		}
		if want := float64(paid[i].Moves); check.Off(paid[i].CostTransferUSD, want, 1e-9) || check.Off(paid[i].CostUSD-free[i].CostUSD, want, 1e-9) {
			t.Errorf("%d moves of 1 USD: %v USD, in all %v, without them %v", paid[i].Moves, paid[i].CostTransferUSD, paid[i].CostUSD, free[i].CostUSD)
		}
		if *paid[i].FinishS != *free[i].FinishS {
			t.Errorf("moves without time: finish %v, without moves %v", *paid[i].FinishS, *free[i].FinishS)
		}
		if slow[i].CostTransferUSD != 0 || slow[i].Moves > 0 && slow[i].RestoringH+slow[i].ReconfiguringH <= free[i].RestoringH+free[i].ReconfiguringH {
			t.Errorf("moves of 100 s: %d, %v USD, %v h stopped, without them %v", slow[i].Moves, slow[i].CostTransferUSD,
				slow[i].RestoringH+slow[i].ReconfiguringH, free[i].RestoringH+free[i].ReconfiguringH)
		}
		if own[i].Moves > 0 && own[i].CostTransferUSD < float64(own[i].Moves)*50*0.02-1e-9 {
			t.Errorf("%d moves by a table: %v USD", own[i].Moves, own[i].CostTransferUSD)
		}
		moves += paid[i].Moves
	}
	if moves == 0 {
		t.Error("nothing moved")
	}
}

func TestBadMoves(t *testing.T) {
	for moves, want := range map[string]string{
		"{usd_per_gb: 1}": "gb is missing", "{gb: 1}": "expected one of tariff, usd_per_gb and by_tier; none is given",
		"{gb: 1, usd_per_gb: 1, tariff: aws-2025}": "not tariff and usd_per_gb",
		"{gb: -1, usd_per_gb: 1}":                  "expected more than 0", "{gb: 1, usd_per_gb: .nan}": "", "{gb: 1, tariff: none.csv}": "tiers-2020",
		"{gb: 1, tariff: bad.csv}": "no row from", "{gb: 1, tariff: aws-2025}": "aws-2025 has no price", "{gb: 1, usd_per_gb: 1, gb_per_s: -2}": "gb_per_s",
	} {
		if _, err := movesStudy(t, moves); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "moves") {
			t.Errorf("%s: %v, expected %q", moves, err, want)
		}
	}
}
