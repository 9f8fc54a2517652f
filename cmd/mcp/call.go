package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces/catalogue"
)

// session is what one agent has.
type session struct {
	limits
	dir  string        // all that it may read
	temp string        // what it gave as text, and the results of its runs
	turn chan struct{} // of the call that runs
	runs int           // so far
}

const (
	maxText = 1 << 20 // bytes of what is given as text; specs have a bound of their own
	maxOut  = 1 << 20 // bytes of an answer
	kept    = 20      // runs whose results are kept
)

// answer is that of every tool.
type answer struct {
	Run      string   `json:"run,omitempty" jsonschema:"name of the run, for explain"`
	Result   any      `json:"result,omitempty" jsonschema:"what the command of this name prints with --json"`
	Text     string   `json:"text,omitempty" jsonschema:"what the command prints, if that is no JSON"`
	Warnings []string `json:"warnings,omitempty" jsonschema:"what to know before the result is used"`
}

// call is one call of a tool.
type call struct {
	*session
	files map[string]string // names that stand for files, of what was given as text
	run   string            // name of the run that it makes
	key   string            // of the part of the schema that is asked for
}

// input returns the name of an input: a file's, or one that stands for a text.
func (c *call) input(name, value string) (string, error) {
	switch {
	case strings.TrimSpace(value) == "":
		return "", fmt.Errorf("the %s is empty", strings.TrimSuffix(name, " given as text"))
	case len(value) > maxText:
		return "", fmt.Errorf("%s: %d bytes, expected at most %d", name, len(value), maxText)
	case !strings.Contains(value, "\n") && !strings.HasPrefix(strings.TrimSpace(value), "{"):
		return value, nil
	}
	file := filepath.Join(c.temp, name+".yaml")
	c.files[name] = file
	return name, os.WriteFile(file, []byte(value), 0o600)
}

// keepRun returns the folder of the run that a call makes. The oldest of many goes.
func (c *call) keepRun() string {
	c.runs++
	c.run = runName(c.runs)
	_ = os.RemoveAll(filepath.Join(c.temp, runName(c.runs-kept)))
	return filepath.Join(c.temp, c.run)
}

func runName(n int) string { return fmt.Sprintf("run-%d", n) }

var ownRun = regexp.MustCompile(`^run-[0-9]+$`)

// results returns the folder with the results of a run.
func (c *call) results(run string) (string, error) {
	own := filepath.Join(c.temp, run)
	if _, err := os.Stat(own); ownRun.MatchString(run) && err == nil {
		return own, nil
	}
	if !filepath.IsLocal(run) {
		return "", fmt.Errorf("run: %q, expected the name of one of the last %d runs, such as run-1, or a folder below the one that is served", run, kept)
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	_, err = root.Stat(run) // says what is wrong better than the command does, which looks for a sweep first
	return run, err
}

// exec runs a command line of marigram in a confined process, and returns what it printed.
func (c *call) exec(ctx context.Context, line []string) (stdout []byte, warnings []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	bounds, err := json.Marshal(bounds{Folders: c.readable(), Files: c.files, MemoryMB: c.Memory})
	if err != nil {
		return nil, nil, err
	}
	limit, stop := context.WithTimeout(ctx, c.Time)
	defer stop()
	cmd := exec.CommandContext(limit, self)
	cmd.Args = slices.Concat([]string{os.Args[0], marker, string(bounds)}, line)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.dir, environment(), time.Second
	out, said := &bounded{}, &bounded{}
	cmd.Stdout, cmd.Stderr = out, said
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case limit.Err() != nil:
		return nil, nil, fmt.Errorf("%s was stopped after %v: ask for less (fewer seeds, policies or objectives), or start marigram mcp with a longer --time",
			line[0], c.Time)
	case strings.Contains(said.String(), "out of memory"):
		return nil, nil, fmt.Errorf("%s was stopped at %d MB of memory: ask for less, or start marigram mcp with more --memory", line[0], c.Memory)
	case out.over:
		return nil, nil, fmt.Errorf("%s answers with more than %d bytes: ask for less", line[0], maxOut)
	}
	text := strings.ReplaceAll(strings.TrimSpace(said.String()), c.temp+string(filepath.Separator), "")
	text = strings.TrimPrefix(text, "marigram: ")
	if err != nil && cmd.ProcessState.ExitCode() != cli.ExitAtRisk {
		return nil, nil, errors.New(cmp.Or(text, err.Error()))
	}
	return out.Bytes(), lines(text), nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// bounded is an output that keeps the first bytes.
type bounded struct {
	bytes.Buffer
	over bool
}

// Write keeps what has room.
func (b *bounded) Write(p []byte) (int, error) {
	if left := maxOut - b.Len(); len(p) > left {
		b.over = true
		b.Buffer.Write(p[:left])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

type limits struct {
	Time   time.Duration `flag:"time" default:"60s" min:"1s" max:"1h" help:"how long a call may take"`
	Memory int           `flag:"memory" default:"2048" min:"256" max:"1048576" help:"how many MB of memory a call may use; on Linux the system sees to it"`
}

// readable are the folders that a call may read: that of the agent, its texts and runs, and the data sets that were pulled.
func (c *call) readable() []string {
	folders := []string{c.dir, c.temp}
	if pulled, err := catalogue.CacheDir(); err == nil {
		if info, err := os.Stat(pulled); err == nil && info.IsDir() {
			folders = append(folders, pulled)
		}
	}
	return folders
}

// marker is the first argument of a confined process. No command has its name.
const marker = "confined-call"

// bounds are what a confined process may do.
type bounds struct {
	Folders  []string
	Files    map[string]string
	MemoryMB int
}

// commands are those that a confined process runs, and refused the flags that none of them may have.
var (
	commands = map[string]bool{"validate": true, "run": true, "explain": true, "tune": true, "advise": true, "schema": true}
	refused  = []string{"--allow-commands", "--policy-command", "--own-bill", "--trace"}
)

// Confined confines this process, if its arguments ask for it, and returns the arguments of the command that it runs. Others it
// returns as they are.
func Confined(args []string) ([]string, error) {
	if len(args) < 3 || args[0] != marker {
		return args, nil
	}
	line := args[2:]
	if !commands[line[0]] {
		return nil, fmt.Errorf("%s: no command of a confined process", line[0])
	}
	for _, arg := range line[1:] {
		if arg == "--" {
			break
		}
		for _, flag := range refused {
			if name, _, _ := strings.Cut(arg, "="); name == flag {
				return nil, fmt.Errorf("%s: no flag of a confined process", flag)
			}
		}
	}
	var b bounds
	if err := json.Unmarshal([]byte(args[1]), &b); err != nil {
		return nil, err
	}
	if err := store.Confine(store.Confinement{Folders: b.Folders, Files: b.Files}); err != nil {
		return nil, err
	}
	debug.SetMemoryLimit(int64(b.MemoryMB) << 20 / 10 * 9) // the collector tries before the system refuses
	return line, limitMemory(b.MemoryMB)
}

// passed are the variables that a confined process gets: where its user's caches and the folder for temporary files are.
var passed = []string{"HOME", "XDG_CACHE_HOME", "TMPDIR", "TMP", "TEMP", "LocalAppData", "USERPROFILE", "SystemRoot"}

func environment() (list []string) {
	for _, name := range passed {
		if value, is := os.LookupEnv(name); is {
			list = append(list, name+"="+value)
		}
	}
	return list
}
