package judge

import (
	"context"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// Contest is a set with rules of its own: whoever registers it runs programs by them, and says what came of it.
type Contest struct {
	Name    string // by which --set names it
	About   string // a sentence
	Version int    // from 1; grows whenever a case or a rule changes
	Size    string // what it has, such as "1,080 runs"
	// Judge runs programs by the contest's rules. A program that fails is no error of Judge.
	Judge func(ctx context.Context, programs []*loader.Plugin, opt Options) (*Report, error)
}

// Report is what came of a contest.
type Report struct {
	Document any            // as JSON
	Title    string         // stands above the tables
	Tables   []*table.Table // for people
	Notes    []string       // stand below them
	Warnings []string
	Failed   error // names the programs that are out; nil: none is
}

var contests = registry.New[Contest]("set")

// Register makes a contest known. Call it in an init function; it panics for a name that another has.
func Register(c Contest) { contests.Add(c.Name, c) }

// Contests lists the contests, by name.
func Contests() []Contest { return contests.All() }
