package adrs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// The tables of what the published evaluators gave for published programs, and where their texts are looked for: they
// are others', and no part of marigram. A folder may hold checkouts of the repositories that testdata/SOURCE names, or the
// programs in files of their own.
const (
	programsTable = "papers/adrs/testdata/programs.csv"
	casesTable    = "papers/adrs/testdata/cases.csv"
	programsEnv   = "MARIGRAM_ADRS_PROGRAMS"
	programsDir   = "adrs-programs" // in the cache, below marigram/files
)

// unseeded is a program of many zones that draws without a seed: its recorded costs cannot come again.
const unseeded = "b0292388"

// The published programs give what the published evaluators gave: costs within 1e-9 USD, ticks exact, and scores to the
// last digit where the evaluator adds in a fixed order. Three programs of each problem are compared, all with -args -full.
func TestRecordedPrograms(t *testing.T) {
	wanted := recordedPrograms(t)
	texts, err := publishedTexts(t, wanted)
	if err != nil {
		testutil.Table(t, casesTable)
		t.Attr(testutil.AttrMissing, programsDir)
		t.Skip(err)
	}
	testutil.Python(t)
	pulled.Dir(t, setName)
	archive, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	contests := map[string]*contest{"single": {name: "adrs"}, "multi": {name: "adrs-zones"}}
	if contests["single"].cases, err = archive.oneZone(); err != nil {
		t.Fatal(err)
	}
	if contests["multi"].cases, err = archive.manyZones(); err != nil {
		t.Fatal(err)
	}
	chosen := map[string]bool{}
	count := map[string]int{}
	for _, sum := range slices.Sorted(maps.Keys(texts)) {
		problem := wanted[sum][0]["problem"]
		if count[problem] < testutil.Size(3, len(wanted)) {
			count[problem]++
			chosen[sum] = true
		}
	}
	rows := map[string][]map[string]string{}
	for _, row := range testutil.Part(t, casesTable, "here", func(row map[string]string) bool {
		return chosen[row["full_sha256"]] && !strings.HasPrefix(row["full_sha256"], unseeded)
	}) {
		rows[row["full_sha256"]] = append(rows[row["full_sha256"]], row)
	}
	for _, sum := range slices.Sorted(maps.Keys(chosen)) {
		runs := wanted[sum]
		t.Run(runs[0]["problem"]+"/"+sum[:8], func(t *testing.T) {
			compareProgram(t, contests[runs[0]["problem"]], texts[sum], runs, rows[sum])
		})
	}
	t.Logf("%d of %d recorded programs are here, compared are %v; all with -args -full", len(texts), len(wanted), count)
}

// recordedPrograms are the rows of programs by the SHA-256 of their texts.
func recordedPrograms(t *testing.T) map[string][]map[string]string {
	t.Helper()
	wanted := map[string][]map[string]string{}
	for _, row := range testutil.Rows(t, programsTable) {
		wanted[row["full_sha256"]] = append(wanted[row["full_sha256"]], row)
	}
	return wanted
}

// compareProgram judges a program as marigram judge does, and compares it with its recorded scores and costs.
func compareProgram(t *testing.T, c *contest, text string, runs, rows []map[string]string) {
	c.ctx = t.Context()
	c.opt = judge.Options{Sandbox: sandboxed() == nil}
	s := standing(t, c, text)
	if s.Failed != "" {
		t.Fatal(s.Failed)
	}
	if random := strings.HasPrefix(runs[0]["full_sha256"], unseeded); random || s.Doubt != "" {
		if !random || !strings.Contains(s.Doubt, "randomness without a seed") {
			t.Errorf("doubt: %q", s.Doubt)
		}
		return
	}
	nears := near.Count(t)
	for _, run := range runs {
		scored := testutil.Number(t, run["score"])
		if run["form"] == "levi" && s.Score != scored {
			t.Errorf("score %v, expected %v to the last digit", s.Score, scored)
		}
		nears.Abs(run["form"]+": mean cost", meanUSD(c, s, run["form"]), testutil.Number(t, run["mean_usd"]), 1e-9)
		nears.Abs("mean as billed", s.Summary.BilledUSD, testutil.Number(t, run["mean_billed_where_it_ran_usd"]), 1e-9)
		if got := strconv.Itoa(s.Summary.Late); got != run["late_cases"] || int(s.Summary.LateMaxS) != whole(t, run["max_late_s"]) {
			t.Errorf("%s runs late, by at most %v s, expected %s and %s", got, s.Summary.LateMaxS, run["late_cases"], run["max_late_s"])
		}
	}
	for _, row := range rows {
		at := slices.IndexFunc(s.Cases, func(x CaseOutcome) bool { return x.Case == row["case"] })
		if at < 0 {
			t.Fatal("no case ", row["case"])
		}
		compareCase(t, nears, s.Form, s.Cases[at], row)
	}
}

