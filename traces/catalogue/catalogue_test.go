package catalogue

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

var (
	fileSafe = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	repoName = regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9_.-]+$`)
	hexadec  = regexp.MustCompile(`^[0-9a-f]+$`)
)

func TestCatalogue(t *testing.T) {
	names := map[string]bool{}
	for _, e := range Catalogue() {
		if names[e.Name] || !fileSafe.MatchString(e.Name) {
			t.Errorf("name %q is used twice, or is no name for a folder", e.Name)
		}
		names[e.Name] = true
		if e.What == "" || e.Use == "" || e.Cloud == "" || e.Span == "" || !repoName.MatchString(e.Repo) || !hexadec.MatchString(e.Commit) {
			t.Errorf("%s is not described: %+v", e.Name, e)
		}
		if got, want := e.Pullable(), len(e.Files) == 0; errors.Is(got, ErrNoChecksum) != want {
			t.Errorf("%s: %v with %d files", e.Name, got, len(e.Files))
		}
		if len(e.Files) > 0 && len(e.Commit) != 40 {
			t.Errorf("%s: commit %s, expected 40 digits of a set that is pulled", e.Name, e.Commit)
		}
		if (len(e.Files) == 0) != (e.Unsummed != "") || e.Kept != "" && e.format != "" {
			t.Errorf("%s: %d files, not summed because %q; kept because %q, format %q", e.Name, len(e.Files), e.Unsummed, e.Kept, e.format)
		}
		if e.format != "" && !knownFormat(e.format) {
			t.Errorf("%s: format %q", e.Name, e.format)
		}
		opt := e.importOptions()
		if err := opt.Check(); err != nil {
			t.Errorf("%s: options: %v", e.Name, err)
		}
		for i, f := range e.Files {
			if len(f.SHA256) != 64 || !hexadec.MatchString(f.SHA256) || f.Bytes <= 0 || !filepath.IsLocal(f.Path) {
				t.Errorf("%s: file %+v", e.Name, f)
			}
			if f.Commit != "" && (len(f.Commit) != 40 || !hexadec.MatchString(f.Commit)) {
				t.Errorf("%s: %s at %q", e.Name, f.Path, f.Commit)
			}
			if i > 0 && f.Path+f.Commit <= e.Files[i-1].Path+e.Files[i-1].Commit {
				t.Errorf("%s: %s after %s", e.Name, f.Path, e.Files[i-1].Path)
			}
		}
	}
	for name := range checksums() {
		if !names[name] {
			t.Errorf("catalogue.sums names %s, which the catalogue does not have", name)
		}
	}
}

// What was made is called so, and pools whose target was not recorded, too: counts of
// them are no availability.
func TestCatalogueSemantics(t *testing.T) {
	for _, e := range Catalogue() {
		want := ""
		switch {
		case len(e.Files) == 0:
		case strings.HasPrefix(e.Name, "bamboo"), strings.HasPrefix(e.Name, "parcae"):
			want = traces.SemanticsAutoscaling
		case strings.HasPrefix(e.Name, "oobleck"):
			want = traces.SemanticsSynthetic
		}
		if want != "" && e.options.Semantics != want {
			t.Errorf("%s has the semantics %q, expected %s", e.Name, e.options.Semantics, want)
		}
	}
}

func knownFormat(name string) bool {
	_, err := formats.Named(name)
	return err == nil
}

// Sets that are known to be published without a licence are never pulled
// unasked.
func TestCatalogueLicences(t *testing.T) {
	for _, name := range []string{"skypilot-aws-v100-16node", "spothedge-gcp-a100", "aws-bidding-era-g2", "sia-job-traces", "alibaba-v2026-spot-gpu",
		"alibaba-gpu-v2023"} {
		e, err := EntryNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Licence != "" {
			t.Errorf("%s: licence %q, none is stated", name, e.Licence)
		}
	}
}

// The checksums are those of the recorded files that make data puts into the cache.
func TestCatalogueChecksums(t *testing.T) {
	root := tracetest.Recorded(t)
	checked := 0
	for _, e := range Catalogue() {
		for _, f := range e.Files {
			if e.folder == "" {
				break // what lies there is not the whole set
			}
			path := filepath.Join(root, e.folder, filepath.FromSlash(e.local(f.Path)))
			data, err := os.ReadFile(path)
			if errors.Is(err, os.ErrNotExist) {
				t.Logf("%s: not checked: %v", e.Name, err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if f.Repacked != nil && f.same(path) {
				checked++
				continue
			}
			sum := sha256.Sum256(data)
			if got := hex.EncodeToString(sum[:]); got != f.SHA256 || int64(len(data)) != f.Bytes {
				t.Errorf("%s: %s: %d bytes, SHA-256 %s, the catalogue says %d, %s", e.Name, path, len(data), got, f.Bytes, f.SHA256)
			}
			checked++
		}
	}
	if checked == 0 {
		t.Skip("none of the catalogue's files is here")
	}
	t.Logf("%d files checked", checked)
}

func TestParseChecksumsRefuses(t *testing.T) {
	const in = "set a\nin b\n"
	sum := strings.Repeat("0", 64)
	for _, text := range []string{in + "abc 1 c\n", in + sum + " x c\n", in + sum + " 1\n", "set a\n" + sum + " 1 c\n", "in b\n"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", text)
				}
			}()
			parseChecksums([]byte(text))
		}()
	}
}

func TestEntryNamed(t *testing.T) {
	if _, err := EntryNamed("bamboo"); err == nil || !strings.Contains(err.Error(), "bamboo-aws-p3") {
		t.Errorf("%v, expected the names", err)
	}
}

// All but what is not opened has checksums, and they are those that were computed of
// the public repositories by another program.
func TestCatalogueComplete(t *testing.T) {
	var unsummed []string
	computed := map[string]bool{}
	for _, f := range testutil.Table(t, "traces/catalogue/testdata/checksums.csv")[1:] { // set, repository, commit, path, bytes, SHA-256, note
		computed[strings.Join(f[1:6], " ")] = true
	}
	n := 0
	for _, e := range Catalogue() {
		if len(e.Files) == 0 {
			unsummed = append(unsummed, e.Name)
		}
		for _, f := range e.Files {
			n++
			row := fmt.Sprint(e.Repo, " ", cmp.Or(f.Commit, e.Commit), " ", f.Path, " ", f.Bytes, " ", f.SHA256)
			only := slices.Contains([]string{"skynomad-aws-v100-4node-aligned", "infinitehbd-faults", "notebookos-sessions", "sailor",
				"straggler-analysis", "vtrain"}, e.Name) ||
				e.Repo == "Rivendile/Muri" // only copies were summed
			if !computed[row] && !only {
				t.Errorf("%s: %s was not computed", e.Name, row)
			}
		}
	}
	if strings.Join(unsummed, " ") != "acme aws-bidding-era-g2 helios muri philly tiresias" || n < 3000 {
		t.Errorf("%d files, and none of %s", n, unsummed)
	}
}

// Sets that hold an observation of another set say so.
func TestCatalogueCopies(t *testing.T) {
	for copied, original := range map[string]string{
		"parcae-aws-p3": "bamboo-aws-p3", "parcae-segments": "bamboo-aws-p3", "oobleck-scaled-p3": "bamboo-aws-p3", "spotserve-g4dn": "bamboo-aws-g4dn",
		"spotserve-scenarios": "bamboo-aws-g4dn", "oobleck-scaled-g4dn": "bamboo-aws-g4dn",
		"skynomad-aws-v100-4node-aligned": "skynomad-aws-v100-4node", "skynomad-aws-v100-4node": "skypilot-aws-v100-4node",
		"skynomad-aws-v100-16node": "skypilot-aws-v100-16node", "skynomad-aws-v100-availability": "skypilot-aws-v100-2023-02",
	} {
		e, err := EntryNamed(copied)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.What+" "+e.Note, original) {
			t.Errorf("%s does not name %s: %s; %s", copied, original, e.What, e.Note)
		}
	}
}

// The bidding era's prices are Python pickles, which could run anything.
func TestCatalogueWithoutPickles(t *testing.T) {
	if e, err := EntryNamed("aws-bidding-era-g2"); err != nil || !errors.Is(e.Pullable(), ErrNoChecksum) {
		t.Errorf("%v: expected it not to be pulled", err)
	}
}

// What states no licence is not pulled unasked, and none of the recorded files is part
// of the project.
func TestLicences(t *testing.T) {
	for _, name := range []string{"skypilot-aws-v100-16node", "spothedge-gcp-a100", "aws-bidding-era-g2", "sia-job-traces"} {
		e, err := EntryNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		e.Files = []File{{Path: "a", Bytes: 1, SHA256: strings.Repeat("0", 64)}}
		if _, err := Pull(t.Context(), e, PullOptions{From: t.TempDir(), Cache: t.TempDir()}); !errors.Is(err, ErrNoLicence) {
			t.Errorf("%s: %v, expected %v", name, err, ErrNoLicence)
		}
	}
	ours := hashes(t, filepath.Join("..", ".."))
	for sum, path := range hashes(t, tracetest.Recorded(t)) {
		if mine := ours[sum]; mine != "" && !strings.Contains(path, "LICENSE") {
			t.Errorf("%s is recorded data: %s", mine, path)
		}
	}
}

// hashes returns the files of a folder that are not empty, by their SHA-256.
func hashes(t *testing.T, dir string) map[[32]byte]string {
	sums := map[[32]byte]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" && d.IsDir() {
			return fs.SkipDir
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if len(data) > 0 {
			sums[sha256.Sum256(data)] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}
