// Command structure measures the tree of the module: its packages and the imports
// between them, how the files of each package depend on one another, and sizes.
//
//	make -C tools tools && bin/tools/structure [-back] [-unused] [FOLDER]
//
// Imports are those of the packages themselves, not of their tests. A package that
// imports none of the module is on layer 0, others one above the highest that they
// import.
//
// A picture is what is directly in a folder: the files of its package, and the
// folders, each of which stands for all that is below it. An arrow leads from one to
// another if it uses a top-level name, a field or a method that the other declares;
// between packages, top-level names alone count. Tests are left out, and so are
// files that other systems compile. The nodes are put on layers, users above what
// they use. Where nodes use one another in a circle some arrow runs back, upwards;
// the order is chosen so that few do (see order), and these are counted. With -back
// they are listed.
//
// Sizes are those of all Go files below the folder, other modules and systems
// included, but for generated ones, testdata and, where it is not said otherwise,
// tests. An exported name is a top-level one or the method of an exported type; a
// group's comment counts for its names. A repeated run is one of 6 or more lines of
// code that is found elsewhere, too, blank lines, comments and indents aside. With
// -unused those exported top-level names are listed that no other package uses, nor
// needs for what it uses: as the type of a result, for instance.
//
// At the end is how the folders of the product (all but papers and tools) read: tokens of Go, comments left out, in all
// and in a line of code; how many assignments have several values side by side, results of calls and range clauses
// left out; how long the names of locals are; lines of more than 120 columns, a tab being four.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	back := flag.Bool("back", false, "list the arrows that run back")
	unused := flag.Bool("unused", false, "list the exported names that no other package uses")
	flag.Parse()
	dir := "."
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	if err := report(os.Stdout, dir, *back, *unused); err != nil {
		fmt.Fprintln(os.Stderr, "structure:", err)
		os.Exit(1)
	}
}

func report(w io.Writer, dir string, back, unused bool) error {
	t, err := load(dir)
	if err != nil {
		return err
	}
	c, err := count(dir)
	if err != nil {
		return err
	}
	t.printImports(w)
	t.printPictures(w, back)
	c.print(w)
	t.printExported(w, unused)
	c.printReading(w)
	return nil
}

// printImports prints the packages by layer, the highest first.
func (t *tree) printImports(w io.Writer) {
	layers := t.layers()
	fmt.Fprintf(w, "%d packages on %d layers\n", len(t.packages), len(layers))
	for n := len(layers) - 1; n >= 0; n-- {
		fmt.Fprintf(w, "layer %d\n", n)
		for _, r := range layers[n] {
			arrow := ""
			if len(r.imports) > 0 {
				arrow = " -> " + strings.Join(r.imports, " ")
			}
			fmt.Fprintf(w, "  %s%s\n", named(r.folder), arrow)
		}
	}
}

// printPictures prints how many arrows run back in each folder.
func (t *tree) printPictures(w io.Writer, back bool) {
	fmt.Fprintf(w, "\n%-30s %6s %6s %6s %6s\n", "picture of folder", "nodes", "layers", "arrows", "back")
	sum := 0
	for _, p := range t.pictures() {
		l := p.lay()
		sum += len(l.back)
		fmt.Fprintf(w, "%-30s %6d %6d %6d %6d\n", named(p.folder), len(p.nodes), len(l.layers), l.arrows, len(l.back))
		for _, arrow := range l.back {
			if back {
				fmt.Fprintf(w, "  %s uses %s\n", p.nodes[arrow[0]], p.nodes[arrow[1]])
			}
		}
	}
	fmt.Fprintf(w, "%-30s %27d\n\n", "in all", sum)
}

func named(folder string) string {
	if folder == "" {
		return "(root)"
	}
	return folder
}

func (c *counts) print(w io.Writer) {
	var files, exported []int
	names, documented := 0, 0
	for _, f := range c.folders {
		files, exported = append(files, f.files), append(exported, f.exported)
		names, documented = names+f.exported, documented+f.documented
	}
	row := func(what, format string, values ...any) {
		fmt.Fprintf(w, "%-44s "+format+"\n", append([]any{what}, values...)...)
	}
	row("files", "%d", len(c.files))
	row("lines a file, p50/p90/max", "%s", spread(c.files, 0.5, 0.9, 1))
	row("lines a function, p50/p90/p99/max", "%s", spread(c.functions, 0.5, 0.9, 0.99, 1))
	row("share of lines that are tests", "%.0f %%", percent(c.testLines, c.lines+c.testLines))
	row("exported names with a comment", "%.1f %% of %d", percent(documented, names), names)
	row("files a package, p50/p90/max", "%s (%d packages)", spread(files, 0.5, 0.9, 1), len(files))
	row("exported names a package, p50/p90/max", "%s", spread(exported, 0.5, 0.9, 1))
	row("repeated runs per 1,000 lines", "%.1f", 1000*float64(c.repeated())/float64(c.lines))
	row(fmt.Sprintf("lines of more than %d characters", longLine), "%.2f %% (%d)", percent(c.long, c.lines), c.long)
}

// printExported prints how many exported top-level names no other package uses.
func (t *tree) printExported(w io.Writer, list bool) {
	needed := t.needs()
	var lines []string
	unused, tested := 0, 0
	for _, name := range t.exported {
		switch {
		case t.used[name]:
			continue
		case needed[name]: // as the type of a result, for instance
		case t.tested[name]:
			tested++
			lines = append(lines, name+" (but tests elsewhere do)")
		default:
			lines = append(lines, name)
		}
		unused++
	}
	fmt.Fprintf(w, "%-44s %d of %d; what is used needs %d of them, tests elsewhere %d\n",
		"top-level names used by no other package", unused, len(t.exported), unused-len(lines), tested)
	for _, line := range lines {
		if list {
			fmt.Fprintln(w, " ", strings.TrimPrefix(line, t.module+"/"))
		}
	}
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

func spread(list []int, shares ...float64) string {
	var texts []string
	for _, share := range shares {
		texts = append(texts, fmt.Sprint(at(list, share)))
	}
	return strings.Join(texts, "/")
}
