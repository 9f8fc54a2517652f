// Command data gets the public data sets that tests, specs and claims need, of the list docs/data.csv: each is checked
// against its SHA-256, converted, and kept as it was published too, for the tests of formats.
//
//	make data, or: make -C tools tools && bin/tools/data [-from FOLDER]
//
// With -from the sets come from a local copy instead of their public homes. What the copy lacks is said, and is no
// error; other files of its folders, such as parts of sets, are taken for the tests of formats as they are.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// list is the list of the sets.
const list = "docs/data.csv"

func main() {
	from := flag.String("from", "", "take the sets from this `folder`")
	program := flag.String("marigram", "bin/marigram", "the `program` that pulls")
	flag.Parse()
	if err := get(*program, *from, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "data:", err)
		os.Exit(1)
	}
}

// set is a row of the list.
type set struct {
	name    string
	bytes   int64    // 0: it is not pulled, only copies are read
	folders []string // of local copies, which tests of formats read
}

func get(program, from string, out io.Writer) error {
	sets, err := read(list)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	files := filepath.Join(cache, "marigram", "files")
	var absent []string
	bytes := int64(0)
	pulled := slices.DeleteFunc(slices.Clone(sets), func(s set) bool { return s.bytes == 0 })
	for i, s := range pulled {
		args := []string{"traces", "pull", s.name, "--files", files}
		if from != "" {
			args = append(args, "--from", from)
		}
		text, err := exec.Command(program, args...).CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(out, "%d of %d: %s\n", i+1, len(pulled), lines[len(lines)-1])
		if err != nil {
			absent = append(absent, s.name)
			continue
		}
		bytes += s.bytes
	}
	if from != "" {
		if err := copyFolders(sets, from, files); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%d of %d sets are there, %.1f MB as published\n", len(pulled)-len(absent), len(pulled), float64(bytes)/1e6)
	switch {
	case len(absent) == 0:
		return nil
	case from == "":
		return fmt.Errorf("not there: %s", strings.Join(absent, ", "))
	}
	fmt.Fprintf(out, "%s has not, or not all of: %s\n", from, strings.Join(absent, ", "))
	return nil
}

// read reads the list.
func read(path string) ([]set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if want := "set files bytes sha256 copies"; len(rows) < 2 || strings.Join(rows[0], " ") != want {
		return nil, fmt.Errorf("%s: expected the columns %s, and sets", path, want)
	}
	var sets []set
	for _, r := range rows[1:] {
		n, err := strconv.ParseInt(r[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, r[0], err)
		}
		sets = append(sets, set{name: r[0], bytes: n, folders: strings.Fields(r[4])})
	}
	return sets, nil
}

// copyFolders copies what a local copy has of the folders that tests of formats read, and what is not there yet.
func copyFolders(sets []set, from, to string) error {
	for _, s := range sets {
		for _, folder := range s.folders {
			if err := copyFolder(filepath.Join(from, folder), filepath.Join(to, folder)); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFolder(from, to string) error {
	if _, err := os.Stat(from); os.IsNotExist(err) {
		return nil
	}
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rest)
		if d.IsDir() {
			return os.MkdirAll(at, 0o777)
		}
		if _, err := os.Stat(at); err == nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(at, text, 0o666)
	})
}
