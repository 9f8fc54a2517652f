package cli

import "runtime/debug"

// Version names the module's version and commit as the build recorded them.
func Version() string {
	v, commit := BuildVersion()
	return v + " (" + commit + ")"
}

func BuildVersion() (version, commit string) {
	version, commit = "development", "unknown commit"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, commit
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
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
