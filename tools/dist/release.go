package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// target is a system that the program is built for.
type target struct {
	os, arch string
	wheel    string // tag of its Python wheel: the program is static, so any C library will do
}

// targets are all systems. The wheels of macOS name the oldest version that Go supports.
var targets = []target{
	{"linux", "amd64", "py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "py3-none-macosx_12_0_x86_64"},
	{"darwin", "arm64", "py3-none-macosx_12_0_arm64"},
	{"windows", "amd64", "py3-none-win_amd64"},
	{"windows", "arm64", "py3-none-win_arm64"},
}

// all is how many targets a release has.
var all = len(targets)

func (t target) String() string { return t.os + "-" + t.arch }

// program is the name of the program.
func (t target) program() string {
	if t.os == "windows" {
		return "marigram.exe"
	}
	return "marigram"
}

// archive is the ending of the archive.
func (t target) archive() string {
	if t.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// making is a release that is being built.
type making struct {
	out     string
	version string    // without v
	at      time.Time // of the commit
	shared  []file    // what all archives have
}

// release builds a release into a folder, in the root of the repository.
func release(out string) error {
	if err := clean(); err != nil {
		return err
	}
	m := &making{}
	var err error
	if m.out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := os.RemoveAll(m.out); err != nil {
		return err
	}
	if err := m.commitTime(); err != nil {
		return err
	}
	for _, t := range targets {
		if err := m.build(t); err != nil {
			return err
		}
	}
	if err := m.documents(); err != nil {
		return err
	}
	for _, t := range targets {
		if err := errors.Join(m.pack(t), m.list(t), m.wheel(t)); err != nil {
			return err
		}
	}
	if len(targets) == all {
		if err := m.formula(); err != nil {
			return err
		}
	}
	return m.sums()
}

// clean refuses a tree with changes, of which the version in the program would say only that there are some.
func clean() error {
	changes, err := output(nil, "git", "status", "--porcelain")
	if err == nil && changes != "" {
		return fmt.Errorf("the tree has changes, expected a commit:\n%s", changes)
	}
	return err
}

func (m *making) commitTime() error {
	text, err := output(nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	m.at = time.Unix(seconds, 0).UTC()
	return err
}

// built is where the program of a target is: Dockerfiles copy it from there.
func (m *making) built(t target) string {
	return filepath.Join(m.out, "programs", t.String(), t.program())
}

// build compiles the program as make build does, and takes the version from what Go wrote into it.
func (m *making) build(t target) error {
	env := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0"}
	if _, err := output(env, "go", "build", "-buildvcs=true", "-trimpath", "-ldflags=-s -w", "-o", m.built(t), "."); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(m.built(t))
	if err != nil {
		return err
	}
	m.version = strings.TrimPrefix(info.Main.Version, "v")
	if m.version == "" || m.version == "(devel)" {
		return fmt.Errorf("%s has no version: is this a clone with its trace?", t)
	}
	stat, err := os.Stat(m.built(t))
	if err == nil {
		fmt.Printf("%-14s %.1f MB  %s\n", t, float64(stat.Size())/1e6, info.Main.Version)
	}
	return err
}

// documents collects what all archives have: manual pages and completions by the program of this machine, and texts.
func (m *making) documents() error {
	here := target{os: runtime.GOOS, arch: runtime.GOARCH}
	program := m.built(here)
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("no program for this machine (%s), which writes the manual pages: %w", here, err)
	}
	pages, err := os.MkdirTemp("", "man-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(pages)
	if _, err := output(nil, program, "man", pages); err != nil {
		return err
	}
	if err := m.addAll("man/man1", pages); err != nil {
		return err
	}
	if err := m.schemas(program); err != nil {
		return err
	}
	for shell, name := range map[string]string{"bash": "marigram.bash", "zsh": "_marigram", "fish": "marigram.fish", "powershell": "marigram.ps1"} {
		text, err := output(nil, program, "completion", shell)
		if err != nil {
			return err
		}
		m.shared = append(m.shared, file{"completions/" + name, []byte(text), 0o644})
	}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "CITATION.cff"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		m.shared = append(m.shared, file{name, text, 0o644})
	}
	return nil
}

// schemas writes the JSON Schemas, each under the name that its address has.
func (m *making) schemas(program string) error {
	for _, flags := range [][]string{nil, {"--sweep"}, {"--state"}, {"--advice"}} {
		text, err := output(nil, program, append([]string{"schema"}, flags...)...)
		if err != nil {
			return err
		}
		var schema struct {
			ID string `json:"$id"`
		}
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(m.out, path.Base(schema.ID)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// addAll adds the files of a folder.
func (m *making) addAll(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		m.shared = append(m.shared, file{to + "/" + e.Name(), text, 0o644})
	}
	return nil
}

// name is that of a file of the release.
func (m *making) name(t target, ending string) string {
	return filepath.Join(m.out, "marigram-"+m.version+"-"+t.String()+ending)
}

// list writes what is linked into the program: CycloneDX, with licences.
func (m *making) list(t target) error {
	env := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS="}
	tool, err := m.lister()
	if err != nil {
		return err
	}
	_, err = output(env, tool, "app", "-json", "-licenses", "-std", "-noserial", "-notimestamp", "-output", m.name(t, ".cdx.json"), ".")
	return err
}

// lister builds the program that lists, for this machine.
func (m *making) lister() (string, error) {
	dir, err := filepath.Abs("bin/tools")
	if err != nil {
		return "", err
	}
	_, err = output([]string{"GOBIN=" + dir, "GOFLAGS="}, "go", "install", cyclonedx)
	return filepath.Join(dir, "cyclonedx-gomod"), err
}

// wheel writes the Python package with the program.
func (m *making) wheel(t target) error {
	env := []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(m.at.Unix(), 10)}
	_, err := output(env, "python3", "python/backend.py", m.built(t), m.version, t.wheel, m.out)
	return err
}

// output runs a command with more variables, and returns what it prints.
func output(env []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), env...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return string(out), nil
}
