package cmd

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// TestStart limits what packages of this module do before the program's first line, by the
// bytes that they allocate: expressions, tables and documents are read when they are needed.
func TestStart(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	packages := regexp.MustCompile(`init github\.com/marigram/marigram/(\S+) .* (\d+) bytes`).FindAllSubmatch(out, -1)
	if len(packages) < 10 {
		t.Fatalf("%d packages of the module did something, expected more:\n%s", len(packages), out)
	}
	const largest, ceiling = 400_000, 900_000
	sum := 0
	for _, p := range packages {
		bytes, err := strconv.Atoi(string(p[2]))
		if err != nil {
			t.Fatal(err)
		}
		if sum += bytes; bytes > largest {
			t.Errorf("%s allocates %d bytes before main, expected at most %d", p[1], bytes, largest)
		}
	}
	if sum > ceiling {
		t.Errorf("packages of the module allocate %d bytes before main, expected at most %d", sum, ceiling)
	}
}
