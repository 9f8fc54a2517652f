// Command site writes the static site into site/: the documentation with a search, the report of the recorded
// quickstart, and the page Try, on which the simulator runs in the browser. The pages are plain files for any file
// server, and ask nothing of another.
//
//	make -C tools site
//
// The recorded market and its report come from the set skynomad-aws-v100 (make data). Without it there is no report,
// and Try says how to get it.
package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"flag"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/cmd/live/try"
	"github.com/marigram/marigram/report"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

//go:embed page
var files embed.FS

// recorded is the set of the recorded quickstart.
const recorded = "skynomad-aws-v100"

// home is where the source is.
const home = "https://github.com/marigram/marigram"

func main() {
	only := flag.String("fonts", "", "write the fonts of the module of Try, and its go.mod, into this `folder`, and nothing else")
	flag.Parse()
	err := error(nil)
	if *only != "" {
		err = fonts(*only)
	} else {
		err = write("site")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// write writes the site anew, from the root of the repository.
func write(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	s := &site{dir: dir}
	if err := s.market(); err != nil {
		return err
	}
	if err := s.documents(); err != nil {
		return err
	}
	if err := s.try(); err != nil {
		return err
	}
	fmt.Printf("%s: %d pages; python3 -m http.server --directory %[1]s\n", dir, s.pages+1)
	return nil
}

// site is the site while it is written.
type site struct {
	dir    string
	report bool // there is a recorded market, and the report of its quickstart
	pages  int
	index  []entry
}

func (s *site) file(name string, data []byte) error {
	to := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// market packs the recorded market and has the program write the report of its quickstart.
func (s *site) market() error {
	set, _, err := catalogue.Load(catalogue.PulledPrefix+recorded, traces.Options{})
	if err != nil {
		fmt.Printf("no recorded market and no report: %v (marigram traces pull %s)\n", err, recorded)
		return nil
	}
	plain, err := try.Packed(map[string]*traces.Set{recorded: set})
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
	if _, err := w.Write(plain); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := s.file("try/recorded.bin.gz", packed.Bytes()); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "site")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	page := filepath.Join(s.dir, "recorded.html")
	for _, args := range [][]string{{"run", "recorded", "--no-plots", "--out", tmp}, {"report", tmp, "-o", page}} {
		if out, err := exec.Command("bin/marigram", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("bin/marigram %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	s.report = true
	return nil
}

// try writes the page Try with its module.
func (s *site) try() error {
	for _, name := range []string{"marigram.wasm", "wasm_exec.js"} {
		data, err := os.ReadFile(filepath.Join("bin/try", name))
		if err != nil {
			return fmt.Errorf("%w: make -C tools site builds it", err)
		}
		if err := s.file("try/"+name, data); err != nil {
			return err
		}
	}
	for _, name := range []string{"try.js", "worker.js"} {
		data, err := files.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		if err := s.file("try/"+name, data); err != nil {
			return err
		}
	}
	text, err := files.ReadFile("page/try.html")
	if err != nil {
		return err
	}
	// The report of a run stands in a frame, which has the policy of this page.
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; connect-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; script-src 'self' 'wasm-unsafe-eval' " + strings.Join(report.Digests(), " ")
	return s.page("try/index.html", "Try", policy, template.HTML(text))
}

// links are those in the head of every page.
func (s *site) links() []link {
	out := []link{{"index.html", "marigram"}, {"docs/README.html", "Documentation"}, {"try/index.html", "Try"}}
	if s.report {
		out = append(out, link{"recorded.html", "A report"})
	}
	return out
}

type link struct{ To, Text string }

// page writes a page: its body in the frame that all have.
func (s *site) page(name, title, policy string, body template.HTML) error {
	var b bytes.Buffer
	up := strings.Repeat("../", strings.Count(name, "/"))
	err := frame.Execute(&b, map[string]any{"Title": title, "Policy": policy, "Up": up, "Links": s.links(), "Body": body, "Name": name,
		"Recorded": s.report, "Try": path.Dir(name) == "try"})
	if err != nil {
		return err
	}
	s.pages++
	return s.file(name, b.Bytes())
}

var frame = template.Must(template.ParseFS(files, "page/frame.html"))
