package charges

import (
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
)

// Part is a part of a bill.
type Part string

// The parts of a bill.
const (
	Spot        Part = "spot"        // instances on the spot market
	OnDemand    Part = "on demand"   // instances on demand, parameter servers among them
	Commitments Part = "commitments" // reservations, savings plans, capacity blocks
	Transfers   Part = "transfers"   // of data between zones, regions and clouds
	Disks       Part = "disks"       // of instances
	Storage     Part = "storage"     // of checkpoints and data
	Tax         Part = "tax"
	Credits     Part = "credits" // refunds, credits and discounts, below 0
	Other       Part = "other"   // what a simulation does not have
)

// Parts returns the parts, in the order in which they are shown.
func Parts() []Part {
	return []Part{Spot, OnDemand, Commitments, Transfers, Disks, Storage, Tax, Credits, Other}
}

// Bill is a bill by part.
type Bill struct {
	USD   map[Part]float64
	Lines int
	// Unknown are the usage types that are Other since nothing else fits, in the order of
	// the bill, each once.
	Unknown []string
}

// Total returns the sum of all parts, USD.
func (b *Bill) Total() (usd float64) {
	for _, part := range Parts() {
		usd += b.USD[part]
	}
	return usd
}

// form is a way to write bills: what its columns are called.
type form struct{ usage, usd, line, part string }

var forms = []form{
	{usage: "lineItem/UsageType", usd: "lineItem/UnblendedCost", line: "lineItem/LineItemType"},
	{usage: "line_item_usage_type", usd: "line_item_unblended_cost", line: "line_item_line_item_type"},
	{usage: "usage_type", usd: "usd", part: "part"},
}

// maxBillUSD bounds the cost of a line.
const maxBillUSD = 1e12

// OpenBill reads the bill at path, see ReadBill.
func OpenBill(path string) (*Bill, error) { return csvtext.Open(path, ReadBill) }

// ReadBill reads a bill. A plain one may have a column part, which then says what the line is;
// where it is empty the usage type does. Errors name file, line and column.
func ReadBill(name string, r io.Reader) (*Bill, error) {
	in, err := csvtext.Read(name, r)
	if err != nil {
		return nil, err
	}
	form := formOf(in.Header)
	for _, column := range []string{form.usage, form.usd} {
		if !slices.Contains(in.Header, column) {
			return nil, in.Errorf(0, column, "no such column; expected usage_type and usd, "+
				"or those of Amazon's cost and usage report (%s, %s)", forms[0].usage, forms[0].usd)
		}
	}
	bill := &Bill{USD: map[Part]float64{}, Lines: len(in.Rows)}
	for i := range in.Rows {
		usd, err := in.Number(i, form.usd, -maxUSD, maxBillUSD)
		if err != nil {
			return nil, err
		}
		part, err := form.partOf(in, i)
		if err != nil {
			return nil, err
		}
		usage := in.Text(i, form.usage)
		if part == Other && usd != 0 && !slices.Contains(bill.Unknown, usage) && len(bill.Unknown) < 20 {
			bill.Unknown = append(bill.Unknown, usage)
		}
		bill.USD[part] += usd
	}
	return bill, nil
}

// formOf returns the form that a header is of; the plain one if of none.
func formOf(header []string) form {
	for _, f := range forms {
		if slices.Contains(header, f.usage) {
			return f
		}
	}
	return forms[len(forms)-1]
}

// partOf says what a line is.
func (f form) partOf(in *csvtext.Table, i int) (Part, error) {
	text := func(column string) string {
		if column == "" || !slices.Contains(in.Header, column) {
			return ""
		}
		return in.Text(i, column)
	}
	if given := text(f.part); given != "" {
		if !slices.Contains(Parts(), Part(given)) {
			return "", in.Errorf(i, f.part, "%q, expected one of %v", given, Parts())
		}
		return Part(given), nil
	}
	if part, known := lineTypes[text(f.line)]; known {
		return part, nil
	}
	return PartOf(in.Text(i, f.usage)), nil
}

// lineTypes are the types of Amazon's lines that say what they are (AWS documentation, "Line item
// details"). Usage that a savings plan covers is there at its price on demand, and once more
// below 0: together nothing.
var lineTypes = map[string]Part{
	"Tax": Tax, "Refund": Credits, "Credit": Credits, "EdpDiscount": Credits, "BundledDiscount": Credits,
	"PrivateRateDiscount": Credits, "RiVolumeDiscount": Credits, "SppDiscount": Credits, "Discount": Credits,
	"RIFee": Commitments, "SavingsPlanRecurringFee": Commitments, "SavingsPlanUpfrontFee": Commitments,
	"SavingsPlanCoveredUsage": OnDemand, "SavingsPlanNegation": OnDemand,
}

// usages are what usage types contain, the first that does counts: Amazon's, whose names
// begin with a region (AWS documentation, "Understanding your usage types").
var usages = []struct {
	has  string
	part Part
}{
	{"spotusage", Spot}, {"spot", Spot}, {"preemptible", Spot},
	{"unusedbox", Commitments}, {"unusedded", Commitments}, {"heavyusage", Commitments}, {"capacityblock", Commitments},
	{"reservation", Commitments}, {"computesp", Commitments}, {"ec2sp", Commitments}, {"commitment", Commitments},
	{"boxusage", OnDemand}, {"dedicatedusage", OnDemand}, {"on-demand", OnDemand},
	{"snapshotusage", Storage}, {"timedstorage", Storage}, {"storage", Storage},
	{"volumeusage", Disks}, {"volumeiousage", Disks}, {"volumep-", Disks}, {"disk", Disks},
	{"datatransfer", Transfers}, {"-out-bytes", Transfers}, {"-in-bytes", Transfers}, {"natgateway-bytes", Transfers},
	{"egress", Transfers},
	{"tax", Tax}, {"credit", Credits}, {"refund", Credits},
}

// PartOf returns what a usage type is, Other where nothing says it.
func PartOf(usage string) Part {
	lower := strings.ToLower(usage)
	for _, known := range usages {
		if strings.Contains(lower, known.has) {
			return known.part
		}
	}
	return Other
}
