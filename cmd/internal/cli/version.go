package cli

import (
	"runtime/debug"
	"slices"
)

// module is the path of the module that this package is of.
const module = "github.com/marigram/marigram"

// Version names the module's version and commit as the build recorded them.
func Version() string {
	v, commit := BuildVersion()
	return v + " (" + commit + ")"
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
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
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
