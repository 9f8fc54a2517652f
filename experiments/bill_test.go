package experiments_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// Disks are paid for as long as instances are held, and tax is on all the rest; nothing
// else changes.
func TestDisksAndTax(t *testing.T) {
	check := near.Count(t)
	rows := map[string]float64{}
	for _, billing := range []string{"{}", "{disk_gb: 100, disk_usd_per_gb_month: 0.08, tax: 0.19}"} {
		path := filepath.Join(t.TempDir(), "bill.yaml")
		if err := os.WriteFile(path, []byte(threeRegions+"  billing: "+billing+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		row, err := study.Worker().Run(experiments.Case{Policy: 1, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		if err := row.Check(); err != nil {
			t.Error(err)
		}
		rows[billing] = row.CostUSD - row.CostDisksUSD - row.CostTaxUSD
		disks, tax := 0.0, 0.0
		if billing != "{}" {
			disks = row.InstanceH * 100 * 0.08 / 730
			tax = 0.19 * (rows[billing] + disks)
		}
		if check.Off(row.CostDisksUSD, disks, 1e-9) || check.Off(row.CostTaxUSD, tax, 1e-9) {
			t.Errorf("%s: disks %v, tax %v, want %v, %v", billing, row.CostDisksUSD, row.CostTaxUSD, disks, tax)
		}
		if rows["{}"] != 0 && check.Off(rows[billing], rows["{}"], 1e-9) {
			t.Errorf("the rest changes: %v", rows)
		}
	}
	for _, bad := range []string{"{tax: 2}", "{disk_gb: -1}"} {
		path := filepath.Join(t.TempDir(), "bill.yaml")
		if err := os.WriteFile(path, []byte(threeRegions+"  billing: "+bad+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := spec.Open(path); err == nil || !strings.Contains(err.Error(), "market.billing") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
