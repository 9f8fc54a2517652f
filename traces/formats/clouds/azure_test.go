package clouds

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

const (
	linux   = "Virtual Machines NCSv3 Series"
	windows = "Virtual Machines NCSv3 Series Windows"
)

func TestAzureRetail(t *testing.T) {
	spot := testutil.AzureItem("NC6s v3 Spot", linux, "0.306", testutil.T0)
	page := testutil.AzurePage("null", spot, testutil.AzureItem("NC6s v3 Spot", windows, "0.490001", testutil.T1),
		testutil.AzureItem("NC6s v3", linux, "3.06", testutil.T0), testutil.AzureItem("NC6s v3 Low Priority", linux, "0.612", testutil.T0))
	for name, text := range map[string]string{
		"as it is": page, "CRLF": strings.ReplaceAll(page, "\n", "\r\n"), "BOM": "\xef\xbb\xbf" + page, "twice": page + page,
		"other key order": strings.Replace(strings.Replace(page, `"BillingCurrency": "USD", `, "", 1), `"Count": 2`, `"Count": 2, "BillingCurrency": "USD"`, 1),
		"continued":       testutil.AzurePage(`"https://example.org/?$skip=100"`, spot) + "\n" + page,
	} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", text))
		if r.Format != "azure-retail" || len(s.Pools) != 2 || len(s.Prices) != 2 {
			t.Fatalf("%s: %s, %+v, %+v", name, r.Format, s.Pools, s.Prices)
		}
		linux, windows := s.Prices[0], s.Prices[1]
		if linux.PriceNanoUSD != 306_000_000 || windows.PriceNanoUSD != 490_001_000 || traces.Stamp(windows.T) != testutil.T1 {
			t.Errorf("%s: prices %+v", name, s.Prices)
		}
		if p := s.Pools[linux.PoolID]; p.Name != "eastus/Standard_NC6s_v3" || p.Cloud != "azure" || p.Region != "eastus" || p.GPUType != "V100" ||
			p.GPUCount != 1 || p.Product != "Linux" || p.Zone != "" {
			t.Errorf("%s: pool %+v", name, p)
		}
		if p := s.Pools[windows.PoolID]; p.Name != "eastus/Standard_NC6s_v3/Windows" {
			t.Errorf("%s: pool %+v", name, p)
		}
		others := 2
		if name == "twice" {
			others = 4
		}
		if want := fmt.Sprintf("%d items of ", others); !strings.Contains(strings.Join(r.Notes, "\n"), want) {
			t.Errorf("%s: notes %v, expected %s", name, r.Notes, want)
		}
	}
}

// The two recorded regions, by golden.json.
func TestGoldenAzure(t *testing.T) {
	for name, first := range map[string]int64{"us_east.csv": 245_520_000, "us_north_central.csv": 237_780_000} {
		path := tracetest.Recorded(t, "dime-azure-prices", name)
		var want struct {
			Days, SKUs int
			Cells      int `json:"numeric_cells"`
		}
		tracetest.Golden(t, "dime-azure-prices/"+name, &want)
		s, r := tracetest.Import(t, "", traces.Options{}, path)
		days := map[int64]bool{}
		for _, p := range s.Prices {
			days[p.T] = true
		}
		offered, notes := len(s.Pools), strings.Join(r.Notes, "\n")
		if r.Format != "azure-daily" || len(s.Prices) != want.Cells || len(days) != want.Days || offered != want.Cells/want.Days {
			t.Errorf("%s: %d prices, %d days, %d types, golden %+v", name, len(s.Prices), len(days), offered, want)
		}
		if missing := fmt.Sprintf("%d of %d machine types", want.SKUs-offered, want.SKUs); offered < want.SKUs && !strings.Contains(notes, missing) {
			t.Errorf("%s: notes %s, expected %s", name, notes, missing)
		}
		if strings.Contains(notes, "slip") || r.Gaps != 0 {
			t.Errorf("%s: %s, %d gaps, expected neither slips nor gaps", name, notes, r.Gaps)
		}
		nc12 := s.PoolNamed(strings.TrimSuffix(name, ".csv") + "/Standard_NC12")
		if i := slices.IndexFunc(s.Prices, func(p traces.PriceRow) bool { return int(p.PoolID) == nc12 }); nc12 < 0 || s.Prices[i].PriceNanoUSD != first ||
			s.Pools[nc12].GPUCount != 2 {
			t.Errorf("%s: NC12 is pool %d", name, nc12)
		}
		if s.Manifest.TEndUs-s.Manifest.TStartUs != int64(want.Days)*dayUs || s.Manifest.ClockKind != traces.ClockUnknownTZ {
			t.Errorf("%s: manifest %+v", name, s.Manifest)
		}
		for _, p := range describe.Stats(s).Pools { // published: K80 flat, prices of NC6s v2 from .25771 to .414
			if strings.HasSuffix(p.Pool, "us_east/Standard_NC6s_v2") && (p.Price.Min != .25771 || p.Price.Max != .414) {
				t.Errorf("%s: from %v to %v", p.Pool, p.Price.Min, p.Price.Max)
			}
		}
	}
}

