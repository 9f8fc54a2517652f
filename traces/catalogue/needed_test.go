package catalogue

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/data.csv, which make data gets, has the sizes and sums of the catalogue: of a set of one file that file's, else
// the SHA-256 of its lines in catalogue.sums, each with the file's path in the repository.
func TestNeeded(t *testing.T) {
	f, err := os.Open("../../docs/data.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	last, listed := "", map[string]bool{}
	for _, r := range rows[1:] {
		e, err := EntryNamed(r[0])
		if err != nil {
			t.Error(err)
			continue
		}
		want := []string{e.Name, strconv.Itoa(len(e.Files)), strconv.FormatInt(e.Bytes(), 10), e.sum(), r[4]}
		if r[1] == "0" { // only copies are read
			want = []string{e.Name, "0", "0", "", r[4]}
		}
		if strings.Join(r, ",") != strings.Join(want, ",") {
			t.Errorf("docs/data.csv: %s, expected %s", strings.Join(r, ","), strings.Join(want, ","))
		}
		if r[0] <= last {
			t.Errorf("docs/data.csv: %s is not after %s", r[0], last)
		}
		last, listed[r[0]] = r[0], r[1] != "0"
	}
	for name, file := range used(t) {
		if _, err := EntryNamed(name); err == nil && !listed[name] {
			t.Errorf("%s needs %s, which is not in docs/data.csv", file, name)
		}
	}
}

// used returns the names of sets that specs, the specs of figures, papers and tests read, with a file that does.
func used(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	quoted := regexp.MustCompile(
		`pulled:([a-z0-9-]+)|^\s+(?:set|trace): ([a-z0-9-]+)|pulled\.(?:Dir|Set)\([a-z]+, "([a-z0-9-]+)"|` +
			`^\s+[a-zA-Z0-9]+ += "([a-z0-9-]+)"`)
	for _, folder := range []string{"experiments", "papers", "cmd", "policies"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, d fs.DirEntry, err error) error {
			is := strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, "_test.go") || folder == "papers" && strings.HasSuffix(path, ".go")
			if err != nil || !is {
				return err
			}
			text, err := os.ReadFile(path)
			for line := range strings.Lines(string(text)) {
				for _, m := range quoted.FindAllStringSubmatch(line, -1) {
					names[strings.Join(m[1:], "")] = path
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) < 20 {
		t.Errorf("%d names of sets are used: %v", len(names), names)
	}
	return names
}

// sum is that of all files.
func (e *Entry) sum() string {
	if len(e.Files) == 1 {
		return e.Files[0].SHA256
	}
	all := sha256.New()
	for _, f := range e.Files {
		fmt.Fprintln(all, f.SHA256, f.Bytes, f.place())
	}
	return hex.EncodeToString(all.Sum(nil))
}
