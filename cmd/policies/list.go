// Package policies is the commands marigram policies, which lists, begins and checks policies, and judge, which ranks
// those of others.
package policies

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/plugin/loader"
	"github.com/marigram/marigram/sim"
)

// Command returns the command that lists the policies.
func Command() *cobra.Command {
	var f cli.Answer
	cmd := cli.WithFlags(&cobra.Command{
		Use:   "policies [NAME|COMMAND|FILE.py]...",
		Short: "List the policies with their settings, defaults and sources",
		Long: `Lists the policies of marigram, or the named ones, with what each needs and its settings: their defaults,
what they take and what they do. A policy of your own is asked for its settings; it runs with your rights.`,
		Example: `  marigram policies --json
  marigram policies spotdnn-safe
  marigram policies 'python3 mine.py'`,
		ValidArgsFunction: cli.Complete("policies"),
		RunE: func(cmd *cobra.Command, args []string) error {
			infos, err := policyInfos(args)
			if err != nil {
				return err
			}
			return f.Give(cmd, infos, func(out io.Writer) {
				for _, p := range infos {
					fmt.Fprintf(out, "%s: %s\n  source: %s\n  needs: %s\n", p.Name, p.Doc, p.Source, p.Needs)
					for _, s := range p.Settings {
						fmt.Fprintf(out, "  %s = %v (%s): %s\n", s.Name, s.Default, s.expected, s.Doc)
					}
					for _, a := range p.Assumes {
						fmt.Fprintf(out, "  assumed, %s: %s\n", a.Name, a.Doc)
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
	Pursues  []string      `json:"pursues"` // names of the kinds of objectives
	Settings []settingInfo `json:"settings"`

	Assumes []policies.Assumption `json:"assumes,omitempty"` // beside settings
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

// policyInfos describes the named policies, and external ones; all of marigram's if none is named.
func policyInfos(args []string) (out []policyInfo, err error) {
	all := append(policies.List(), policies.Forms()...)
	if len(args) > 0 {
		all = nil
	}
	for _, name := range args {
		if !strings.ContainsAny(name, " ./=") {
			named, err := policies.Named(name)
			if err != nil {
				return nil, err
			}
			all = append(all, named)
			continue
		}
		info, err := ownInfo(name)
		if err != nil {
			return nil, err
		}
		out = append(out, *info)
	}
	for _, p := range all {
		out = append(out, policyInfo{
			Name:     p.Name,
			Doc:      p.Doc,
			Source:   p.Source,
			Needs:    p.Needs.String(),
			Pursues:  objective.Pursued(&p),
			Settings: settingInfos(p.Defaults()),
			Assumes:  p.Assumes,
		})
	}
	return out, nil
}

// ownInfo describes an external policy.
func ownInfo(text string) (*policyInfo, error) {
	own, err := loader.ParseFile(text)
	if err != nil {
		return nil, err
	}
	policy, err := own.Policy(true)
	if err != nil {
		return nil, cli.Failed(err)
	}
	info := &policyInfo{
		Name:     own.Name,
		Doc:      "a policy of your own",
		Source:   text,
		Needs:    "one job or a few",
		Pursues:  objective.Pursued(&policies.Info{}),
		Settings: settingInfos(policy),
	}
	if declarer, is := policy.(policies.Declarer); is && declarer.Declared() == nil {
		info.Doc += "; it does not say which settings it has"
	}
	return info, nil
}

func settingInfos(policy sim.Policy) []settingInfo {
	infos := []settingInfo{}
	for _, s := range policies.Settings(policy) {
		info := settingInfo{Name: s.Name, Doc: s.Doc, Default: s.Value, Names: s.Names, expected: s.Expected()}
		if _, number := s.Value.(float64); number {
			info.Min = &s.Min
			info.Max = &s.Max
		}
		infos = append(infos, info)
	}
	return infos
}
