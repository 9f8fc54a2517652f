package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuildVersion(t *testing.T) {
	ours := debug.Module{Path: module, Version: "v1.2.3"}
	mine := debug.Module{Path: "example.org/mine", Version: "(devel)"}
	at := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	replaced := ours
	replaced.Replace = &debug.Module{Path: "../marigram"}
	for _, c := range []struct {
		info            debug.BuildInfo
		version, commit string
	}{
		{debug.BuildInfo{Main: ours, Settings: at}, "v1.2.3", "abc+changes"},
		{debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}}, "development", "unknown commit"},
		{debug.BuildInfo{Main: mine, Deps: []*debug.Module{&ours}, Settings: at[:1]}, "v1.2.3 in example.org/mine development", "abc"},
		{debug.BuildInfo{Main: mine, Deps: []*debug.Module{&replaced}}, "development in example.org/mine development", "unknown commit"},
	} {
		if version, commit := buildVersion(&c.info); version != c.version || commit != c.commit {
			t.Errorf("%s, %s; expected %s, %s", version, commit, c.version, c.commit)
		}
	}
}
