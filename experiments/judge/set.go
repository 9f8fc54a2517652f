package judge

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/spec"
)

// Set is a fixed list of studies.
type Set struct {
	Name    string  `json:"name" jsonschema:"name of the set"`
	Version int     `json:"version" min:"1" jsonschema:"at least 1; grows whenever a study changes"`
	About   string  `json:"about,omitempty" jsonschema:"what it is for"`
	Late    float64 `json:"late,omitempty" min:"0" max:"1000" jsonschema:"a run that misses its objective also pays this many times what the job costs under the policy ondemand; 2 if absent"`
	Studies []Study `json:"studies" items:"1000" jsonschema:"specs, each with the starts of its runs"`

	SHA256 string `json:"-"` // of its list and its specs

	dir   string // where its files are; empty if they are nowhere
	files map[string][]byte
}

// Study is one spec of a set. Its runs begin at the start of its traces, or at n
// instants as they leave room for.
type Study struct {
	Spec  string `json:"spec" jsonschema:"a spec, a file next to the set's; it names no policies"`
	Every string `json:"every,omitempty" jsonschema:"on recorded traces: time between starts, such as 72h"`
	Part  string `json:"part,omitempty" names:"train,judge" jsonschema:"with every: the part of the traces in which runs begin and end, as starts.part of a spec; all of them if absent"`
}

//go:embed sets
var builtin embed.FS

// Names returns the names of the sets that come with marigram.
func Names() (names []string) {
	entries, _ := builtin.ReadDir("sets")
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// setFile is the name of a set's list.
const setFile = "set.yaml"

// Open opens a set: one that comes with marigram by its name, or a folder with set.yaml and its specs.
func Open(name string) (*Set, error) {
	if dir, err := fs.Sub(builtin, "sets/"+name); err == nil && slices.Contains(Names(), name) {
		return read(dir, "")
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no set %q, expected a folder with %s, or one of %s",
			name, setFile, strings.Join(Names(), ", "))
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no folder, expected one with %s", name, setFile)
	}
	return read(os.DirFS(name), name)
}

// read reads a folder: the list, and the specs that it names.
func read(dir fs.FS, path string) (*Set, error) {
	text, err := readFile(dir, setFile)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{setFile: text}
	set, err := parse(filepath.Join(path, setFile), text)
	if err != nil {
		return nil, err
	}
	for _, study := range set.Studies {
		if files[study.Spec], err = readFile(dir, study.Spec); err != nil {
			return nil, err
		}
	}
	set.hold(path, files)
	return set, nil
}

func readFile(dir fs.FS, name string) ([]byte, error) {
	const largest = 1 << 20
	info, err := fs.Stat(dir, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > largest:
		return nil, fmt.Errorf("%s: expected a regular file of at most %d bytes", name, largest)
	}
	return fs.ReadFile(dir, name)
}

// parse reads the list of a set.
func parse(name string, text []byte) (*Set, error) {
	doc, err := document.Parse(name, "a set of studies", text)
	if err != nil {
		return nil, err
	}
	set := &Set{Late: 2}
	if err := doc.Decode(set); err != nil {
		return nil, err
	}
	if err := doc.Check(set); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, study := range set.Studies {
		at := fmt.Sprintf("$.studies[%d]", i)
		switch {
		case !fs.ValidPath(study.Spec) || study.Spec == "." || seen[study.Spec]:
			return nil, doc.ErrorAt(at, "spec %q, expected a file in the folder of the set that no other study names",
				study.Spec)
		case study.Every != "":
			if every, err := spec.ParseDuration(study.Every); err != nil || every < time.Second {
				return nil, doc.ErrorAt(at+".every", "every %q, expected a time of at least 1s", study.Every)
			}
		case study.Part != "":
			return nil, doc.ErrorAt(at+".part", "part %q, expected only with every", study.Part)
		}
		seen[study.Spec] = true
	}
	return set, nil
}

// hold gives a set its files.
func (s *Set) hold(dir string, files map[string][]byte) {
	s.dir = dir
	s.files = files
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "%x %q\n", sha256.Sum256(files[name]), name)
	}
	s.SHA256 = hex.EncodeToString(hash.Sum(nil))
}

// spec parses the spec of a study.
func (s *Set) spec(x Study) (*spec.Spec, error) {
	parsed, err := spec.Parse(filepath.Join(s.dir, x.Spec), s.files[x.Spec])
	if err != nil {
		return nil, err
	}
	switch {
	case len(parsed.Objectives) == 0 || !parsed.Workload().HasObjectives():
		return nil, parsed.ErrorAt("$", "a study of a set has one job and its objectives")
	case !slices.ContainsFunc(parsed.Policies, func(p spec.Policy) bool { return p.Name == onDemand }):
		return nil, parsed.ErrorAt("$.market",
			"policies are compared with %s, for which the spec has no instances on demand", onDemand)
	}
	parsed.Bound = true
	return parsed, parsed.Boundable()
}

// onDemand is the policy whose cost a miss is counted by.
const onDemand = "ondemand"
