// Command scaling measures how the processor time of marigram's commands grows with
// the size of what they are given: rows, pools, seeds, cells, runs, jobs, settings,
// each at one, ten and a hundred times a size. It prints a table in Markdown with two
// exponents: that of the line of least squares through the three points on logarithmic
// axes, and that from ten to a hundred times, in which what does not grow weighs less.
// The time of the program's start is taken off. Most resident memory is that of each size.
//
//	make -C tools tools && bin/tools/scaling [-program bin/marigram] [-only PATTERN]
//
// Inputs are made in a temporary folder, by rules without chance.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// sizes are what each case is measured at, as multiples of its least size.
var sizes = [3]int{1, 10, 100}

func main() {
	program := flag.String("program", "bin/marigram", "`file` of the program that is measured")
	only := flag.String("only", "", "cases whose command and size match this `pattern`")
	flag.Parse()
	if err := run(*program, *only); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

func run(program, only string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "scaling-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	start, err := startTime(program, dir)
	if err != nil {
		return err
	}
	fmt.Printf("| command | size | 1x | 10x | 100x | exponent | from 10x | MB at 1x | 10x | 100x |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, c := range cases {
		if !pattern.MatchString(c.command + " " + c.of) {
			continue
		}
		if err := c.measure(program, filepath.Join(dir, fmt.Sprint(i)), start); err != nil {
			return fmt.Errorf("%s by %s: %w", c.command, c.of, err)
		}
	}
	return nil
}

// measure prints the row of a case.
func (c *growth) measure(program, dir string, start time.Duration) error {
	var took [3]usage
	for i, size := range sizes {
		at := filepath.Join(dir, fmt.Sprint(size))
		if err := os.MkdirAll(at, 0o777); err != nil {
			return err
		}
		if err := c.prepare(program, at, c.minimum*size); err != nil {
			return err
		}
		var err error
		if took[i], err = call(program, at, c.args(c.minimum*size)...); err != nil {
			return err
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
	}
	fmt.Printf("| `%s` | %d %s |", c.command, c.minimum, c.of)
	for _, u := range took {
		fmt.Printf(" %.2f s |", u.processor.Seconds())
	}
	all, last := exponents(took, start)
	fmt.Printf(" %.2f | %.2f |", all, last)
	for _, u := range took {
		fmt.Printf(" %.0f |", u.megabytes)
	}
	fmt.Println()
	return nil
}

// usage is what a call took.
type usage struct {
	processor time.Duration // user and system, of all cores
	megabytes float64       // most resident memory
}

// call runs the program in a folder.
func call(program, dir string, args ...string) (usage, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return usage{}, fmt.Errorf("marigram %q: %w\n%s", args, err, out)
	}
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return usage{}, errors.New("this system does not say what a program used")
	}
	return usage{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), float64(used.Maxrss) / 1024}, nil
}

// startTime is the least of three starts of the program.
func startTime(program, dir string) (time.Duration, error) {
	minimum := time.Duration(math.MaxInt64)
	for range 3 {
		u, err := call(program, dir, "--version")
		if err != nil {
			return 0, err
		}
		minimum = min(minimum, u.processor)
	}
	return minimum, nil
}

// exponents are the slope of the line of least squares through the logarithms, and
// that of the last decade.
func exponents(took [3]usage, start time.Duration) (all, last float64) {
	log := func(i int) float64 {
		return math.Log10(max(took[i].processor-start, time.Millisecond).Seconds())
	}
	// The sizes are -1, 0 and 1 decades about their mean: the middle one has no weight.
	return (log(2) - log(0)) / 2, log(2) - log(1)
}
