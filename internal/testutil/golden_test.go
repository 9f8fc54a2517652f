package testutil

import (
	"os"
	"path/filepath"
	"testing"
)

// reported keeps whether a test has failed.
type reported struct {
	testing.TB
	failed bool
}

func (t *reported) Errorf(string, ...any) { t.failed = true }

// A file that is missing or says something else is an error; with -update it is written.
func TestGoldenText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	check := func(text string) bool {
		one := &reported{TB: t}
		GoldenText(one, file, text)
		return !one.failed
	}
	was := *UpdateGolden
	defer func() { *UpdateGolden = was }()
	*UpdateGolden = false
	if check("a") {
		t.Error("a file that is not there is no error")
	}
	*UpdateGolden = true
	if !check("a") {
		t.Error("the file was not written")
	}
	*UpdateGolden = false
	if !check("a") || check("b") {
		t.Error("the same text is an error, or another one is none")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "a" {
		t.Errorf("%q, %v", data, err)
	}
}
