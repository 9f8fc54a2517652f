package cmd

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/policies"
)

const writeReadme = "go test ./cmd -run TestDocumentsRecorded -update"

// The tables of README are what the program prints today, and -update writes them.
func TestDocumentsRecorded(t *testing.T) {
	pulled.Dir(t, "skynomad-aws-v100")
	text := readPage(t, "README.md")
	was := regexp.MustCompile("(?s)\\$ marigram run recorded --pull --policy (\\S+) --bound.*?\n```").FindStringSubmatch(text)
	if was == nil {
		t.Fatal("README has no table of recorded machines")
	}
	compared := slices.DeleteFunc(strings.Split(was[1], ","), func(name string) bool {
		_, err := policies.New(name)
		return err != nil
	})
	code, stdout, stderr := marigram("run", "recorded", "--bound", "--policy", strings.Join(compared, ","))
	if code != 0 {
		t.Fatal(code, stderr)
	}
	printed, _, _ := strings.Cut(stdout, "\n\n")
	if *testutil.UpdateGolden {
		writeInPage(t, "README.md", was[0], "$ marigram run recorded --pull --policy "+strings.Join(compared, ",")+" --bound --out out\n"+printed+"\n```")
	}
	shown := map[string]bool{}
	for _, line := range strings.Split(was[0], "\n") {
		shown[plainRow(line)] = true
	}
	for _, line := range strings.Split(printed, "\n") {
		if !shown[plainRow(line)] && !*testutil.UpdateGolden {
			t.Errorf("README lacks %q: %s", line, writeReadme)
		}
	}
	code, stdout, stderr = marigram("run", "recorded", "-s", "market.replay.adapter=launch_only", "-s", "market.replay.scale=8",
		"-s", "market.replay.lifetime={distribution: exponential, mean_h: 5}")
	if code != 0 || strings.Count(stdout, " 100/100 ") != 4 || !strings.Contains(stdout, " 14.89") || !strings.Contains(stdout, " 14.99 ") {
		t.Errorf("%d %s\n%s", code, stderr, stdout)
	}
}

// plainRow is a row of a table without the marks and widths that depend on the other rows.
func plainRow(line string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(line, "*", "")), " ")
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeInPage replaces a part of a page.
func writeInPage(t *testing.T, page, was, is string) {
	t.Helper()
	if err := os.WriteFile(page, []byte(strings.Replace(readPage(t, page), was, is, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ofZone is what the runs of a policy in a zone come to.
type ofZone struct {
	usd, late intervals.Tally
	ceiling   results.Ceiling
}

// zonesPage has the table of zones.
const zonesPage = "papers/ours/policies/README.md"

// The table of zones one by one is what papers/ours/policies/zones.yaml gives today, and -update writes it.
func TestDocumentsRecordedZones(t *testing.T) {
	pulled.Dir(t, "skynomad-aws-v100-availability")
	dir := t.TempDir()
	if code, _, stderr := marigram("sweep", "papers/ours/policies/zones.yaml", "--out", dir); code != 0 {
		t.Fatal(code, stderr)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "plan=*", "*.parquet"))
	if err != nil || parts == nil {
		t.Fatal(parts, err)
	}
	slices.Sort(parts)
	shown := []string{"ondemand", "reactive", "spotdnn", "skynomad", "spotdnn-safe", "mdp"}
	all := map[string]map[string]*ofZone{"all six": {}} // by zone and policy
	usd := map[string]map[intervals.Unit]float64{}      // by policy
	var zones []string
	var units []intervals.Unit
	for _, part := range parts {
		rows, _, err := results.ReadPart(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			row := &rows[i].Summary
			zone, _, _ := strings.Cut(strings.SplitN(rows[i].Parameters, `"pool":"`, 2)[1], "/")
			if all[zone] == nil {
				all[zone] = map[string]*ofZone{}
				zones = append(zones, zone)
			}
			unit := intervals.Unit{StartS: row.StartS, Cell: int(rows[i].Cell)}
			for _, where := range []string{zone, "all six"} {
				of := all[where][row.Policy]
				if of == nil {
					of = &ofZone{}
					all[where][row.Policy] = of
				}
				of.usd.Add(unit, row.CostUSD)
				of.late.AddHit(unit, !row.Met)
				of.ceiling.Add(row)
			}
			if usd[row.Policy] == nil {
				usd[row.Policy] = map[intervals.Unit]float64{}
			}
			usd[row.Policy][unit] = row.CostUSD
			if row.Policy == "mdp" {
				units = append(units, unit)
			}
		}
	}
	slices.Sort(zones)
	var b strings.Builder
	fmt.Fprintf(&b, "| zone, 42 starts | %s | bound |\n|---|%s\n", strings.Join(quoted(shown), " | "), strings.Repeat("--:|", len(shown)+1))
	for _, zone := range append(zones, "all six") {
		fmt.Fprintf(&b, "| %s |", zone)
		for _, policy := range shown {
			of := all[zone][policy]
			fmt.Fprintf(&b, " %.2f", of.usd.Mean())
			if late := math.Round(of.late.Mean() * float64(of.late.Units())); late > 0 {
				fmt.Fprintf(&b, ", late %.0f", late)
			}
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " %.2f |\n", *all[zone]["mdp"].ceiling.USD)
	}
	b.WriteString("| late, exact 95 % interval |")
	for _, policy := range shown {
		ci := all["all six"][policy].late.ExactShare()
		fmt.Fprintf(&b, " %.1f to %.1f %% |", 100*ci.Low, 100*ci.High)
	}
	b.WriteString(" |\n| USD more than `mdp`, 95 % interval |")
	for _, policy := range shown {
		var more intervals.Tally
		for _, unit := range units {
			more.Add(unit, usd[policy][unit]-usd["mdp"][unit])
		}
		switch ci := more.MeanInterval(); {
		case all["all six"][policy].late.Mean() > 0:
			b.WriteString(" late |")
		case policy == "mdp":
			b.WriteString(" |")
		default:
			fmt.Fprintf(&b, " %+.2f to %+.2f |", ci.Low, ci.High)
		}
	}
	b.WriteString(" |\n")
	const begin = "<!-- zones: " + writeReadme + " -->\n"
	_, after, has := strings.Cut(readPage(t, zonesPage), begin)
	was, _, ends := strings.Cut(after, "<!-- end of zones -->")
	if !has || !ends {
		t.Fatalf("%s has no %q", zonesPage, begin)
	}
	if *testutil.UpdateGolden {
		writeInPage(t, zonesPage, begin+was, begin+b.String())
	} else if was != b.String() {
		t.Errorf("%s has\n%s\nbut it is\n%s\n%s", zonesPage, was, b.String(), writeReadme)
	}
}

func quoted(names []string) (out []string) {
	for _, name := range names {
		out = append(out, "`"+name+"`")
	}
	return out
}

// Without the set the error has the one command.
func TestRecordedWithoutTheSet(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	code, _, stderr := marigram("run", "recorded")
	if code != 2 || !strings.Contains(stderr, "skynomad-aws-v100 is not pulled; add --pull to marigram run, or: marigram traces pull skynomad-aws-v100") {
		t.Errorf("%d %s", code, stderr)
	}
}
