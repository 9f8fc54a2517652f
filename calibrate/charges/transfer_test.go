package charges

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// What the public function of the tariff's authors gives, but for its slip above 10 TB of
// Google's, where it subtracts dollars in place of gigabytes.
func TestTiers(t *testing.T) {
	check := near.Count(t)
	for _, r := range testutil.Rows(t, "papers/transfers/testdata/transfer_costs.csv") {
		usd, err := TiersUSD(r["cloud"], Scope(r["scope"]), r["source_continent"], testutil.Number(t, r["gb"]))
		if err != nil || check.Off(usd, testutil.Number(t, r["usd"]), 1e-6) {
			t.Errorf("%v: %v USD, %v", r, usd, err)
		}
	}
}

// Each pair of regions of the price list.
func TestPairs(t *testing.T) {
	check := near.Count(t)
	tariff, _ := NamedTariff(AWS2025)
	for _, r := range testutil.Rows(t, "papers/transfers/testdata/transfer_aws_pairs_2025.csv") {
		from, to := Place{Cloud: "aws", Region: r["from_region"]}, Place{Cloud: "aws", Region: r["to_region"]}
		usd, err := tariff.USD(from, to, 500)
		if want := 500 * testutil.Number(t, r["price_usd_per_gb"]); err != nil || check.Off(usd, want, 1e-9) {
			t.Errorf("%v: %v USD, %v", r, usd, err)
		}
	}
}

func TestTariffs(t *testing.T) {
	check := near.Count(t)
	east, west := Place{"aws", "us-east-1", "us-east-1a"}, Place{"aws", "us-west-2", "us-west-2b"}
	next, google := Place{"aws", "us-east-1", "us-east-1c"}, Place{"gcp", "europe-west1", "europe-west1-c"}
	table, err := ReadTariffs("own.csv", strings.NewReader("from,to,usd_per_gb,gb_per_s\n*,*,0.05,\naws,aws,0.02,2\nus-east-1,us-east-1,0.01,\n"+
		"us-east-1a,us-west-2b,0.5,4\n"))
	if err != nil {
		t.Fatal(err)
	}
	tiers, _ := NamedTariff(Tiers2020)
	pairs, _ := NamedTariff(AWS2025)
	for _, c := range []struct {
		tariff   Tariff
		from, to Place
		usd      float64
	}{
		{tiers, east, east, 0}, {tiers, east, next, 1}, {tiers, east, west, 2}, {tiers, east, google, 99 * 0.09}, {tiers, google, east, 12},
		{pairs, east, west, 2}, {pairs, east, next, 0}, {table, east, west, 50}, {table, west, east, 2}, {table, east, next, 1}, {table, google, east, 5},
		{table, east, east, 0},
	} {
		if usd, err := c.tariff.USD(c.from, c.to, 100); err != nil || check.Off(usd, c.usd, 1e-9) {
			t.Errorf("%T from %v to %v: %v USD, %v; want %v", c.tariff, c.from, c.to, usd, err, c.usd)
		}
	}
	for _, bad := range []struct {
		tariff   Tariff
		from, to Place
	}{{pairs, google, east}, {pairs, east, google}, {tiers, Place{"gcp", "australia-southeast1", ""}, east}} {
		if usd, err := bad.tariff.USD(bad.from, bad.to, 1); err == nil {
			t.Errorf("%T from %v to %v: %v USD, expected an error", bad.tariff, bad.from, bad.to, usd)
		}
	}
	for _, c := range []struct {
		from, to Place
		seconds  float64
	}{{east, west, 25}, {west, east, 50}, {google, east, 100 * 8192.0 / 3590}, {east, next, 100 * 8192.0 / 9720}} {
		if got := table.Seconds(c.from, c.to, 100); check.Off(got, c.seconds, 1e-9) {
			t.Errorf("from %v to %v: %v s, want %v", c.from, c.to, got, c.seconds)
		}
	}
}

func TestBadTables(t *testing.T) {
	for text, want := range map[string]string{
		"": "empty", "from,to\n": "usd_per_gb", "from,to,usd_per_gb\n": "no row", "from,to,usd_per_gb\na,b,-1\n": "own.csv:2:5: usd_per_gb",
		"from,to,usd_per_gb\na,,1\n": "own.csv:2:3: to", "from,to,usd_per_gb\na,b,NaN\n": "own.csv:2",
		"from,to,usd_per_gb,gb_per_s\na,b,1,0\n": "own.csv:2:7: gb_per_s", "from,to,usd_per_gb,gbps\na,b,1,2\n": `column "gbps"`,
	} {
		if _, err := ReadTariffs("own.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("from,to,usd_per_gb,gb_per_s\n*,*,0.05,\naws,aws,0.02,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if table, err := ReadTariffs("x", strings.NewReader(text)); err == nil {
			table.USD(Place{"aws", "a", "b"}, Place{"gcp", "c", "d"}, 1)
		}
	})
}
