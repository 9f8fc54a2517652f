package runs

import (
	"bufio"
	"encoding/csv"
	"errors"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

func init() {
	formats.Register(formats.Format{
		Name: "aws-cost-report",
		Kind: formats.Run,
		What: "a cost and usage report of AWS as CSV: what each resource cost in each hour. Usage on Spot " +
			"(SpotUsage:TYPE) and on demand (BoxUsage:TYPE) is told apart; other lines, of transfers and disks, are " +
			"charges without an instance type",
		Example: "lineItem/UsageStartDate,lineItem/UsageType,lineItem/ResourceId,lineItem/UnblendedCost," +
			"lineItem/AvailabilityZone\n" +
			"2026-01-02T00:00:00Z,USE2-SpotUsage:p3.2xlarge,i-1,0.918,us-east-2b",
		Recognise: func(s *read.Source) bool { return costColumns(s.Header()) != nil },
		Records: &formats.Records{
			Command: "aws s3 cp s3://BUCKET/PREFIX/REPORT.csv.gz bill.csv.gz" +
				"   # a cost and usage report with resource IDs, by the hour",
			From:  fromMemory,
			Lost:  "all but charges; parts of seconds",
			Read:  readCostReport,
			Keep:  keepCharges,
			Write: writeCostReport,
		},
	})
}

// costNames are the columns of a report, in both spellings.
var costNames = [][2]string{
	{"line_item_usage_start_date", "lineItem/UsageStartDate"}, {"line_item_usage_type", "lineItem/UsageType"},
	{"line_item_unblended_cost", "lineItem/UnblendedCost"}, {"line_item_resource_id", "lineItem/ResourceId"},
	{"line_item_availability_zone", "lineItem/AvailabilityZone"},
}

// costColumns are the names that a report has of the columns, of which the first three are
// needed; nil where it is no report.
func costColumns(have []string) []string {
	there := map[string]bool{}
	for _, name := range have {
		there[name] = true
	}
	var out []string
	for i, names := range costNames {
		switch {
		case there[names[0]]:
			out = append(out, names[0])
		case there[names[1]]:
			out = append(out, names[1])
		case i < 3:
			return nil
		default:
			out = append(out, "")
		}
	}
	return out
}

func readCostReport(in *formats.RunFile) error {
	columns := costColumns(in.Header())
	if columns == nil {
		return in.Errorf(1, 1, "no columns of a cost and usage report, expected %s, %s and %s",
			costNames[0][0], costNames[1][0], costNames[2][0])
	}
	for r := range in.Table(columns[:3]...) {
		e := eventAt(r, instantIn(in, r, columns[0]), ownruns.Charge)
		e.Type, e.OnDemand = usage(r.Text(columns[1]))
		e.Value = read.Field(r, columns[2], dollars(-ownruns.MaxValue, ownruns.MaxValue))
		e.Instance = nameIn(r, columns[3])
		if i := strings.LastIndexByte(e.Instance, '/'); i >= 0 && strings.HasPrefix(e.Instance, "arn:") {
			e.Instance = e.Instance[i+1:]
		}
		e.Zone = nameIn(r, columns[4])
		if r.Err != nil {
			return r.Err
		}
		if e.Value != 0 {
			in.Add(e)
		}
	}
	return nil
}

// dollars is a reader of numbers from lo to hi that must be there.
func dollars(lo, hi float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		if text == "" {
			return 0, errors.New("is empty, expected dollars")
		}
		return read.Number(lo, hi)(text)
	}
}

// usage is the instance type of a type of usage, USE2-SpotUsage:p3.2xlarge; empty where it
// is of something else than machines.
func usage(text string) (kind string, onDemand bool) {
	what, kind, _ := strings.Cut(text, ":")
	what = what[strings.LastIndexByte(what, '-')+1:]
	if read.CheckName(kind) != nil {
		return "", false
	}
	switch what {
	case "SpotUsage":
		return strings.Clone(kind), false
	case "BoxUsage":
		return strings.Clone(kind), true
	}
	return "", false
}

// isUsage reports whether a type can be written as a type of usage.
func isUsage(kind string) bool { return kind != "" && !strings.ContainsAny(kind, ":,\"") }

func keepCharges(r *ownruns.Run) (out []ownruns.Event) {
	for _, e := range r.Events {
		if e.Kind != ownruns.Charge || e.Value == 0 || strings.HasPrefix(e.Instance, "arn:") {
			continue
		}
		if !isUsage(e.Type) {
			e.Type = ""
			e.OnDemand = false
		}
		e.T = formats.WholeSeconds(e.T)
		e.File = 0
		e.Line = 0
		out = append(out, e)
	}
	return out
}

func writeCostReport(w *bufio.Writer, r *ownruns.Run) {
	out := csv.NewWriter(w)
	out.Write([]string{
		"line_item_usage_start_date", "line_item_usage_type", "line_item_resource_id", "line_item_availability_zone",
		"line_item_unblended_cost",
	})
	for _, e := range keepCharges(r) {
		what := "DataTransfer-Regional-Bytes"
		switch {
		case e.Type != "" && e.OnDemand:
			what = "USE2-BoxUsage:" + e.Type
		case e.Type != "":
			what = "USE2-SpotUsage:" + e.Type
		}
		at := formats.Calendar(e.T, "2006-01-02T15:04:05Z")
		out.Write([]string{at, what, e.Instance, e.Zone, formats.Number(e.Value)})
	}
	out.Flush()
}
