package gone

import (
	"regexp"
	"strings"
	"testing"
)

// Every answer is one sentence that begins with what is gone and goes on with what to use.
func TestSentences(t *testing.T) {
	form := regexp.MustCompile(`^.+ (is|are) gone: .+[^.]$`)
	for key, sentence := range instead {
		_, name, _ := strings.Cut(key, " ")
		if !form.MatchString(sentence) || strings.Contains(sentence, "\n") || Instead(strings.TrimSuffix(key, " "+name), name) != sentence {
			t.Errorf("%s: %q, expected one sentence: WHAT is gone: what to use", key, sentence)
		}
	}
	if Instead("command", "run") != "" {
		t.Error("run is gone")
	}
}
