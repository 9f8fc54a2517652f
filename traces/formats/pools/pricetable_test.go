package pools

import (
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// The same prices in other columns, of other names and in other words for the
// instants are the same set, and that of AWS's lines.
func TestPricesCSV(t *testing.T) {
	const plain = "timestamp,zone,instance_type,price\n2020-02-20T22:00:00Z,us-east-1b,p3.2xlarge,1.5\n2020-02-20T23:00:00Z,us-east-1b," +
		"p3.2xlarge,1.25\n2020-02-20T22:30:00Z,us-west-2a,p3.8xlarge,5\n"
	want, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", plain))
	if r.Format != "prices-csv" || len(want.Prices) != 3 || want.Prices[0].PriceNanoUSD != 1_500_000_000 || r.OutOfOrder != 0 || len(r.Notes) != 0 {
		t.Fatalf("%+v, %+v", want.Prices, r)
	}
	if p := want.Pools[0]; p.Name != "us-east-1b/p3.2xlarge" || p.Cloud != "aws" || p.Region != "us-east-1" || p.GPUType != "V100" ||
		*p.OnDemandNano != 3_060_000_000 {
		t.Errorf("pool %+v", p)
	}
	for name, text := range map[string]string{
		"seconds": strings.NewReplacer("2020-02-20T22:00:00Z", "1582236000", "2020-02-20T23:00:00Z", "1582239600.0", "2020-02-20T22:30:00Z",
			"1582237800").Replace(plain),
		"no zone":     strings.NewReplacer("T22", " 22", "T23", " 23", "Z", "").Replace(plain),
		"no zone, T":  strings.ReplaceAll(plain, "Z", ""),
		"offset":      strings.NewReplacer("T22:00:00Z", " 23:00:00+01:00", "T23:00:00Z", "T18:00:00-05:00").Replace(plain),
		"names":       strings.Replace(plain, "timestamp,zone,instance_type,price", "time,availability_zone,type,price_usd_per_h", 1),
		"other names": strings.Replace(plain, "timestamp,zone,instance_type,price", "Timestamp,AvailabilityZone,InstanceType,SpotPrice", 1),
		"blanks":      strings.ReplaceAll(plain, ",", " , "),
		"other order": "price,instance_type,zone,time\n1.5,p3.2xlarge,us-east-1b," + testutil.T0 +
			"\n5,p3.8xlarge,us-west-2a,2020-02-20T22:30:00Z\n1.250000,p3.2xlarge,us-east-1b," + testutil.T1 + "\n",
		"more": ",timestamp,zone,instance_type,price,region,product,currency,comment\n0,2020-02-20T22:00:00Z,us-east-1b,p3.2xlarge,1.5,us-east-1,,USD,x\n" +
			"1,2020-02-20T23:00:00Z,us-east-1b,p3.2xlarge,1.25,,,USD,\n2,2020-02-20T22:30:00Z,us-west-2a,p3.8xlarge,5,us-west-2,,USD,\n",
	} {
		got, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", text))
		for i := range got.Prices {
			got.Prices[i].SrcRow = want.Prices[i].SrcRow
		}
		if !reflect.DeepEqual(got.Prices, want.Prices) || !reflect.DeepEqual(got.Pools, want.Pools) {
			t.Errorf("%s: %+v\n%+v", name, got.Prices, got.Pools)
		}
		if name == "more" && !strings.Contains(strings.Join(r.Notes, "\n"), "comment") {
			t.Errorf("a column that is left out is not told: %v", r.Notes)
		}
	}
	// Linux and Windows are two pools; a step back is counted by pool.
	products := "time,zone,type,price,product\n" + testutil.T1 + ",us-east-1b,p3.2xlarge,1,Linux/UNIX\n" + testutil.T1 + ",us-east-1b,p3.2xlarge,3,Windows\n" +
		testutil.T0 + ",us-east-1b,p3.2xlarge,2,Windows\n"
	if s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", products)); len(s.Pools) != 2 || r.OutOfOrder != 1 {
		t.Errorf("%+v, %+v", s.Pools, r)
	}
}

// Every complaint at its place.
func TestBadPricesCSV(t *testing.T) {
	const head, row = "time,zone,type,price\n", "2020-02-20 22:00:00,us-east-1b,p3.2xlarge,1\n"
	for name, c := range map[string]struct{ text, want string }{
		"no price column": {"time,zone,type\n", "a.csv: has no known format"},
		"two prices":      {"time,zone,type,price,spot_price\n" + row, `a.csv:1:1: header "time,zone,type,price,spot_price", expected one column each`},
		"only header":     {head, "a.csv: has no row below the header"},
		"fields":          {head + row + "2020-02-20 22:00:00,us-east-1b,1\n", "a.csv:3:1: 3 fields in"},
		"header again":    {head + row + head + row, `a.csv:3:1: time "time", expected RFC 3339, YYYY-MM-DD HH:MM:SS or seconds`},
		"time":            {head + "20.2.2020 22:00,a,b,1\n", `a.csv:2:1: time "20.2.2020 22:00", expected`},
		"day":             {head + "2020-02-30 22:00:00,a,b,1\n", `a.csv:2:1: time "2020-02-30 22:00:00", expected`},
		"date alone":      {head + "2020-02-20,a,b,1\n", `a.csv:2:1: time "2020-02-20", expected`},
		"relative time":   {head + "300,a,b,1\n", `a.csv:2:1: time "300", expected RFC 3339, YYYY-MM-DD HH:MM:SS or seconds since 1970 from 1000000000 on`},
		"milliseconds":    {head + "1582236000000,a,b,1\n", `a.csv:2:1: time "1582236000000", expected`},
		"other century":   {head + "2200-01-01 00:00:00,a,b,1\n", "is out of range"},
		"negative":        {head + "2020-02-20 22:00:00,a,b,-1\n", `a.csv:2:25: price "-1", expected a decimal number`},
		"no price":        {head + "2020-02-20 22:00:00,a,b,\n", `a.csv:2:25: price "", expected`},
		"NaN":             {head + "2020-02-20 22:00:00,a,b,NaN\n", `price "NaN", expected`},
		"exponent":        {head + "2020-02-20 22:00:00,a,b,1e-1\n", `price "1e-1", expected`},
		"dollar":          {head + "2020-02-20 22:00:00,a,b,$1\n", `price "$1", expected`},
		"too dear":        {head + "2020-02-20 22:00:00,a,b,10001\n", "is out of range"},
		"no zone":         {head + "2020-02-20 22:00:00,,b,1\n", `a.csv:2:21: zone "", expected a name`},
		"no type":         {head + "2020-02-20 22:00:00,a,,1\n", `a.csv:2:23: type "", expected a name`},
		"region": {"time,zone,type,price,region\n2020-02-20 22:00:00,us-east-1b,b,1,us-west-2\n",
			"a.csv:2:21: zone us-east-1b is in region us-east-1, the price says us-west-2"},
		"yuan":        {head + "2020-02-20 22:00:00,cn-north-1a,b,1\n", "are in CNY, expected USD"},
		"euro":        {"time,zone,type,price,currency\n2020-02-20 22:00:00,a,b,1,EUR\n", `a.csv:2:27: currency "EUR", expected USD`},
		"two at once": {head + row + strings.Replace(row, ",1\n", ",2\n", 1), "costs 2.000000 USD/h at 2020-02-20T22:00:00.000Z here and 1.000000"},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a.csv", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}