func TestAzureDaily(t *testing.T) {
	const text = "Date,NC24s v2,NC6\r\n2/24/2020,$1.65600,$0.1\r\n2/25/2020,$1.65600,\r\n2/26/2020,$9.93600,\r\n2/27/2020,$1.65600,$0.1\r\n3/1/2020,$1.65600,\r\n"
	s, r := tracetest.Import(t, "", traces.Options{Region: "southcentralus"}, tracetest.File(t, "us_south_central.csv", text))
	if len(s.Prices) != 7 || s.Pools[0].Name != "southcentralus/Standard_NC24s_v2" || s.Prices[len(s.Prices)-1].UncertainUs != 3*dayUs {
		t.Fatalf("%+v, %+v", s.Pools, s.Prices)
	}
	if note := strings.Join(r.Notes, "\n"); !strings.Contains(note, "us_south_central.csv:4:11: price 9.936000 of Standard_NC24s_v2 stands out "+
		"from 1.656000 before") {
		t.Errorf("notes %s", note)
	}
	peak := int64(0)
	for _, p := range s.Prices {
		peak = max(peak, p.PriceNanoUSD)
	}
	if peak != 9_936_000_000 {
		t.Error("the slip was changed")
	}
	nc6 := int32(s.PoolNamed("southcentralus/Standard_NC6"))
	day := func(d int) int64 { return time.Date(2020, 2, d, 0, 0, 0, 0, time.UTC).UnixMicro() }
	want := []traces.GapRow{{PoolID: nc6, TStart: day(25), TEnd: day(27)}, {PoolID: 0, TStart: day(28), TEnd: day(30)},
		{PoolID: nc6, TStart: day(28), TEnd: day(31)}}
	for i, g := range s.Gaps {
		if g.Why = ""; i >= len(want) || g != want[i] {
			t.Errorf("gap %d: %+v", i, g)
		}
	}
	if len(s.Gaps) != 3 {
		t.Errorf("gaps %+v", s.Gaps)
	}
	var b strings.Builder
	b.WriteString("Date,NC6\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%s,$%d\n", time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(dayForm), 1+i%2*9)
	}
	if _, r = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", b.String())); len(r.Notes) != 11 ||
		!strings.Contains(r.Notes[9], "30 more prices stand out") {
		t.Errorf("%d notes %v", len(r.Notes), r.Notes)
	}
}

func TestAzureEvents(t *testing.T) {
	event := func(id, kind, at string) string {
		return `{"EventId": "` + id + `", "EventStatus": "Scheduled", "EventType": "` + kind +
			`", "ResourceType": "VirtualMachine", "Resources": ["vm_0", "vm_1"], "NotBefore": "` + at + `"}`
	}
	const at = "Tue, 09 Aug 2022 17:07:32 GMT"
	doc := `{"DocumentIncarnation": 1, "Events": [` + event("a", "Preempt", at) + `]}`
	later := `{"Events": [` + event("a", "Preempt", "") + "," + event("b", "Freeze", at) + `], "DocumentIncarnation": 2}`
	s, r := tracetest.Import(t, "", traces.Options{InstanceType: "Standard_NC6s_v3", Region: "eastus"},
		tracetest.File(t, "log.ndjson", "\xef\xbb\xbf"+doc+"\r\n"+doc+"\r\n"+later+"\r\n"))
	if r.Format != "azure-events" || len(s.InstanceEvents) != 2 || r.Duplicates != 2 || s.Pools[0].Name != "eastus/Standard_NC6s_v3" {
		t.Fatalf("%+v, %+v, %+v", r, s.Pools, s.InstanceEvents)
	}
	e := s.InstanceEvents[1]
	if e.Kind != "notice" || e.InstanceID != "vm_1" || traces.Stamp(e.T) != "2022-08-09T17:07:32.000Z" || e.NoticeUs != nil || e.Reason != "unknown" {
		t.Errorf("event %+v", e)
	}
	if note := strings.Join(r.Notes, "\n"); !strings.Contains(note, `1 "Freeze", 1 "Preempt, begun"`) || !strings.Contains(note, "t is NotBefore") {
		t.Errorf("notes %s", note)
	}
}

