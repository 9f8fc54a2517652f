package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// SchemaVersion counts the changes of the tables that a reader must know of. 2 added candidates and instances, and to
// decisions their number, inputs and whether they changed the plan; 3 added objective_share and unit to the runs; 4
// gave columns better names; 5 added the moves of a job's state and their cost; 6 what checkpoints
// that are kept and commitments cost, what no policy can beat, and many jobs on a cluster: jobs.parquet, columns of the
// runs, and the job of an instance; 7 what the moves of each of many jobs cost, what commitments covered of them, and
// how late they were; 8 tasks.parquet, which is gone; 9 made cost_usd of a job its whole part of the bill, and spans
// fewer: a pool of which nothing is held has one until its price or capacity changes; 10 start_s of a run; 11 what the
// objective of a run asks for beside a deadline; 12 failures of machines; 13 the layout of a span; 14 outages.parquet,
// when machines were down, and down_max; 15 what policies assume; 16 what being late costs under a
// soft deadline, and how often the number of a job's GPUs changed; 17 time that slow machines take, and those that were
// replaced; 18 slow.parquet, when machines were slow.
const SchemaVersion = 18

// oldestVersion is the oldest version that is read: no column has another name since then, and columns know in which
// version they were added.
const oldestVersion = 9

// Outdated warns of tables of an older version that were read all the same; it is
// empty for the present version.
func Outdated(version int) string {
	if version == SchemaVersion {
		return ""
	}
	text := fmt.Sprintf("tables of schema version %d (current: %d)", version, SchemaVersion)
	if added := addedSince(reflect.TypeFor[Summary](), version); added != nil {
		text += fmt.Sprintf(": %d columns that were added since are read as 0 or null", len(added))
	}
	return text
}

// addedSince returns the columns of a row that tables of a version do not have.
func addedSince(row reflect.Type, version int) (names []string) {
	for i := range row.NumField() {
		tag := row.Field(i).Tag
		if added, err := strconv.Atoi(tag.Get("added")); err == nil && added > version {
			names = append(names, tag.Get("col"))
		}
	}
	return names
}

// Provenance says where results come from: with the same tool, inputs, seed
// and GOARCH they can be made again to the last bit.
type Provenance struct {
	Version       string   // of the tool
	Commit        string   // that it was built from; "" if unknown
	SpecName      string   // name of the study
	SpecSHA256    string   // of its file, hexadecimal
	Inputs        []Input  // files that it read, in order
	Seed          int64    // first seed of the study
	CommandLine   []string // as it was started, the program's name first
	GOARCH        string   // processor architecture: floating point differs between them
	SchemaVersion int      // of the tables; 0 stands for SchemaVersion when written
}

// SHA256 is the hash of a file or a text, hexadecimal.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Input is a file that a study read.
type Input struct {
	Name   string `json:"name"`   // without its folder
	SHA256 string `json:"sha256"` // hexadecimal
}

// The metadata keys of a Provenance.
const (
	keyVersion = "marigram.version"
	keyCommit  = "marigram.commit"
	keySpec    = "marigram.spec"
	keySpecSHA = "marigram.spec_sha256"
	keyInputs  = "marigram.inputs" // JSON, a list of {name, sha256}
	keySeed    = "marigram.seed"
	keyCommand = "marigram.command_line" // JSON, a list of strings
	keyArch    = "marigram.goarch"
	keySchema  = "marigram.schema_version"
)

// Meta is the provenance as key-value metadata.
func (p Provenance) Meta() map[string]string {
	version := p.SchemaVersion
	if version == 0 {
		version = SchemaVersion
	}
	return map[string]string{
		keyVersion: p.Version, keyCommit: p.Commit,
		keySpec: p.SpecName, keySpecSHA: p.SpecSHA256,
		keyInputs: toJSON(p.Inputs), keySeed: strconv.FormatInt(p.Seed, 10),
		keyCommand: toJSON(p.CommandLine), keyArch: p.GOARCH,
		keySchema: strconv.Itoa(version),
	}
}

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // lists of strings always have a JSON form
	}
	return string(text)
}

// provenanceOf reads the provenance back. It fails, naming the key, where one
// is missing or malformed, and for a schema that this program does not read.
func provenanceOf(meta map[string]string) (p Provenance, err error) {
	for _, part := range []struct {
		key   string
		parse func(string) error
	}{
		{keyVersion, set(&p.Version)}, {keyCommit, set(&p.Commit)},
		{keySpec, set(&p.SpecName)}, {keySpecSHA, set(&p.SpecSHA256)}, {keyArch, set(&p.GOARCH)},
		{keySchema, func(s string) (err error) { p.SchemaVersion, err = strconv.Atoi(s); return err }},
		{keySeed, func(s string) (err error) { p.Seed, err = strconv.ParseInt(s, 10, 64); return err }},
		{keyInputs, func(s string) error { return json.Unmarshal([]byte(s), &p.Inputs) }},
		{keyCommand, func(s string) error { return json.Unmarshal([]byte(s), &p.CommandLine) }},
	} {
		text, has := meta[part.key]
		if !has {
			return p, fmt.Errorf("metadata have no %s: not a result of marigram", part.key)
		}
		if err := part.parse(text); err != nil {
			return p, fmt.Errorf("metadata %s is %q: %w", part.key, text, err)
		}
	}
	return p, CheckVersion(p.SchemaVersion)
}

func set(field *string) func(string) error {
	return func(text string) error { *field = text; return nil }
}

// CheckVersion refuses schema versions whose tables this program does not read.
func CheckVersion(version int) error {
	switch {
	case version > SchemaVersion:
		return fmt.Errorf("schema version %d is newer than this program, which reads %d to %d",
			version, oldestVersion, SchemaVersion)
	case version < oldestVersion:
		return fmt.Errorf("schema version %d is too old, expected %d to %d: run the study again",
			version, oldestVersion, SchemaVersion)
	}
	return nil
}
