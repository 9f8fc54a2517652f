// Package policies is the commands marigram policies, which lists, begins and checks policies, and judge, which ranks those of
// others.
package policies

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/policies"
)

// Command returns the command that lists the policies.
func Command() *cobra.Command {
	var f cli.Answer
	cmd := cli.WithFlags(&cobra.Command{
		Use:     "policies",
		Short:   "List the policies with their settings, defaults and sources",
		Example: "  marigram policies --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			infos := policyInfos()
			return f.Give(cmd, infos, func(out io.Writer) {
				for _, p := range infos {
					fmt.Fprintf(out, "%s: %s\n  source: %s\n  needs: %s\n", p.Name, p.Doc, p.Source, p.Needs)
					for _, s := range p.Settings {
						fmt.Fprintf(out, "  %s = %v (%s): %s\n", s.Name, s.Default, s.expected, s.Doc)
					}
				}
			})
		},
	}, &f)
	cmd.AddCommand(newPolicy(), checkPolicy())
	return cmd
}

type policyInfo struct {
	Name     string        `json:"name"`
	Doc      string        `json:"doc"`
	Source   string        `json:"source"`
	Needs    string        `json:"needs"`
	Settings []settingInfo `json:"settings"`
}

type settingInfo struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default any      `json:"default"`       // a number, true or false, or a name
	Min     *float64 `json:"min,omitempty"` // of a number
	Max     *float64 `json:"max,omitempty"`
	Names   []string `json:"names,omitempty"` // that it can be

	expected string
}

func policyInfos() []policyInfo {
	var out []policyInfo
	for _, p := range append(policies.List(), policies.Forms()...) {
		info := policyInfo{Name: p.Name, Doc: p.Doc, Source: p.Source, Needs: p.Needs.String(), Settings: []settingInfo{}}
		for _, s := range policies.Settings(p.Defaults()) {
			x := settingInfo{Name: s.Name, Doc: s.Doc, Default: s.Value, Names: s.Names, expected: s.Expected()}
			if _, number := s.Value.(float64); number {
				x.Min, x.Max = &s.Min, &s.Max
			}
			info.Settings = append(info.Settings, x)
		}
		out = append(out, info)
	}
	return out
}