func TestAzureErrors(t *testing.T) {
	item := testutil.AzureItem("NC6s v3 Spot", linux, "0.306", testutil.T0)
	const day = "Date,NC6,NC12\n2/24/2020,$1,$2\n"
	const event = `{"DocumentIncarnation": 1, "Events": [{"EventId": "a", "EventType": "Preempt", "Resources": ["vm"], "NotBefore": "Tue, 09 ` +
		`Aug 2022 17:07:32 GMT"}]}`
	for name, c := range map[string]struct{ text, want string }{
		"retail cut":      {testutil.AzurePage(`"https://x"`, item), `NextPageLink "https://x" is not empty: the page was cut`},
		"retail currency": {testutil.AzurePage("null", strings.Replace(item, `"USD"`, `"EUR"`, 1)), `currencyCode "EUR", expected USD`},
		"retail unit":     {testutil.AzurePage("null", strings.Replace(item, `"1 Hour"`, `"1/Month"`, 1)), `unitOfMeasure "1/Month", expected 1 Hour`},
		"retail price":    {testutil.AzurePage("null", item, strings.Replace(item, `0.306`, `-1`, 1)), `a:2:40: retailPrice "-1" expected`},
		"retail region":   {testutil.AzurePage("null", strings.Replace(item, `"eastus"`, `""`, 1)), `region "", expected a name`},
		"retail no date":  {testutil.AzurePage("null", strings.Replace(item, `, "effectiveStartDate": "`+testutil.T0+`"`, "", 1)), "ends without"},
		"retail conflict": {testutil.AzurePage("null", item, strings.Replace(item, "0.306", "0.307", 1)), "a:2:1: pool eastus/Standard_NC6s_v3 costs 0.307000"},
		"daily header":    {"Date,NC6,NC6\n2/24/2020,$1,$2\n", `a:1:10: column "NC6" is there twice`},
		"daily back":      {day + "2/23/2020,$1,$2\n", `a:3:1: Date "2/23/2020" is not after 2020-02-24`},
		"daily twice":     {day + "2/24/2020,$1,$2\n", `a:3:1: Date "2/24/2020" is not after`},
		"daily date":      {day + "13/1/2020,$1,$2\n", `a:3:1: Date "13/1/2020", expected for instance 2/24/2020`},
		"daily price":     {day + "2/25/2020,$1,2\n", `a:3:14: NC12 "2", expected dollars`},
		"daily fields":    {day + "2/25/2020,$1\n", "a:3:1: 2 fields"},
		"events time":     {strings.Replace(event, "Tue, 09", "09", 1), `NotBefore "09 Aug 2022 17:07:32 GMT", expected RFC 1123`},
		"events zone":     {strings.Replace(event, "GMT", "PST", 1), "expected RFC 1123"},
		"events no vm":    {strings.Replace(event, `["vm"]`, "[]", 1), "ends without Resources"},
		"events no kind":  {strings.Replace(event, `"EventType": "Preempt", `, "", 1), "ends without EventType"},
		"events cut":      {event[:60], "the JSON ends in the middle"},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
	_, r := tracetest.Import(t, "", traces.Options{AllowTruncated: true}, tracetest.File(t, "a.json", testutil.AzurePage(`"https://x"`, item)))
	if r.TruncatedAccepted != 1 {
		t.Errorf("report %+v", r)
	}
}

func TestAzureType(t *testing.T) {
	for name, want := range map[string]string{
		"NC12s v2": "Standard_NC12s_v2", "Standard_NC6s_v3": "Standard_NC6s_v3", "standard_nc6s_v3": "Standard_NC6s_v3",
		"standard_nd96asr_v4": "Standard_ND96asr_v4", "standard_d2s_v5": "Standard_D2s_v5", "NC24r": "Standard_NC24r", "x": "Standard_x",
	} {
		if got := typeName(name); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}
