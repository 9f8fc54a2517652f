package traces

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

// dataSet is what the list says of a public data set.
type dataSet struct {
	Name      string           `json:"name"`
	What      string           `json:"what"`
	Use       string           `json:"use"` // what it is good for
	Cloud     string           `json:"cloud"`
	Span      string           `json:"span"`
	Repo      string           `json:"repo"`
	Commit    string           `json:"commit"`
	Licence   string           `json:"licence"` // empty: none stated
	Bytes     int64            `json:"bytes"`
	Files     []catalogue.File `json:"files"`
	Pullable  bool             `json:"pullable"`
	Reason    string           `json:"reason,omitempty"` // why it is not
	Kept      string           `json:"kept,omitempty"`   // why the files are not converted
	Note      string           `json:"note,omitempty"`
	Pulled    bool             `json:"pulled"`
	PulledDir string           `json:"pulled_dir,omitempty"`
}

func dataSets() []dataSet {
	var list []dataSet
	for _, e := range catalogue.Catalogue() {
		set := dataSet{
			Name:     e.Name,
			What:     e.What,
			Use:      e.Use,
			Cloud:    e.Cloud,
			Span:     e.Span,
			Repo:     e.Repo,
			Commit:   e.Commit,
			Licence:  e.Licence,
			Bytes:    e.Bytes(),
			Files:    append([]catalogue.File{}, e.Files...), // never null in JSON
			Pullable: true,
			Kept:     e.Kept,
			Note:     e.Note,
		}
		if err := e.Pullable(); err != nil {
			set.Pullable = false
			set.Reason = err.Error()
		}
		if dir, err := catalogue.PulledDir(e.Name); err == nil {
			set.Pulled = true
			set.PulledDir = dir
		}
		list = append(list, set)
	}
	return list
}

// state says in one word or two whether a set is there, or can be.
func (d *dataSet) state() string {
	switch {
	case d.Pulled:
		return "pulled"
	case !d.Pullable:
		return "no checksum"
	}
	return "-"
}

func listCommand() *cobra.Command {
	var f cli.Answer
	return cli.WithFlags(&cobra.Command{
		Use:   "list",
		Short: "List the public data sets that can be pulled, with their licences",
		Long: `Lists the known public data sets: what they record, what they are good for, where they
are, and their licences. None is part of this program. A data set without a known
checksum cannot be pulled; import a copy instead. "Kept as files" is what no importer
reads alone, with the reason: pull checks it and leaves it as it is.`,
		Example: "  marigram traces list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sets := dataSets()
			return f.Give(cmd, sets, func(w io.Writer) { printDataSets(w, sets) })
		},
	}, &f)
}

// printDataSets prints a line a set, and below it what it records, where it is
// and what to mind.
func printDataSets(w io.Writer, sets []dataSet) {
	for i := range sets {
		set := &sets[i]
		size := "-"
		if set.Pullable {
			size = sizeText(set.Bytes)
		}
		fmt.Fprintf(w, "%s  [%s]\n  %s (%s)\n  %s; %s; licence: %s\n  %s@%.12s\n",
			set.Name, set.state(), set.What, set.Cloud, set.Span, size, cmp.Or(set.Licence, "none stated"),
			set.Repo, set.Commit)
		for _, more := range []struct{ what, text string }{
			{"good for: ", set.Use},
			{"kept as files: ", set.Kept},
			{"note: ", set.Note},
			{"", set.Reason},
		} {
			if more.text != "" {
				fmt.Fprintf(w, "  %s%s\n", more.what, more.text)
			}
		}
	}
	fmt.Fprintln(w, "\nsets without a licence may not be redistributed: "+
		"they are listed, but never part of this program")
}

