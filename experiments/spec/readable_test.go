package spec

import (
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	if data, err := Readable([]byte("\ufeffname: x\n")); err != nil || string(data) != "name: x\n" {
		t.Errorf("%q, %v", data, err)
	}
	for says, text := range map[string]string{
		"is UTF-16":                   "\xff\xfen\x00",
		"is not UTF-8":                "name: \xff",
		"has 10001 lines":             strings.Repeat("\n", 10_001),
		"brackets are nested 65 deep": strings.Repeat("[", 65),
		"lists are nested 65 deep":    strings.Repeat("- ", 65) + "x",
		"has 21 aliases":              "a: &a 1\nb: [" + strings.Repeat("*a,", 20) + " *a]",
	} {
		if _, err := Readable([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("got %v, expected %s", err, says)
		}
	}
	for _, text := range []string{"about: 2 * 3 ** 4, *\n", "a: &a 1\nb: [" + strings.Repeat("*a, ", 19) + "*a]", strings.Repeat("a: [[[]]]\n", 100)} {
		if _, err := Readable([]byte(text)); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// Names go into terminals, file names and spreadsheets.
func TestCheckName(t *testing.T) {
	for _, name := range []string{"loss 0.8 in 40 min", "größe-1", "a=b", "95 %"} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "a/b", `a\b`, "a\nb", "\x1b[31m", "\u009b2J", "a\u202eb", "=1+1", "+1", "-1", "@x", "\xff"} {
		if CheckName(name) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}

// The mark is at the line that is named, after a folded text as well.
func TestExcerpt(t *testing.T) {
	_, err := Parse("late.yaml", []byte("name: late\nabout: >\n  one\n  two\n  three\nseeds: -3\nmodel: {published: spotdnn-resnet110}\n"+
		"objectives: [{loss: 0.8, time_s: 7200}]\npolicies: [{name: ondemand}]\nmarket: {synthetic: {}, pools: [{type: p3.2xlarge, quota: 4, on_demand_usd_per_h: 3.06}]}\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "late.yaml:6:8: seeds: -3") || !strings.Contains(err.Error(), ">   6 | seeds: -3\n               ^\n") {
		t.Error(err)
	}
}
