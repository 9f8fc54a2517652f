package stalls

import (
	"strings"
	"testing"
)

func TestPrices(t *testing.T) {
	const head = "instance_type,gpu,gpus,usd_per_h\n"
	for text, says := range map[string]string{
		head + "a,K80,1,1\na,K80,1,1\n": `p.csv:3:1: instance_type: "a", expected a name that is used once`,
		head + ",K80,1,1\n":             `p.csv:2:1: instance_type: "", expected a name`,
		head + "a,K80,0,1\n":            `p.csv:2:7: gpus: "0"`,
		head + "a,K80,1,-1\n":           `p.csv:2:9: usd_per_h: "-1"`,
		"gpu\nx\n":                      `p.csv:1:1: no column "instance_type"`,
	} {
		if _, err := ReadPrices("p.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%q: got %v, expected %s", text, err, says)
		}
	}
	if p, err := PriceOf(StashPrices(), "p3.16xlarge"); err != nil || p != (Price{"p3.16xlarge", "V100", 8, 24.48}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := PriceOf(nil, "x"); err == nil {
		t.Error("a price of nothing")
	}
}
