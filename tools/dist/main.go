// Command dist builds a release of marigram: the program for six systems in archives with its manual pages, completions and the
// licences of what is linked into it, a list of that (an SBOM, CycloneDX) and a Python wheel for each, the formula of Homebrew, and
// the SHA-256 sums of all files.
//
//	make dist                      # dist/, from a tree without changes
//	bin/tools/dist -verify dist    # builds once more and compares all sums
//
// The same commit and the same version of Go give the same bytes, wherever they are built: paths are left out of the programs,
// times are that of the commit, and names are sorted.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// cyclonedx is the program that lists what is linked, pinned.
const cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

func main() {
	out := flag.String("o", "dist", "folder that is made anew")
	verify := flag.String("verify", "", "a folder that was made before: build into another one and compare the sums")
	flag.Parse()
	err := fmt.Errorf("%v: expected no arguments", flag.Args())
	switch {
	case flag.NArg() > 0:
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
