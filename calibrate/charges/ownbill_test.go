package charges_test

import (
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/internal/near"
)

const report = `identity/LineItemId,lineItem/LineItemType,lineItem/UsageType,lineItem/UsageAmount,lineItem/UnblendedCost
1,Usage,USW2-SpotUsage:p3.2xlarge,24,22.032
2,Usage,BoxUsage:m5.xlarge,24,4.608
3,SavingsPlanCoveredUsage,BoxUsage:p3.2xlarge,10,30.60
4,SavingsPlanNegation,BoxUsage:p3.2xlarge,10,-30.60
5,SavingsPlanRecurringFee,ComputeSP:1yrNoUpfront,24,45.6
6,Usage,USE1-USW2-AWS-Out-Bytes,50,1.0
7,Usage,EBS:VolumeUsage.gp3,100,8
8,Usage,USW2-TimedStorage-ByteHrs,1,0.023
9,Tax,,1,21.2
10,Usage,USW2-Lambda-GB-Second,1,0.5
11,Credit,BoxUsage:m5.xlarge,1,-3
12,Usage,UnusedBox:p4d.24xlarge,1,32.77
`

func TestParts(t *testing.T) {
	check := near.Count(t)
	newer := strings.NewReplacer("lineItem/LineItemType", "line_item_line_item_type", "lineItem/UsageType", "line_item_usage_type",
		"lineItem/UnblendedCost", "line_item_unblended_cost").Replace(report)
	for _, text := range []string{report, newer} {
		b, err := charges.ReadBill("bill.csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for part, usd := range map[charges.Part]float64{charges.Spot: 22.032, charges.OnDemand: 4.608, charges.Commitments: 78.37, charges.Transfers: 1,
			charges.Disks: 8, charges.Storage: 0.023, charges.Tax: 21.2, charges.Credits: -3, charges.Other: 0.5} {
			if check.Off(b.USD[part], usd, 1e-9) {
				t.Errorf("%s: %v, want %v", part, b.USD[part], usd)
			}
		}
		if len(b.Unknown) != 1 || b.Unknown[0] != "USW2-Lambda-GB-Second" || b.Lines != 12 || check.Off(b.Total(), 132.733, 1e-9) {
			t.Errorf("unknown %v, %d lines, %v USD", b.Unknown, b.Lines, b.Total())
		}
	}
	plain, err := charges.ReadBill("bill.csv", strings.NewReader("usd,usage_type,part\n1.5,A2 GPU,spot\n2,PD disk,\n"))
	if err != nil || plain.USD[charges.Spot] != 1.5 || plain.USD[charges.Disks] != 2 {
		t.Errorf("%v, %v", plain, err)
	}
}

func TestBadBills(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "is empty",
		"usage_type,usd\n":                   "no rows",
		"a,b\n1,2\n":                         "no such column",
		"usage_type,usd\nx,1\nx,dear\n":      `bill.csv:3:3: usd: "dear", expected a number`,
		"usage_type,usd\nx,NaN\n":            "expected a number",
		"usage_type,usd,part\nx,1,spots\n":   `bill.csv:2:5: part: "spots", expected one of`,
		"usage_type,usd\n\"x,1\n":            "bill.csv",
		"lineItem/UsageType,usd\nBoxUsage,1": "lineItem/UnblendedCost",
	} {
		if _, err := charges.ReadBill("bill.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(report)
	f.Add("usage_type,usd,part\nx,1,spot\n")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := charges.ReadBill("bill.csv", strings.NewReader(text))
		if err == nil && (math.IsNaN(b.Total()) || math.IsInf(b.Total(), 0) || b.Lines == 0) {
			t.Errorf("%v USD of %d lines", b.Total(), b.Lines)
		}
	})
}