// meanUSD is the mean of the costs by the rules of the evaluator that recorded it.
func meanUSD(c *contest, s Standing, form string) float64 {
	return c.mean(c.cases, func(i int) float64 {
		if strings.Contains(form, "leaderboard") {
			return s.Cases[i].LeaderboardUSD
		}
		return s.Cases[i].LEVIUSD
	}, anyCase)
}

// compareCase compares a run with its recorded row.
func compareCase(t *testing.T, nears *near.Counter, form string, got CaseOutcome, row map[string]string) {
	cost := got.LEVIUSD
	if form == "class" && strings.Count(got.Case, "/") == 1 { // many zones: by the leaderboard's simulator
		cost = got.LeaderboardUSD
	}
	nears.Abs(got.Case, cost, testutil.Number(t, row["cost_usd"]), 1e-9)
	if billed := row["billed_where_it_ran_usd"]; billed != "" {
		nears.Abs(got.Case+" as billed", got.RanUSD, testutil.Number(t, billed), 1e-9)
	}
	exact := map[string]int{
		"done_tick":   got.DoneTick,
		"late_s":      int(got.LateS),
		"spot_ticks":  got.SpotTicks,
		"od_ticks":    got.OnDemandTicks,
		"launches":    got.Launches,
		"preemptions": got.Preemptions,
		"moves":       got.Moves,
	}
	for column, n := range exact {
		if row[column] != "" && whole(t, row[column]) != n {
			t.Errorf("%s: %s is %d, expected %s", got.Case, column, n, row[column])
		}
	}
}

func whole(t *testing.T, cell string) int {
	t.Helper()
	x := testutil.Number(t, cell)
	if x != math.Trunc(x) {
		t.Fatalf("%s, expected a whole number", cell)
	}
	return int(x)
}

// publishedTexts finds programs by the SHA-256 of their texts, in the folder of programsEnv or in the cache. The error says
// why there are none.
func publishedTexts(t *testing.T, wanted map[string][]map[string]string) (map[string]string, error) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := cmp.Or(os.Getenv(programsEnv), filepath.Join(cache, "marigram", "files", programsDir))
	texts := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if name := entry.Name(); !strings.HasSuffix(name, ".py") && name != "result_snapshot.json" {
			return nil
		}
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, text := range textsOf(path, string(file)) {
			sum := sha256.Sum256([]byte(text))
			if name := hex.EncodeToString(sum[:]); wanted[name] != nil {
				texts[name] = text
			}
		}
		return nil
	})
	if err != nil || len(texts) == 0 {
		return nil, fmt.Errorf("no published program is in %s (%w): no command gets them; testdata/SOURCE says what to check out, "+
			"and %s may name the folder", dir, err, programsEnv)
	}
	return texts, nil
}

// seedProgram is the text in quotes from which LEVI's search began.
var seedProgram = regexp.MustCompile(`(?s)\nSEED_PROGRAM = '''(.*?)'''`)

// textsOf returns the programs that a file may hold: itself, what is before the class that the leaderboard adds, the
// start of LEVI's search, and the programs of LEVI's snapshot.
func textsOf(path, file string) (texts []string) {
	if strings.HasSuffix(path, ".json") {
		var snapshot struct{ Elites []struct{ Code string } }
		if json.Unmarshal([]byte(file), &snapshot) != nil {
			return nil // of another problem
		}
		for _, elite := range snapshot.Elites {
			texts = append(texts, elite.Code)
		}
		return texts
	}
	texts = append(texts, file)
	if before, _, is := strings.Cut(file, "\nclass Solution:"); is {
		texts = append(texts, before)
	}
	if seed := seedProgram.FindStringSubmatch(file); seed != nil {
		texts = append(texts, seed[1])
	}
	return texts
}
