package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

const duckdb = "@duckdb/node-api@1.5.6-r.1"

// duck runs SQL statements in DuckDB, another reader of Parquet than ours, and
// returns the rows of each. It skips, saying why, where DuckDB cannot be had.
func duck(t *testing.T, sql ...string) [][]map[string]any {
	t.Helper()
	dir := kept(t, "duckdb", "node_modules/@duckdb/node-api/package.json", func(dir string) *exec.Cmd {
		return exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", dir, duckdb)
	})
	text, err := os.ReadFile("cmd/testdata/duckdb/query.mjs")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.CreateTemp(dir, "query-*.mjs") // beside the modules that it imports; other tests have theirs
	if err != nil {
		t.Skip("no DuckDB:", err)
	}
	defer os.Remove(script.Name())
	if _, err := script.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := script.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", append([]string{script.Name()}, sql...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("DuckDB: %v\n%s", err, stderr.String())
	}
	var all [][]map[string]any
	for line := range strings.Lines(string(out)) {
		var rows []map[string]any
		if err := json.Unmarshal([]byte(line), &rows); err != nil {
			t.Fatal(err)
		}
		all = append(all, rows)
	}
	return all
}

// DuckDB reads what run and traces import write, and a query of the documents
// means the same there.
func TestProgramsDuckDB(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: DuckDB is another program")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if code, _, stderr := marigram("run", "quickstart", "--seeds", "5", "--no-plots", "--out", out); code != 0 {
		t.Fatal(stderr)
	}
	set, err := results.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	prices := filepath.Join(dir, "prices.json")
	write(t, prices, `{"SpotPriceHistory": [
	{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX",
	"SpotPrice": "1.200001", "Timestamp": "2020-02-21T00:00:00+00:00"},
	{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX",
	"SpotPrice": "1.000000", "Timestamp": "2020-02-20T12:00:00.000Z"}]}`)
	if code, _, stderr := marigram("traces", "import", prices, "--out", filepath.Join(dir, "trace")); code != 0 {
		t.Fatal(stderr)
	}
	table := func(name string) string { return "'" + filepath.Join(out, name) + "'" }
	rows := duck(t,
		"SELECT objective, policy, avg(cost_usd) usd, avg(met::int) met FROM "+table("summary.parquet")+
			" GROUP BY ALL ORDER BY ALL",
		"SELECT count(*)::int n, count(capacity)::int limited, "+
			"sum((ready+starting+noticed)*price_usd_per_h*(t_end_s-t_start_s)/3600) usd FROM "+table("spans.parquet"),
		"SELECT count(*)::int n FROM "+table("decisions.parquet"),
		"SELECT name, zone, epoch_us(t)::varchar t, price_nanousd_per_hour::varchar nano FROM '"+
			filepath.Join(dir, "trace", "prices.parquet")+"' JOIN '"+filepath.Join(dir, "trace", "pools.parquet")+
			"' USING (pool_id) ORDER BY t")
	sums := map[string]float64{}
	held, limited := 0.0, 0
	for _, r := range set.Summaries {
		sums[r.Objective+r.Policy] += r.CostUSD / 5
		if r.Seed == 1 {
			held += r.CostSpotUSD + r.CostOnDemandUSD
		}
	}
	for _, r := range rows[0] {
		if got, want := r["usd"].(float64), sums[fmt.Sprint(r["objective"], r["policy"])]; got-want > 1e-9 ||
			want-got > 1e-9 {
			t.Errorf("%v: mean cost %v, ours %v", r, got, want)
		}
	}
	for _, s := range set.Spans {
		if s.Capacity != nil {
			limited++
		}
	}
	spans := rows[1][0]
	if len(rows[0]) != 8 || spans["n"].(float64) != float64(len(set.Spans)) ||
		spans["limited"].(float64) != float64(limited) {
		t.Errorf("%d groups, spans %v, ours %d with %d limited", len(rows[0]), spans, len(set.Spans), limited)
	}
	if usd := spans["usd"].(float64); usd-held > 1e-6 || held-usd > 1e-6 {
		t.Errorf("the spans of seed 1 cost %v, its summaries say %v", usd, held)
	}
	if n := rows[2][0]["n"].(float64); n != float64(len(set.Decisions)) {
		t.Errorf("%v decisions, ours %d", n, len(set.Decisions))
	}
	if p := rows[3]; len(p) != 2 || p[1]["nano"] != "1200001000" || p[0]["t"] != "1582200000000000" ||
		p[0]["zone"] != "us-east-1a" {
		t.Errorf("prices: %v", p)
	}
}

