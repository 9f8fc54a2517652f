package term

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"pool é\tx\ny":                "pool é\tx\ny",
		"\x1b[2Jgone":                 `\x1b[2Jgone`,
		"\x1b[1;31mred\x1b[0m":        `\x1b[1;31mred\x1b[0m`,
		"\x1b]0;title\a":              `\x1b]0;title\a`,
		"a\rb\bc\x00":                 `a\rb\bc\x00`,
		"\u009b31m \u202egpj\xff\x9b": `\u009b31m \u202egpj\xff\x9b`,
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

// What an input makes long is left out, not what says where and what to do.
func TestCleanIsShort(t *testing.T) {
	long := "a.yaml:3:7: " + strings.Repeat("é", 1_500_000) + ": expected a number"
	var b bytes.Buffer
	PrintError(&b, errors.New(long))
	got := b.String()
	if len(got) > longest+100 || !utf8.ValidString(got) || !strings.HasPrefix(got, "marigram: a.yaml:3:7: é") ||
		!strings.HasSuffix(got, "é: expected a number\n") || !strings.Contains(got, " bytes left out) ") {
		t.Errorf("%d bytes: %.40s", len(got), got)
	}
	b.Reset()
	Warn(&b, "job %s", long)
	if b.Len() > longest+100 {
		t.Errorf("a warning of %d bytes", b.Len())
	}
}

// The program's colours stay on a terminal, and nothing else that a terminal obeys.
func TestHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[1;32m2.45*\x1b[0m \x1b[2J\x1b[m": "\x1b[1;32m2.45*\x1b[0m \\x1b[2J\x1b[m",
		"\x1b[1;32":                            `\x1b[1;32`,
		"\xc3":                                 "\xc3", // half of a character: the other half comes
	} {
		if got := harmless(text, true); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[1m\xff\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if strings.ContainsFunc(got, commands) || len(got) > 6*longest+100 {
			t.Errorf("%q: %q", text, got)
		}
	})
}
