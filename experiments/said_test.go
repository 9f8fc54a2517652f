package experiments

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/spec"
)

// saidCase is a spec that means something else than it seems to, and what is said
// of it.
type saidCase struct {
	name string
	// Lines of the spec: of the market's pools (one line each), of its other keys,
	// and of the policies.
	pools, market, policies string
	more                    string // one more trace
	study                   string // more keys of the study; seeds: 2 if absent
	pipelined               string // the model is pipelined: its recovery
	objective               string // keys of the objective; {time_s: 2400} and the loss if absent
	says                    string // empty: nothing is said
	refused                 bool   // as an error, else as a warning
}

// Nothing wrong is silent: what a spec cannot mean is refused, and what it hardly
// means is warned of, with the value.
func TestNothingWrongIsSilent(t *testing.T) {
	const (
		priced  = "type: x.large, quota: 1, prices: {trace: prices}"
		piped   = "type: x.large, quota: 4, prices: {trace: prices}, capacity: {trace: fours}"
		counted = priced + ", capacity: {trace: counts}"
	)
	for _, c := range []saidCase{
		{name: "plain", pools: counted},
		{name: "a bid below all prices", pools: priced, market: "replay: {adapter: bid, bid_usd_per_h: 0.01}",
			says: "z-1a/x.large: its price is never at or below the bid of 0.01 USD per hour (1 to 1.4): no instance is ever granted"},
		{name: "a bid without prices", pools: "type: x.large, quota: 1, prices: {trace: counts, usd_per_h: 1}, replay: {adapter: bid, bid_usd_per_h: 2}",
			says: "expected prices to compare the bid with", refused: true},
		{name: "binary_all without capacity", pools: priced, market: "replay: {adapter: binary_all}",
			says: "its replay has the adapter binary_all, which belongs to a record of capacity, but the pool has none", refused: true},
		{name: "per_event without capacity", pools: priced + ", replay: {adapter: per_event}",
			says: "its replay has the adapter per_event, which belongs to a record of capacity", refused: true},
		{name: "scale without capacity", pools: priced, market: "replay: {scale: 2}",
			says: "its replay has scale 2, which belongs to a record of capacity", refused: true},
		{name: "copies without capacity", pools: priced, market: "replay: {copies: 2}",
			says: "its replay has copies 2, which belongs to a record of capacity", refused: true},
		{name: "scale 0", pools: counted, market: "replay: {scale: 0}", says: "0, expected more than 0", refused: true},
		{name: "scale -0", pools: counted, market: "replay: {scale: -0.0}", says: "0, expected more than 0", refused: true},
		{name: "copies 0", pools: counted, market: "replay: {copies: 0}", says: "0, expected 1 to 1000", refused: true},
		{name: "a bid of 0", pools: counted, market: "replay: {adapter: bid, bid_usd_per_h: 0}",
			says: "bid_usd_per_h: 0, expected more than 0 and at most 10000", refused: true},
		{name: "prices of another type", pools: "type: x.large, quota: 1, prices: {trace: other}",
			says: "x.large: its prices are of another instance type: y.large, not x.large"},
		{name: "prices of another zone", pools: priced + ", zone: z-1b", says: "z-1b/x.large: its prices are of another zone: z-1a, not z-1b"},
		{name: "prices of another cloud", pools: priced + ", cloud: gcp", says: "its prices are of another cloud: aws, not gcp"},
		{name: "prices in cents", pools: "type: x.large, quota: 1, prices: {trace: dear}, on_demand_usd_per_h: 2",
			says: "spot prices (100 to 140 USD per hour) are 50 times on_demand_usd_per_h (2): are they in cents, or per month (730 hours)?"},
		{name: "spot for nothing", pools: "type: x.large, quota: 1, prices: {trace: free}, on_demand_usd_per_h: 2",
			says: "x.large: its spot price in the trace free is 0 USD per hour throughout: spot instances cost nothing"},
		{name: "spot for nothing, of a known type", pools: "type: p3.2xlarge, quota: 4, prices: {trace: gratis}",
			pipelined: "{restart_s: 50, save_s: 10}", says: "its spot price in the trace gratis is 0 USD per hour throughout"},
		{name: "spot above on demand", pools: priced + ", on_demand_usd_per_h: 0.9",
			says: "all spot prices (1 to 1.4 USD per hour) are above on_demand_usd_per_h (0.9): spot never saves money"},
		{name: "spot far below on demand", pools: priced + ", on_demand_usd_per_h: 730", says: "below a fiftieth of on_demand_usd_per_h (730)"},
		{name: "the price of a known type in cents", pools: "type: p3.2xlarge, quota: 4, prices: {trace: cents}", pipelined: "{restart_s: 50, save_s: 10}",
			says: "p3.2xlarge: the spot price (100 to 140 USD per hour) is 45.8 times the list price of p3.2xlarge on demand (3.06 USD per hour, aws, us-east-1)"},
		{name: "the price of a month", pools: "type: p3.2xlarge, quota: 4, prices: {trace: plain}, on_demand_usd_per_h: 2233.8",
			pipelined: "{restart_s: 50, save_s: 10}",
			says:      "p3.2xlarge: on_demand_usd_per_h (2233.8 USD per hour) is 730 times the list price of p3.2xlarge"},
		{name: "the price of a larger type", pools: "type: Standard_ND96asr_v4, quota: 4, prices: {trace: fours, usd_per_h: 1.3}, capacity: " +
			"{trace: fours}", pipelined: "{restart_s: 50, save_s: 10}",
			says: "the spot price (1.3 USD per hour) is 20.9 times less than the list price of Standard_ND96asr_v4 on demand (27.197 USD per hour, azure, eastus)"},
		{name: "a price as on the list", pools: "type: p3.2xlarge, quota: 4, prices: {trace: plain}, on_demand_usd_per_h: 3.06, capacity: {trace: fours}",
			pipelined: "{restart_s: 50, save_s: 10}"},
		{name: "one capacity for two zones", pools: counted + "\n" + counted + ", zone: z-1b",
			says: "z-1a/x.large, z-1b/x.large replay the same capacity (trace counts): its machines are counted 2 times"},
		{name: "a trace never used", pools: priced, more: "{name: counts, path: counts.csv, polarity: 1=available}", says: "no pool uses the trace counts"},
		{name: "a trace under two names", pools: counted, more: "{name: again, path: ./counts.csv, polarity: 1=available}",
			says: "traces counts and again are the same: both are ./counts.csv"},
		{name: "copies above the quota", pools: counted, market: "replay: {adapter: count_cap, copies: 2}",
			says: "copies is 2, but the quota is 1"},
		{name: "no capacity at all", pools: "type: x.large, quota: 1, prices: {trace: prices}, capacity: {trace: none}",
			says: "its capacity is 0 throughout: no instance is ever granted"},
		{name: "a notice that never comes", pools: counted, market: "replay: {notice_s: 60, notice_missing: 1}",
			says: "notice_s is 60, but notice_missing is 1: no notice ever comes"},
		{name: "a notice longer than the falls are apart", pools: "type: x.large, quota: 1, prices: {trace: prices}, capacity: {trace: flicker}",
			market: "replay: {notice_s: 600}", says: "the notice of 10m0s is longer than the time between two falls of the capacity (median 5m0s)"},
		{name: "an escape in a zone", pools: `type: x.large, quota: 1, prices: {trace: prices}, zone: "a\e[31m"`,
			says: `"a\x1b[31m", expected characters that can be printed`, refused: true},
		{name: "a newline in a trace's name", pools: priced, more: `{name: "a\nb", path: counts.csv}`,
			says: `"a\nb", expected characters that can be printed`, refused: true},
		{name: "more timelines than seeds", pools: counted, study: "timelines: 3", says: "timelines is 3, but the number of seeds is 1"},
		{name: "a share that means nothing", pools: counted, objective: "loss: 0.5, time_s: 2400, name: o, share: 0.001",
			says: "objective o: a share of 0.001 lets 0.999 of the runs miss it"},
		{name: "a deadline after the horizon", pools: counted, objective: "loss: 0.5, time_s: 9000, name: o",
			says: "objective o: horizon_s (7200) is before its deadline (9000 s): runs that are not done by then are cut, and count as late"},
		{name: "one record", pools: "type: x.large, quota: 1, prices: {trace: once}", more: "{name: once, path: once.json}",
			says: "all of the trace is of one instant, 2024-01-01T00:00:00Z: expected records that span the time of a run", refused: true},
		{name: "a pool that is not named", pools: "type: x.large, quota: 1, prices: {trace: two}", more: "{name: two, path: two.json}",
			says: "pool is missing: the trace has 2 pools: z-1a/x.large, z-1b/x.large", refused: true},
		{name: "storage without a price", pools: counted, market: "billing: {storage_gb: 10}", says: "storage_usd_per_gb_month is not set: storage is free"},
		{name: "a pipelined job", pools: piped, pipelined: "{restart_s: 50, save_s: 10}"},
		{name: "a restart that takes no time", pools: piped, pipelined: "{restart_s: 0, save_s: 10}"},
		{name: "a restart of which nothing is said", pools: piped, pipelined: "{save_s: 10}",
			says: "recovery.restart_s is absent: a restart takes no time (restart_s: 0 confirms it)"},
		{name: "redundant with restarts", pools: piped, pipelined: "{restart_s: 50, save_s: 10, redundant: 0.5}",
			says: "recovery.redundant is 0.5, but a loss restarts the job"},
		{name: "slowdown with restarts", pools: piped, pipelined: "{restart_s: 50, save_s: 10, slowdown: 2}",
			says: "recovery.slowdown is 2 and has no effect"},
		{name: "rule beside interval_s", pools: piped, pipelined: "{restart_s: 50, save_s: 10}",
			policies: "{name: checkpoint, settings: {rule: daly, interval_s: 600}}", says: "policy checkpoint: rule has no effect, because interval_s is 600"},
		{name: "a quota above the largest size", pools: strings.Replace(piped, "quota: 4", "quota: 9", 1), pipelined: "{restart_s: 50, save_s: 10}",
			says: "the largest layout of the throughput has 4 instances, but the quotas allow 9: the others never train"},
		{name: "instances that no pipeline can use", pools: strings.Replace(piped, "quota: 4", "quota: 3", 1), pipelined: "{restart_s: 50, save_s: 10}",
			says: "the quotas allow 3 instances, but at most 2 of them train (1 pipelines of 2 stages)"},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}

// A pool has of its replay what it says, and of the market's the rest.
func TestReplayByKey(t *testing.T) {
	for _, c := range []struct{ market, own, is string }{
		{"{adapter: binary_all, victim: newest}", "{notice_s: 60}", "binary_all(n=1,notice=60s,missing=0)"},
		{"{victim: newest, notice_missing: 0.5}", "{notice_s: 60}", "count_cap(victim=newest,notice=60s,missing=0.5)"},
		{"{notice_missing: 0.5, notice_s: 60}", "{notice_missing: 0, notice_s: 0}", "count_cap(victim=random,notice=0s,missing=0)"},
		{"{scale: 2, notice_s: 60}", "{adapter: binary_all}", "binary_all(n=1,notice=60s,missing=0)"},
		{"{scale: 2, notice_s: 60}", "{adapter: count_cap}", "count_cap(victim=random,scale=2,notice=60s,missing=0)"},
	} {
		study, err := openSaid(t, saidCase{pools: "type: x.large, quota: 1, prices: {trace: prices}, capacity: {trace: counts}, replay: " + c.own,
			market: "replay: " + c.market})
		if err != nil || !strings.HasSuffix(study.Markets.Replay, "by "+c.is) {
			t.Errorf("%s of the market, %s of the pool: %+v, %v, expected %s", c.market, c.own, study, err, c.is)
		}
	}
}

func openSaid(t *testing.T, c saidCase) (*Study, error) {
	t.Helper()
	dir, write := ownModel(t)
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	write("prices.json", pricePage(start, "x.large", 1, 1.4))
	write("dear.json", pricePage(start, "x.large", 100, 140))
	write("free.json", pricePage(start, "x.large", 0, 0))
	write("gratis.json", pricePage(start, "p3.2xlarge", 0, 0))
	write("once.json", onePrice("z-1a", start))
	write("two.json", onePrice("z-1a", start)+onePrice("z-1b", start.Add(time.Hour)))
	write("other.json", pricePage(start, "y.large", 1, 1.4))
	write("cents.json", pricePage(start, "p3.2xlarge", 100, 140))
	write("plain.json", pricePage(start, "p3.2xlarge", 1, 1.4))
	counts := strings.ReplaceAll(minutes(start, 2000), ",1\n", "Z,1\n") // without a zone there is something to say
	write("counts.csv", counts)
	write("steps.csv", "pipelines,stages,samples,step_s\n1,2,10,10\n2,2,10,5\n")
	write("fours.csv", strings.ReplaceAll(counts, ",1\n", ",4\n"))
	write("none.csv", strings.ReplaceAll(counts, ",1\n", ",0\n"))
	write("flicker.csv", strings.NewReplacer("0:00Z,1", "0:00Z,0", "5:00Z,1", "5:00Z,0").Replace(counts))
	var pools strings.Builder
	for line := range strings.Lines(c.pools) {
		fmt.Fprintf(&pools, "    - {%s}\n", strings.TrimSpace(line))
	}
	policies, objective := cmp.Or(c.policies, "{name: reactive}"), cmp.Or(c.objective, "loss: 0.5, time_s: 2400")
	model := "{profile: profile.csv, coefficients: coefficients.csv}"
	if c.pipelined != "" {
		policies, objective = cmp.Or(c.policies, "{name: checkpoint}"), "time_s: 7000"
		model = "{pipelined: {samples: 3000, throughput: {table: steps.csv}, recovery: " + c.pipelined + "}}"
	}
	write("spec.yaml", fmt.Sprintf(`name: x
horizon_s: 7200
%s
model: %s
objectives: [{%s}]
policies: [%s]
market:
  traces:
%s  %s
  pools:
%s`, c.study, model, objective, policies, tracesOf(c), c.market, pools.String()))
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		return nil, err
	}
	return NewStudy(s)
}

