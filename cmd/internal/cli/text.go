package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/marigram/marigram/traces"
)

// WriteJSON prints a value as JSON, indented.
func WriteJSON(w io.Writer, v any) error {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return Failed(err)
	}
	_, err = fmt.Fprintf(w, "%s\n", out)
	return Failed(err)
}

// Significant prints a number for people, to five digits.
func Significant(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }

// Percent prints a share in percent.
func Percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) + " %" }

// Meaning puts the semantics of a trace into words.
func Meaning(semantics string) string {
	return cmp.Or(meanings[semantics], "meaning of the counts is not stated")
}

var meanings = map[string]string{
	traces.SemanticsPrices:      "prices",
	traces.SemanticsLaunchProbe: "launch probes: machines that could be launched",
	traces.SemanticsBinaryZone:  "launch probes of one machine",
	traces.SemanticsHeld:        "machines that ran",
	traces.SemanticsAutoscaling: "machines that ran in an autoscaled pool with an unknown target size",
	traces.SemanticsSynthetic:   "SYNTHETIC",
}

// module is the path of the module that this package is of.
const module = "github.com/marigram/marigram"

// Version names the module's version and commit as the build recorded them.
func Version() string {
	version, commit := BuildVersion()
	return version + " (" + commit + ")"
}

// BuildVersion returns what results say of the program that computed them: the
// version of marigram, and the commit that the program was built from. Of a program
// of another module, which may have policies of its own, the version names that
// module as well, and the commit is the other module's.
func BuildVersion() (version, commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return development, unknownCommit
	}
	return buildVersion(info)
}

const development, unknownCommit = "development", "unknown commit"

func buildVersion(info *debug.BuildInfo) (version, commit string) {
	version = released(&info.Main)
	if info.Main.Path != module {
		version = development
		if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == module }); i >= 0 {
			version = released(info.Deps[i])
		}
		version += " in " + info.Main.Path + " " + released(&info.Main)
	}
	commit = unknownCommit
	dirty := ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = "+changes"
		}
	}
	return version, commit + dirty
}

// released returns the version of a module, if it is one that was released.
func released(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	if m.Version == "" || m.Version == "(devel)" {
		return development
	}
	return m.Version
}
