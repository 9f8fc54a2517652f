package spec

import (
	"strings"
	"testing"
)

// The mark is at the line that is named, after a folded text as well.
func TestExcerpt(t *testing.T) {
	_, err := Parse("late.yaml", []byte("name: late\nabout: >\n  one\n  two\n  three\nseeds: -3\nmodel: {published: spotdnn-resnet110}\n"+
		"objectives: [{loss: 0.8, time_s: 7200}]\npolicies: [{name: ondemand}]\nmarket: {synthetic: {}, pools: [{type: p3.2xlarge, quota: 4, "+
		"on_demand_usd_per_h: 3.06}]}\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "late.yaml:6:8: seeds: -3") || !strings.Contains(err.Error(), ">   6 | seeds: -3\n               ^\n") {
		t.Error(err)
	}
}

// What is missing at the top is said, with the file.
func TestNoObjectives(t *testing.T) {
	_, err := Parse("x.yaml", []byte("name: x\nmodel: {published: spotdnn-resnet110}\nmarket: {synthetic: {}, pools: [{type: p3.2xlarge, "+
		"quota: 4, on_demand_usd_per_h: 3.06}]}\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "x.yaml:1:5: expected one of objectives and jobs; none is given") {
		t.Error(err)
	}
}

// A horizon of 0 is not the default, neither in the file nor put into it.
func TestNoHorizon(t *testing.T) {
	const text = "name: x\nmodel: {published: spotdnn-resnet110}\nobjectives: [{loss: 0.8, time_s: 7200}]\npolicies: [{name: ondemand}]\n" +
		"market: {synthetic: {}, pools: [{type: p3.2xlarge, quota: 4, on_demand_usd_per_h: 3.06}]}\n"
	zero, err := ParseSetting("horizon_s=0")
	if err != nil {
		t.Fatal(err)
	}
	_, file := Parse("x.yaml", []byte(text+"horizon_s: 0\n"))
	_, set := Parse("x.yaml", []byte(text), zero)
	for _, err := range []error{file, set} {
		if err == nil || !strings.Contains(err.Error(), "horizon_s: 0, expected more than 0 and at most 632448000; leave it out for the default") {
			t.Error(err)
		}
	}
}

// A spec that a program puts together is checked as well; its errors have no place.
func TestValidateWithoutFile(t *testing.T) {
	if err := (&Spec{Name: "x", Seeds: 0}).Validate(); err == nil || !strings.Contains(err.Error(), "seeds: 0, expected 1 to") {
		t.Error(err)
	}
}
