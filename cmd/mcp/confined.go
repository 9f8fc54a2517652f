package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/marigram/marigram/internal/store"
)

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
