package document

import (
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	if data, err := readable([]byte("\ufeffname: x\n")); err != nil || string(data) != "name: x\n" {
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
		if _, err := readable([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("got %v, expected %s", err, says)
		}
	}
	for _, text := range []string{"about: 2 * 3 ** 4, *\n", "a: &a 1\nb: [" + strings.Repeat("*a, ", 19) + "*a]", strings.Repeat("a: [[[]]]\n", 100)} {
		if _, err := readable([]byte(text)); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
