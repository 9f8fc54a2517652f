package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// TestMain runs the tests in the root of the repository, as the program is.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

var some = []file{{"bin/program", []byte("program"), 0o755}, {"text", []byte("text"), 0o644}}

// Archives have what they are made of, with its rights, and the same bytes each time.
func TestArchives(t *testing.T) {
	at := time.Unix(1_800_000_000, 0).UTC()
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){"tar": tarball, "zip": zipped} {
		first, err := pack("folder", some, at)
		if err != nil {
			t.Fatal(err)
		}
		if second, _ := pack("folder", some, at); !bytes.Equal(first, second) {
			t.Errorf("%s: other bytes the second time", name)
		}
		if later, _ := pack("folder", some, at.Add(time.Hour)); bytes.Equal(first, later) {
			t.Errorf("%s: the time of the commit is not in it", name)
		}
		if got := unpacked(t, name, first); got != "folder/bin/program -rwxr-xr-x program\nfolder/text -rw-r--r-- text\n" {
			t.Errorf("%s has %s", name, got)
		}
	}
}

func unpacked(t *testing.T, kind string, text []byte) (out string) {
	t.Helper()
	add := func(name string, info os.FileInfo, r io.Reader) {
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintf("%s %v %s\n", name, info.Mode(), content)
	}
	if kind == "zip" {
		z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, f.FileInfo(), r)
		}
		return out
	}
	g, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		add(h.Name, h.FileInfo(), r)
	}
}

// Everything that is linked has terms, Go itself too.
func TestLicences(t *testing.T) {
	files, err := licences(targets[0])
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		names[f.name] = len(f.text) > 100
	}
	for _, name := range []string{"go/LICENSE", "github.com/apache/arrow/go/v15/LICENSE.txt",
		"github.com/minio/minio-go/v7/LICENSE", "gonum.org/v1/plot/LICENSE"} {
		if !names["licences/"+name] {
			t.Errorf("no licences/%s among %d files", name, len(files))
		}
	}
}

// The formula has the version and the four sums, and is Ruby.
func TestFormula(t *testing.T) {
	sums := map[string]string{}
	for i, x := range targets {
		sums[x.String()] = strings.Repeat(fmt.Sprint(i), 64)
	}
	text, err := formulaOf("release/marigram.rb.tmpl", "1.2.3", sums)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range targets {
		want := fmt.Sprintf("marigram-1.2.3-%s.tar.gz\"\n      sha256 %q", x, strings.Repeat(fmt.Sprint(i), 64))
		if x.os != "windows" && strings.Count(text, want) != 1 {
			t.Errorf("the formula has no %s", want)
		}
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		c := exec.Command(ruby, "-c")
		c.Stdin = strings.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// The script installs what has the right sum, for this machine, and nothing else.
func TestInstall(t *testing.T) {
	here := ""
	for _, x := range targets {
		if out, _ := exec.Command("uname", "-sm").Output(); x.os != "windows" &&
			strings.EqualFold(strings.TrimSpace(string(out)), x.os+" "+map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[x.arch]) {
			here = x.String()
		}
	}
	if here == "" {
		t.Skip("the script is not for this machine")
	}
	from, to := t.TempDir(), t.TempDir()
	folder := "marigram-1.2.3-" + here
	text, err := tarball(folder, []file{{"marigram", []byte("#!/bin/sh\necho marigram version v1.2.3\n"), 0o755}}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(from, folder+".tar.gz")
	put := func(path string, text []byte) {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	install := func(args ...string) (string, error) {
		c := exec.Command("sh", append([]string{"release/install.sh"}, args...)...)
		c.Env = append(os.Environ(), "MARIGRAM_FROM="+from, "MARIGRAM_DIR="+to)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	put(archive, text)
	if err := (&making{out: from}).sums(); err != nil {
		t.Fatal(err)
	}
	put(archive, append(bytes.Clone(text), 0)) // changed on its way
	if out, err := install(); err == nil || !strings.Contains(out, "nothing is installed") {
		t.Errorf("a changed archive: %v, %s", err, out)
	}
	if out, err := install("1.2.4"); err == nil || !strings.Contains(out, "no archive for "+here+" of 1.2.4") {
		t.Errorf("another version: %v, %s", err, out)
	}
	if left, _ := os.ReadDir(to); len(left) > 0 {
		t.Errorf("%v is installed", left)
	}
	put(archive, text)
	for _, args := range [][]string{nil, {"1.2.3"}} {
		if out, err := install(args...); err != nil || !strings.HasPrefix(out, "marigram version v1.2.3\n") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

// workflow is what a test reads of a workflow.
type workflow struct {
	Name string         `json:"name"`
	On   map[string]any `json:"true"` // on, which is a switch in YAML 1.1
	Jobs map[string]struct {
		RunsOn  string `json:"runs-on"`
		Timeout int    `json:"timeout-minutes"`
		Steps   []struct {
			Uses string `json:"uses"`
			Run  string `json:"run"`
		} `json:"steps"`
	} `json:"jobs"`
}

var (
	action = regexp.MustCompile(`^[\w-]+/[\w-]+@(v\d+|release/v1)$`)
	rules  = regexp.MustCompile(`\bmake (?:-C tools )?((?:[a-z-]+ ?)+)`)
)

// Workflows have jobs of steps; a step is an action of a version, or a script that the shell reads and whose targets of
// make exist.
func TestWorkflows(t *testing.T) {
	var makefile []byte
	for _, name := range []string{"Makefile", "tools/Makefile"} {
		part, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		makefile = append(makefile, part...)
	}
	files, _ := filepath.Glob(".github/workflows/*.yml")
	if len(files) < 2 {
		t.Fatal(files)
	}
	for _, name := range files {
		var w workflow
		readYAML(t, name, &w)
		if w.Name == "" || len(w.On) == 0 || len(w.Jobs) == 0 {
			t.Errorf("%s: %+v", name, w)
		}
		for id, job := range w.Jobs {
			if job.RunsOn == "" || job.Timeout == 0 || len(job.Steps) == 0 {
				t.Errorf("%s: %s has no system, limit or steps", name, id)
			}
			for _, s := range job.Steps {
				if (s.Uses == "") == (s.Run == "") || s.Uses != "" && !action.MatchString(s.Uses) {
					t.Errorf("%s: %s: step %+v, expected an action of a version or a script", name, id, s)
				}
				c := exec.Command("sh", "-n")
				c.Stdin = strings.NewReader(regexp.MustCompile(`\$\{\{.*?\}\}`).ReplaceAllString(s.Run, "x"))
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("%s: %s: %s\n%s", name, id, s.Run, out)
				}
				for _, m := range rules.FindAllStringSubmatch(s.Run, -1) {
					for _, rule := range strings.Fields(m[1]) {
						if !regexp.MustCompile(`(?m)^` + rule + `:`).Match(makefile) {
							t.Errorf("%s: %s: make %s, which is no target", name, id, rule)
						}
					}
				}
			}
		}
	}
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// The image copies a file of the folder that make dist writes, for each architecture of Linux.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("release/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	from := regexp.MustCompile(`(?m)^COPY (\S+) /usr/bin/marigram$`).FindSubmatch(text)
	if from == nil {
		t.Fatal("no program is copied")
	}
	m := &making{out: "dist"}
	for _, x := range targets[:2] {
		want := filepath.ToSlash(m.built(x))
		if got := "dist/" + strings.NewReplacer("${TARGETOS}", x.os, "${TARGETARCH}", x.arch).Replace(string(from[1])); got != want {
			t.Errorf("the image of %s has %s, expected %s", x, got, want)
		}
	}
}
