// Command dist builds a release of marigram: the program for six systems in archives with its manual pages, completions
// and the licences of what is linked into it, a list of that (an SBOM, CycloneDX) and a Python wheel for each, the
// formula of Homebrew, and the SHA-256 sums of all files.
//
//	make dist                      # dist/, from a tree without changes
//	bin/tools/dist -verify dist    # builds once more and compares all sums
//
// The same commit and the same version of Go give the same bytes, wherever they are built: paths are left out of the
// programs, times are that of the commit, and names are sorted.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cyclonedx is the program that lists what is linked, pinned.
const cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

func main() {
	out := flag.String("o", "dist", "folder that is made anew")
	verify := flag.String("verify", "", "a folder that was made before: build into another one and compare the sums")
	only := flag.String("only", "", "systems, linux-amd64,darwin-arm64, to try a part of a release; there is no formula then")
	flag.Parse()
	err := choose(*only)
	switch {
	case err != nil:
	case flag.NArg() > 0:
		err = fmt.Errorf("%v: expected no arguments", flag.Args())
	case *verify != "":
		err = again(*verify)
	default:
		err = release(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// choose leaves some targets, if any are named.
func choose(names string) error {
	if names == "" {
		return nil
	}
	wanted := strings.Split(names, ",")
	targets = slices.DeleteFunc(targets, func(t target) bool { return !slices.Contains(wanted, t.String()) })
	if len(targets) != len(wanted) {
		return fmt.Errorf("-only %s: expected names of systems such as linux-amd64", names)
	}
	return nil
}

// again builds a release into a temporary folder and compares it with one that was built before.
func again(dir string) error {
	before, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := release(temp); err != nil {
		return err
	}
	now, err := os.ReadFile(filepath.Join(temp, sumsFile))
	if err != nil {
		return err
	}
	if string(now) != string(before) {
		return fmt.Errorf("the sums differ:\n%s\nand now\n%s", before, now)
	}
	fmt.Println("the same sums")
	return nil
}
