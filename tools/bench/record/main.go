// Command record measures the ten headline benchmarks and lays them beside the last
// record of the same kind of machine.
//
//	make -C tools tools && bin/tools/record [-rounds 5] [-tree FOLDER] [-append] [-figure FILE.svg]
//
// It is run in the root of the repository; -tree is the root of another commit of it,
// whose benchmarks are measured. With -append the medians become rows of
// tools/bench/record.csv; with -figure all records of this kind of machine are drawn. A
// slow benchmark is no failure: the exit status is 0.
package main

import (
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("rounds", 5, "times that each benchmark is run, in turns")
	add := flag.Bool("append", false, "append the medians to "+table)
	picture := flag.String("figure", "", "draw all records of this kind of machine into this SVG `file`")
	tree := flag.String("tree", ".", "root of the commit that is measured")
	flag.Parse()
	if err := run(*tree, *rounds, *add, *picture); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(tree string, rounds int, add bool, picture string) error {
	if rounds < 1 {
		return fmt.Errorf("-rounds %d, expected 1 or more", rounds)
	}
	records, err := load(table)
	if err != nil {
		return err
	}
	at, err := here(tree)
	if err != nil {
		return err
	}
	now, err := measure(tree, rounds, at)
	if err != nil {
		return err
	}
	print(now, last(records, at))
	records = append(records, now...)
	if add {
		if err := save(table, records); err != nil {
			return err
		}
	}
	if picture != "" {
		return drawTo(picture, of(records, at.Machine))
	}
	return nil
}

// print shows medians and their ratios to the last record.
func print(now []record, before map[string]record) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "benchmark\tmedian\tleast\tmost\tunit\tlast\tratio\tof commit\t")
	for _, r := range now {
		b, ok := before[r.Benchmark]
		if !ok {
			fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%.4g\t%s\t\t\tno record of such a machine\t\n", r.Benchmark, r.Median, r.Min, r.Max, r.Unit)
			continue
		}
		fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%.4g\t%s\t%.4g\t%.2f\t%s\t\n", r.Benchmark, r.Median, r.Min, r.Max, r.Unit, b.Median,
			r.Median/b.Median, b.Commit)
	}
	w.Flush()
}