// tracesOf writes those that a case names.
func tracesOf(c saidCase) string {
	var out strings.Builder
	for _, name := range []string{"prices", "dear", "other", "cents", "plain", "free", "gratis"} {
		if strings.Contains(c.pools, "trace: "+name) {
			fmt.Fprintf(&out, "    - {name: %s, path: %s.json}\n", name, name)
		}
	}
	for _, name := range []string{"counts", "none", "flicker", "fours"} {
		if strings.Contains(c.pools, "trace: "+name) {
			fmt.Fprintf(&out, "    - {name: %s, path: %s.csv, polarity: 1=available}\n", name, name)
		}
	}
	if c.more != "" {
		fmt.Fprintf(&out, "    - %s\n", c.more)
	}
	return out.String()
}

// onePrice is a page of one price of a zone.
func onePrice(zone string, at time.Time) string {
	return fmt.Sprintf(`{"SpotPriceHistory": [{"AvailabilityZone": %q, "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", `+
		`"SpotPrice": "1.000000", "Timestamp": %q}]}`, zone, at.Format(time.RFC3339))
}

// pricePage is a page of the two prices of a zone, the second from an hour on for a
// day; the last first.
func pricePage(start time.Time, instance string, first, second float64) string {
	var rows []string
	for _, x := range []struct {
		usd   float64
		hours int
	}{{second, 25}, {second, 1}, {first, 0}} {
		at := start.Add(time.Duration(x.hours) * time.Hour).Format("2006-01-02T15:04:05.000Z")
		rows = append(rows, fmt.Sprintf(`{"AvailabilityZone": "z-1a", "InstanceType": %q, "ProductDescription": "Linux/UNIX", "SpotPrice": "%.6f", "Timestamp": %q}`,
			instance, x.usd, at))
	}
	return `{"SpotPriceHistory": [` + strings.Join(rows, ",\n") + `]}`
}

func (c saidCase) check(t *testing.T) {
	study, err := openSaid(t, c)
	said := fmt.Sprint(err)
	if err == nil {
		said = strings.Join(study.Warnings, "\n")
	}
	if (err != nil) != c.refused || !strings.Contains(said, c.says) || c.says == "" && said != "" {
		t.Errorf("said:\n%s\nexpected, refused %v:\n%s", said, c.refused, c.says)
	}
}