// sizeText writes a size for people.
func sizeText(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

type pullFlags struct {
	From            string `flag:"from" help:"take the files from this <folder>: a checkout, or a copy of the set"`
	Files           string `flag:"files" help:"keep the files as they were published in this <folder> too, laid out as --from takes them"`
	AcceptNoLicence bool   `flag:"accept-no-licence" help:"pull sets whose repository states no licence"`
}

func pullCommand() *cobra.Command {
	var f pullFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "pull NAME...",
		Short: "Download public data sets, check them and convert them",
		Long: `Downloads public data sets into the user's cache folder (or copies them from a local
folder), checks every file against its SHA-256, and converts them to the neutral
form. A set that is already there is not changed. Sets that no importer reads alone are
kept as files (traces list says which, and why).

A spec and the other commands then read pulled:NAME.`,
		Example: `  marigram traces pull bamboo-aws-p3
  marigram traces stats pulled:bamboo-aws-p3
  marigram traces pull dime-aws-spot-prices --from ~/training_on_a_dime`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeDataSets,
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := dataSetsNamed(args)
			if err != nil {
				return err
			}
			opt := catalogue.PullOptions{
				Download:        catalogue.HTTP(nil),
				From:            f.From,
				Files:           f.Files,
				AcceptNoLicence: f.AcceptNoLicence,
			}
			var done []string
			for _, e := range entries {
				if err := pull(cmd, e, opt); err != nil && done != nil {
					return cli.Partial(err, done)
				} else if err != nil {
					return err
				}
				done = append(done, e.Name)
			}
			return nil
		},
	}, &f)
}

func completeDataSets(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, e := range catalogue.Catalogue() {
		if e.Pullable() == nil {
			out = append(out, cobra.CompletionWithDesc(e.Name, e.What))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// dataSetsNamed finds all sets before the first is pulled.
func dataSetsNamed(names []string) ([]*catalogue.Entry, error) {
	var entries []*catalogue.Entry
	for _, name := range names {
		entry, err := catalogue.EntryNamed(name)
		if err != nil {
			return nil, fmt.Errorf("%w; see marigram traces list", err)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// pull pulls one set and says what it did.
func pull(cmd *cobra.Command, e *catalogue.Entry, opt catalogue.PullOptions) error {
	stop := showPull(cmd.ErrOrStderr(), e, &opt)
	pulled, err := catalogue.Pull(cmd.Context(), e, opt)
	stop()
	out := cmd.OutOrStdout()
	switch {
	case errors.Is(err, catalogue.ErrNoLicence):
		return fmt.Errorf("%w; you may have no right to use it: "+
			"--accept-no-licence pulls it on your own responsibility", err)
	case errors.Is(err, catalogue.ErrNoChecksum), errors.As(err, new(*traces.DataError)):
		return err
	case err != nil:
		return cli.Failed(err)
	case pulled.Already:
		fmt.Fprintf(out, "%s: already pulled: %s\n", e.Name, pulled.Dir)
	case e.Kept != "":
		fmt.Fprintf(out, "%s: %d files, kept as they are (%s): %s\n", e.Name, pulled.Report.Files, e.Kept, pulled.Dir)
	default:
		fmt.Fprintf(out, "%s: %d files, %d rows in %d pools: %s\n",
			e.Name, pulled.Report.Files, pulled.Report.Unique, pulled.Report.Pools, pulled.Dir)
	}
	return nil
}

// showPull shows a bar where a person looks on, and else says once what comes.
// The function that it returns clears the bar.
func showPull(stderr io.Writer, e *catalogue.Entry, opt *catalogue.PullOptions) func() {
	shown := cli.NewBar(stderr, e.Bytes(), "bytes", e.Name)
	if shown == nil {
		said := false
		opt.Progress = func(catalogue.PullProgress) {
			if !said {
				fmt.Fprintf(stderr, "%s: %d files, %s from %s\n",
					e.Name, len(e.Files), sizeText(e.Bytes()), source(e, opt))
				said = true
			}
		}
		return func() {}
	}
	opt.Progress = func(p catalogue.PullProgress) { shown.Set(p.Bytes) }
	return shown.Clear
}

func source(e *catalogue.Entry, opt *catalogue.PullOptions) string {
	if opt.From != "" {
		return filepath.Clean(opt.From)
	}
	return fmt.Sprintf("%s@%.12s", e.Repo, e.Commit)
}
