package truth_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/experiments/backtest/truth"
	"github.com/marigram/marigram/traces/ownruns"
)

var fits = flag.Int("fits", 0, "TestTable: fits of each format; the table of docs/backtest.md has 200")

// throughCSV writes a run as the plain CSV and reads it back.
func throughCSV(dir string) truth.Through {
	return func(r *ownruns.Run) (*ownruns.Run, error) {
		path := filepath.Join(dir, "run.csv")
		out, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		defer out.Close()
		if err := ownruns.WriteCSV(out, r); err != nil {
			return nil, err
		}
		return ownruns.ReadCSV(path)
	}
}

// TestTable prints how often the truth is found again, by the format that the runs went through. It runs where -fits is given.
func TestTable(t *testing.T) {
	if *fits == 0 {
		t.Skip("without -fits")
	}
	for _, format := range []struct {
		name    string
		through truth.Through
	}{{"none", nil}, {"csv", throughCSV(t.TempDir())}} {
		u := truth.Usual()
		f, err := u.Find(context.Background(), *fits, 8, format.through, backtest.Options{Draws: 400})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Parameters {
			fmt.Printf("%s,%s,%.4g,%.4g,%d,%.3f\n", format.name, p.Name, p.Truth, p.Mean, p.Fits, float64(p.Inside)/float64(max(p.Fits, 1)))
		}
		of50, of90 := f.Finish.Coverage()
		fmt.Printf("%s,all parameters,,,,%.3f\n%s,finish,,,%d,%.3f,%.3f,median error %.4f\n", format.name, f.Inside(), format.name, f.Finish.Runs, of50, of90, f.Finish.Median)
		of50, of90 = f.USD.Coverage()
		fmt.Printf("%s,usd,,,%d,%.3f,%.3f,median error %.4f\n", format.name, f.USD.Runs, of50, of90, f.USD.Median)
	}
}
