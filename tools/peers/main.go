// Command peers measures the engine beside other programs: the hold model and an
// M/M/1 queue on sim.Timers, container/heap, akita's serial engine, simgo, SimPy
// and ns-3, and a scan of a Parquet table beside DuckDB, in turns within one run.
// It prints a table of processor time per event and whether the goals are met.
// See README.md for the method.
//
// It exits with 0 if no goal is missed, 1 if something failed, 2 after wrong
// usage and 3 if a goal is missed. An engine that is not installed is named with
// the reason, and its goals are left open.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

var errMissed = errors.New("a goal is missed")

func main() {
	rounds := flag.Int("rounds", 5, "times that every engine is measured, at least 5")
	python := flag.String("python", "/usr/bin/python3", "the interpreter that has SimPy")
	flag.Parse()
	if *rounds < 5 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "peers: expected no arguments and at least 5 rounds")
		flag.Usage()
		os.Exit(2)
	}
	err := run(*rounds, *python)
	switch {
	case errors.Is(err, errMissed):
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(rounds int, python string) error {
	if err := verify(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	table, err := writePrices(folder)
	if err != nil {
		return err
	}
	cases := contest(others{findSimPy(python), findNS3(folder), findDuckDB(table)})
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for _, c := range cases {
			if err := c.measure(); err != nil {
				return fmt.Errorf("%s on %s: %w", c.engine, c.load, err)
			}
		}
	}
	if !report(os.Stdout, cases) {
		return errMissed
	}
	return nil
}