// DuckDB reads every table of the neutral form: the example of every format,
// imported, has as many rows there as its manifest says.
func TestProgramsDuckDBReadsEveryTable(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: DuckDB is another program")
	}
	var sql, what []string
	var want []int
	tables := map[string]bool{}
	for _, f := range formats.Formats(formats.Market, formats.Jobs) {
		dir := t.TempDir()
		file := filepath.Join(dir, "example")
		write(t, file, f.Example)
		set, _, err := formats.Import(f.Name, []string{file},
			traces.Options{Polarity: traces.OneIsAvailable, Start: time.Unix(1e9, 0)})
		if err != nil {
			t.Fatalf("the example of %s: %v", f.Name, err)
		}
		if err := set.Write(filepath.Join(dir, "trace")); err != nil {
			t.Fatal(err)
		}
		r := set.Manifest.Rows
		for table, n := range map[string]int{"pools": r.Pools, "prices": r.Prices, "capacity": r.Capacity, "probes": r.Probes,
			"instance_events": r.InstanceEvents, "jobs": r.Jobs, "gaps": r.Gaps} {
			if n == 0 {
				continue
			}
			tables[table] = true
			sql = append(sql, "SELECT count(COLUMNS(*)), count(*)::int n FROM '"+filepath.Join(dir, "trace", table+".parquet")+
				"'")
			what, want = append(what, f.Name+": "+table), append(want, n)
		}
	}
	if len(tables) < 6 { // no example has gaps
		t.Errorf("the examples have rows in %v only", tables)
	}
	for i, rows := range duck(t, sql...) {
		if n := rows[0]["n"].(float64); n != float64(want[i]) {
			t.Errorf("%s: DuckDB counts %v rows, the manifest %d", what[i], n, want[i])
		}
	}
}

// Queries beside that of docs/sweeps.md: differences between the policies of a pair, and the speed of each machine.
const (
	sqlDifferences = `SELECT a.cell::int AS cell, a.objective, a.policy, count(*)::int AS pairs,
avg(a.cost_usd - b.cost_usd) AS less_reactive
FROM 'sweep/plan=*/part-*.parquet' a JOIN 'sweep/plan=*/part-*.parquet' b USING (cell, objective, start_s, seed)
WHERE b.policy = 'reactive' AND a.error = '' AND b.error = '' GROUP BY ALL ORDER BY ALL`
	sqlSpeeds = `SELECT host, sum(runs)::int AS runs, sum(wall_s) / sum(runs) AS s_a_run
FROM 'sweep/plan=*/timings/*.csv' GROUP BY ALL`
)

// DuckDB reads a sweep, by the query of docs/sweeps.md and by others, and says what compare says.
func TestProgramsDuckDBReadsSweeps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: DuckDB is another program")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "sweep")
	write(t, filepath.Join(dir, "notice.yaml"),
		"base: quickstart\nseeds: 12\nmatrix:\n  market.replay.notice_s: [30, 120]\n")
	if code, _, stderr := marigram("sweep", filepath.Join(dir, "notice.yaml"), "--out", out); code != 0 {
		t.Fatal(stderr)
	}
	page, err := os.ReadFile("docs/sweeps.md")
	if err != nil {
		t.Fatal(err)
	}
	var sql []string
	for _, block := range strings.Split(string(page), "```sql\n")[1:] {
		if query, _, _ := strings.Cut(block, ";\n```"); strings.Contains(query, "'sweep/") {
			sql = append(sql, query)
		}
	}
	if len(sql) != 1 {
		t.Fatalf("%d queries of sweeps in docs/sweeps.md, want 1", len(sql))
	}
	sql = append(sql, sqlDifferences, sqlSpeeds)
	for i, query := range sql {
		sql[i] = strings.ReplaceAll(query, "'sweep/", "'"+out+"/")
	}
	rows := duck(t, sql...)
	_, text, _ := marigram("compare", out, "--json")
	var want []sweep.Comparison
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != 16 || len(rows[0]) != 16 || len(rows[1]) != 16 {
		t.Fatalf("%d means and %d differences, compare has %d, expected 16: two cells, two objectives, four policies", len(rows[0]), len(rows[1]), len(want))
	}
	near := func(a any, b float64) bool { x := a.(float64); return x-b < 1e-9 && b-x < 1e-9 }
	for _, c := range want {
		found := 0
		for i := range rows[0] {
			mean, diff := rows[0][i], rows[1][i]
			if mean["objective"] == c.Objective && mean["policy"] == c.Policy &&
				strings.HasSuffix(c.Parameters, fmt.Sprintf(":%v}", mean["notice_s"])) &&
				near(mean["n"], 12) && near(mean["usd"], c.Value) && near(mean["met"], 1-c.Missed) {
				found++
			}
			notice := map[any]string{0.0: ":30}", 1.0: ":120}"}[diff["cell"]]
			if diff["objective"] == c.Objective && diff["policy"] == c.Policy && strings.HasSuffix(c.Parameters, notice) &&
				near(diff["pairs"], 12) && near(diff["less_reactive"], c.Diff) {
				found++
			}
		}
		if found != 2 {
			t.Errorf("compare says %+v, DuckDB %v and %v", c, rows[0], rows[1])
		}
	}
	if n := rows[2]; len(n) != 1 || n[0]["runs"].(float64) != 192 || !(n[0]["s_a_run"].(float64) > 0) {
		t.Errorf("timings %v, want 192 runs on one host", n)
	}
}
