package run

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces/catalogue"
)

// pullSets downloads the public sets that a spec reads and that are not there.
func pullSets(cmd *cobra.Command, s *spec.Spec) error {
	var paths []string
	for _, h := range s.Market.Traces {
		paths = append(paths, h.Path)
	}
	for _, f := range s.Failures() {
		paths = append(paths, f.Trace)
	}
	if l := s.Model.Layout; l != nil {
		paths = append(paths, l.Profiles)
	}
	for _, path := range paths {
		name, public := strings.CutPrefix(path, catalogue.PulledPrefix)
		if !public {
			continue
		}
		if _, err := catalogue.PulledDir(name); err == nil {
			continue
		}
		e, err := catalogue.EntryNamed(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "pulling %s: %.1f MB from %s\n", name, float64(e.Bytes())/1e6, e.Repo)
		if _, err := catalogue.Pull(cmd.Context(), e, catalogue.PullOptions{Download: catalogue.HTTP(nil)}); err != nil {
			return cli.Failed(err)
		}
	}
	return nil
}
