package reference

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/traces"
)

// published returns the prices of a region of AWS and Azure's, of the pulled sets.
func published(t testing.TB, region string) *Market {
	t.Helper()
	azure := pulled.Set(t, "dime-azure-prices")
	prices := ofAWS(t, pulled.Set(t, "dime-aws-spot-prices"), region)
	for _, r := range azure.Prices {
		p := azure.Pools[r.PoolID]
		place, _, _ := strings.Cut(p.Name, "/")
		prices = append(prices, Price{Instance{Azure, place, strings.ToLower(p.GPUType), int(p.GPUCount)}, time.UnixMicro(r.T).UTC(), traces.USD(r.PriceNanoUSD)})
	}
	return marketOf(t, prices)
}

func marketOf(t testing.TB, prices []Price) *Market {
	t.Helper()
	m, err := NewMarket(prices)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ofAWS returns the prices of a region.
func ofAWS(t testing.TB, aws *traces.Set, region string) (prices []Price) {
	t.Helper()
	for _, r := range aws.Prices {
		p := aws.Pools[r.PoolID]
		for i, typ := range []string{"p2.xlarge", "p2.8xlarge", "p2.16xlarge", "p3.2xlarge", "p3.8xlarge", "p3.16xlarge"} {
			if typ == p.InstanceType && p.Region == region {
				k := kinds[i]
				k.Place = p.Zone
				prices = append(prices, Price{k, time.UnixMicro(r.T).UTC(), traces.USD(r.PriceNanoUSD)})
			}
		}
	}
	return prices
}

// speeds returns the published speeds by job, named as the notebook does.
func speeds(t testing.TB) map[string]Speeds {
	t.Helper()
	jobs := map[string]Speeds{}
	for _, r := range testutil.Rows(t, "papers/dynamic-pricing/testdata/dime_throughputs.csv") {
		name := r["model"]
		if r["batch_size_per_gpu"] != "" {
			name += " (batch size " + r["batch_size_per_gpu"] + ")"
		}
		if jobs[name] == nil {
			jobs[name] = Speeds{}
		}
		if r["n_gpus"] == "1" {
			jobs[name][r["gpu_type"]] = testutil.Number(t, r["steps_per_s"])
		}
	}
	return jobs
}

func named(t testing.TB, name string) *Strategy {
	t.Helper()
	for _, s := range Strategies() {
		if s.Name == name {
			return &s
		}
	}
	t.Fatal("no strategy ", name)
	return nil
}

// Every run of the public code: baseline and preemption exactly; of the others 222 differ,
// where two pages of one day say different things and the order of the files decides.
func TestRuns(t *testing.T) {
	const table = "papers/dynamic-pricing/testdata/dime_cost_runs.csv"
	clouds := func(r map[string]string) bool { return r["strategy"] == "multi_cloud" || r["strategy"] == "preemption" }
	t.Run("AWS alone", func(t *testing.T) {
		rows := testutil.Part(t, table, "aws", func(r map[string]string) bool { return !clouds(r) && r["strategy"] != "baseline_worst" }) // a slip of the notebook
		aws := pulled.Set(t, "dime-aws-spot-prices-us")
		off := compareRuns(t, rows, func(region string) *Market { return marketOf(t, ofAWS(t, aws, region)) })
		if off["baseline"] != 0 || off["gpu_type"]+off["packed"] != 199 {
			t.Errorf("%v runs differ", off)
		}
	})
	t.Run("with Azure", func(t *testing.T) {
		off := compareRuns(t, testutil.Part(t, table, "clouds", clouds), func(region string) *Market { return published(t, region) })
		if off["preemption"] != 0 || off["multi_cloud"] != 23 {
			t.Errorf("%v runs differ", off)
		}
	})
}

// compareRuns returns by strategy how many costs are not those of the rows, none by more than 0.2 %.
func compareRuns(t *testing.T, rows []map[string]string, market func(region string) *Market) (off map[string]int) {
	check := near.Count(t)
	markets, jobs := map[string]*Market{}, speeds(t)
	off = map[string]int{}
	for _, r := range rows {
		region, strategy := r["aws_region"], r["strategy"]
		if markets[region] == nil {
			markets[region] = market(region)
		}
		job := Job{jobs[r["model"]], testutil.Number(t, r["v100_days_of_work"])}
		got, err := markets[region].Run(named(t, strategy), &job, int(testutil.Number(t, r["start_index_0_29"])))
		if err != nil {
			t.Fatal(err)
		}
		want := testutil.Number(t, r["cost_usd"])
		if check.Off(got.CostUSD, want, 1e-6) {
			off[strategy]++
			if worst := math.Abs(got.CostUSD/want - 1); check.Above(worst, 0.002) {
				t.Errorf("%v: %v USD", r, got.CostUSD)
			}
		}
	}
	return off
}

// Other regions and sizes of jobs, by another program with the same rules.
func TestRegions(t *testing.T) {
	check := near.Count(t)
	markets, jobs := map[string]*Market{}, speeds(t)
	for _, r := range testutil.Rows(t, "papers/dynamic-pricing/testdata/dime_regions.csv") {
		region := r["aws_region"]
		if markets[region] == nil {
			markets[region] = published(t, region)
		}
		job := Job{jobs[r["model"]], testutil.Number(t, r["v100_days_of_work"])}
		smallest, largest, sum, seventh := math.Inf(1), 0.0, 0.0, 0.0
		for k := range 30 {
			got, err := markets[region].Run(named(t, r["strategy"]), &job, k)
			if err != nil {
				t.Fatal(err)
			}
			smallest, largest, sum = min(smallest, got.CostUSD), max(largest, got.CostUSD), sum+got.CostUSD
			if k == 7 {
				seventh = got.CostUSD
			}
		}
		for column, x := range map[string]float64{"mean_cost_usd": sum / 30, "min_cost_usd": smallest, "max_cost_usd": largest, "cost_usd_of_start_7": seventh} {
			if want := testutil.Number(t, r[column]); check.Off(x, want, 1e-6) {
				t.Errorf("%v: %s %v", r, column, x)
			}
		}
	}
}

// Six jobs day by day.
func TestDays(t *testing.T) {
	check := near.Count(t)
	markets, jobs := map[string]*Market{}, speeds(t)
	for _, r := range testutil.Rows(t, "papers/dynamic-pricing/testdata/dime_days.csv") {
		region := r["aws_region"]
		if markets[region] == nil {
			markets[region] = published(t, region)
		}
		job := Job{jobs[r["model"]], testutil.Number(t, r["v100_days_of_work"])}
		got, err := markets[region].Run(named(t, r["strategy"]), &job, int(testutil.Number(t, r["start_index"])))
		if err != nil {
			t.Fatal(err)
		}
		k := int(testutil.Number(t, r["day"]))
		if k >= len(got.Days) {
			t.Errorf("%v: %d days", r, len(got.Days))
			continue
		}
		d := got.Days[k]
		if d.Date != r["date"] || d.Cloud != r["cloud"] || d.Place != r["zone"] || float64(d.GPUs) != testutil.Number(t, r["gpus"]) ||
			check.Off(d.USDPerH, testutil.Number(t, r["usd_per_instance_hour"]), 1e-9) ||
			check.Off(d.DoneShare, testutil.Number(t, r["share_done_before"]), 1e-8) ||
			check.Off(d.PaidUSD, testutil.Number(t, r["usd_before"]), 1e-6) || check.Off(got.CostUSD, testutil.Number(t, r["usd_of_job"]), 1e-6) {
			t.Errorf("%v: %+v of %v USD", r, d, got.CostUSD)
		}
	}
}
