// Package loader makes policies of what a spec says about them: a command.
package loader

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// Plugin says where the decisions of a policy are made.
type Plugin struct {
	Name     string
	Settings map[string]any
	Command  []string // a program and its arguments
	Dir      string   // where the command runs, and what names of files are relative to
	Patience time.Duration
	Watches  bool // the policy is asked at price changes as well

	confined []string // command line that starts it in a sandbox (Confine); nil: it is not confined
}

// Parse reads a plug-in from a command line: a program with its arguments, separated by spaces; before it, its
// name and "=", else it has the name of its last file. Files are relative to the present folder.
func Parse(text string) (*Plugin, error) {
	name, command, named := strings.Cut(text, "=")
	if !named || strings.ContainsAny(name, " /.") {
		name, command = "", text
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	g := &Plugin{Name: name, Command: strings.Fields(command), Dir: here}
	if len(g.Command) == 0 {
		return nil, fmt.Errorf("%q has no program", text)
	}
	files := g.Files()
	if name == "" {
		g.Name = nameOf(append(g.Command[:1:1], files...))
	}
	if len(g.Command) == 1 && strings.HasSuffix(command, ".wasm") {
		return nil, fmt.Errorf("%s: %s", command, gone.Instead("key", "wasm"))
	}
	if _, err := policies.Named(g.Name); err == nil {
		return nil, fmt.Errorf("%q is the name of a policy of marigram; give yours another: my-%s=%q",
			g.Name, g.Name, command)
	}
	return g, nil
}

// ParseFile is Parse for what is a policy by itself: a Python file alone is run by python3, and has to be there.
func ParseFile(text string) (*Plugin, error) {
	name, command, named := strings.Cut(text, "=")
	if !named {
		name, command = "", text
	}
	if strings.HasSuffix(command, ".py") && !strings.ContainsRune(command, ' ') {
		if _, err := os.Stat(command); err != nil {
			return nil, err
		}
		text = "python3 " + command
		if named {
			text = name + "=" + text
		}
	}
	return Parse(text)
}

// nameOf is the name of the last file, without folder and ending.
func nameOf(files []string) string {
	base := filepath.Base(files[len(files)-1])
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// ErrNotAllowed is the error of a command that nobody allowed.
var ErrNotAllowed = errors.New("a spec that names commands runs programs of its author: --allow-commands allows it")

// Check reports what is wrong with it, without starting anything.
func (g *Plugin) Check() error {
	if _, err := policies.Named(g.Name); err == nil {
		return fmt.Errorf("%q is the name of a policy of marigram, expected another for a policy of your own", g.Name)
	}
	if len(g.Command) == 0 || g.Command[0] == "" {
		return fmt.Errorf("policy %s: command is %q, expected a program and its arguments", g.Name, g.Command)
	}
	return nil
}

// path returns the path of a file that it names.
func (g *Plugin) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(g.Dir, name)
}

// Policy returns the policy with its settings, if it says which it has: misspelt ones and values out of bounds are
// errors, as in Go. For that a command that is allowed is asked once.
func (g *Plugin) Policy(allowed bool) (sim.Policy, error) {
	p := plugin.New(g.Name, func() (plugin.Carrier, error) { return g.open(allowed) })
	if allowed {
		settings, err := g.declared()
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", g.Name, err)
		}
		if settings != nil {
			fields, err := plugin.Struct(settings)
			if err != nil {
				return nil, fmt.Errorf("policy %s: %w", g.Name, err)
			}
			p.Declare(fields)
			if err := policies.Configure(p, g.Settings); err != nil {
				return nil, err
			}
		}
	}
	if g.Watches {
		return &plugin.Watching{Policy: p}, nil
	}
	return p, nil
}

// SHA256 returns the checksum of the files that it names, and of their names.
func (g *Plugin) SHA256() (string, error) {
	hash := sha256.New()
	for _, name := range g.Files() {
		sum, err := sumOf(g.path(name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%x %s\n", sum, filepath.Base(name))
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func sumOf(path string) ([]byte, error) {
	f, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}

// Shared returns a maker of policies that all ask one plug-in, which runs a command only if it is allowed, and
// what ends it.
func (g *Plugin) Shared() (factory func() sim.Policy, end func() error, err error) {
	carrier, err := g.open(true)
	if err != nil {
		return nil, nil, err
	}
	return func() sim.Policy {
		return plugin.New(g.Name, func() (plugin.Carrier, error) { return carrier, nil })
	}, carrier.Close, nil
}

// Started returns the command line that starts it: that of Confine where it was confined.
func (g *Plugin) Started() []string {
	if g.confined != nil {
		return g.confined
	}
	return g.Command
}

// Files returns the names of files among the words of the command: what it
// runs, as far as that can be told. Where Dir is absolute, so are they; else they are relative to it.
func (g *Plugin) Files() (names []string) {
	name := func(file string) string {
		if filepath.IsAbs(g.Dir) {
			return g.path(file)
		}
		return file
	}
	for _, arg := range g.Command {
		if info, err := os.Stat(g.path(arg)); err == nil && info.Mode().IsRegular() {
			names = append(names, name(arg))
		}
	}
	return names
}
