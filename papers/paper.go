package papers

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/store"
)

// Paper is one published system, or one subject of several publications.
type Paper struct {
	Name string // the first part of its claims' names, and its folder
	// Files are those of the folder: published.csv, sensitivity.csv, and the specs of figures.
	Files fs.FS
	// References are its publications. One with nothing but a Key is of another paper.
	References []Reference
	// Formulas are figures that compare closed forms or constructed cases, without a publication.
	Formulas []string
	// Procedures are by the name with which specs ask for them.
	Procedures map[string]Procedure
}

// registered are the papers, by name.
var registered = registry.New[Paper]("paper")

// Register makes a paper known. It panics on a second one of a name. Package papers/all
// registers those of this module.
func Register(p Paper) { registered.Add(p.Name, p) }

// All returns the registered papers in the order of their names.
func All() []Paper { return registered.All() }

// paperOf returns the paper that a figure is of.
func paperOf(figure string) (*Paper, bool) {
	p, known := registered.Get(path.Dir(figure))
	return &p, known
}

// Reference is a publication with which claims are compared.
type Reference struct {
	Key     string   `json:"key"` // of BibTeX
	Authors []string `json:"authors"`
	Title   string   `json:"title"`
	Venue   string   `json:"venue"`            // short, as in a text
	Book    string   `json:"book"`             // the conference or journal in full
	Volume  string   `json:"volume,omitempty"` // of a journal; empty: proceedings
	Year    int      `json:"year"`
	DOI     string   `json:"doi,omitempty"`   // empty where none is known
	ArXiv   string   `json:"arxiv,omitempty"` // likewise
	Code    string   `json:"code,omitempty"`  // public code that inputs or numbers come from: repository and commit
}

// Procedure computes the numbers of a figure from the inputs of its spec and
// reports one for each claim. An error means that none can be had.
type Procedure func(f *Figure) error

// Figure is one figure or table while it is reproduced.
type Figure struct {
	Spec
	ctx    context.Context
	values map[string]float64
	notes  map[string]string
}

// Context is done when the user interrupts.
func (f *Figure) Context() context.Context { return f.ctx }

// Report gives the number of a claim, named without the figure. To report one
// twice panics.
func (f *Figure) Report(item string, value float64) {
	if _, twice := f.values[item]; twice {
		panic(fmt.Sprintf("papers: %s/%s is reported twice", f.Name, item))
	}
	f.values[item] = value
}

// Note says in words what the number of a claim is of; it is passed over where the
// figure has no such claim.
func (f *Figure) Note(item, text string) { f.notes[item] = text }

// ReportErrors reports the mean and the largest of errors.
func (f *Figure) ReportErrors(item string, errs []float64) {
	f.Report(item+"-mean-error", stat.Mean(errs, nil))
	f.Report(item+"-largest-error", slices.Max(errs))
}

// Median returns the median of numbers, in any order.
func Median(x []float64) float64 {
	return stat.Quantile(0.5, stat.LinInterp, slices.Sorted(slices.Values(x)), nil)
}

// reproduce runs the procedure of a figure and returns it with its numbers by
// claim, none where there is an error.
func reproduce(ctx context.Context, name string) (*Figure, error) {
	s, err := OpenSpec(name)
	if err != nil {
		return &Figure{}, err
	}
	return reproduceSpec(ctx, s)
}

// reproduceSpec is reproduce of a figure whose spec is at hand.
func reproduceSpec(ctx context.Context, s *Spec) (*Figure, error) {
	var run Procedure
	if p, ok := paperOf(s.Name); ok {
		run = p.Procedures[s.Procedure]
	}
	if run == nil {
		return &Figure{}, fmt.Errorf("spec %s names the procedure %q, which its paper does not have (package papers/all registers all)",
			s.Name, s.Procedure)
	}
	f := &Figure{Spec: *s, ctx: ctx, values: map[string]float64{}, notes: map[string]string{}}
	if err := run(f); err != nil {
		return &Figure{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	return f, nil
}

// Spec says how one published figure or table is reproduced. Its file is
// papers/SYSTEM/FIGURE.yaml.
type Spec struct {
	Name      string `json:"name"`      // system/figure, as the file
	About     string `json:"about"`     // what is computed and compared
	X         string `json:"x"`         // what the claims' places on the x axis are, and their unit; empty if they are none
	Origin    string `json:"origin"`    // what kind of source its numbers have, unless their own rows say so (papers.Origin)
	Procedure string `json:"procedure"` // the code that does
	Given     inputs `json:"inputs"`    // what that reads
	// Minutes of processor time that it takes, where that is too long for a run that names no figures; 0: it is part of
	// such a run.
	Minutes float64 `json:"minutes"`
}

// inputs is a part of a YAML document that is decoded later.
type inputs []byte

func (in *inputs) UnmarshalYAML(data []byte) error {
	*in = bytes.Clone(data)
	return nil
}

// Inputs decodes the spec's inputs into a struct; unknown keys are errors.
func (f *Spec) Inputs(into any) error {
	if err := yaml.UnmarshalWithOptions(f.Given, into, yaml.Strict()); err != nil {
		return fmt.Errorf("inputs of %s: %s", f.Name, yaml.FormatError(err, false, true))
	}
	return nil
}

// File returns the name of the spec's file in the sources.
func (f *Spec) File() string { return "papers/" + f.Name + ".yaml" }

// SpecNames returns the names of the figures that have a spec, paper by paper.
func SpecNames() (names []string) {
	for _, p := range registered.All() {
		files, _ := fs.Glob(p.Files, "*.yaml")
		for _, file := range files {
			names = append(names, p.Name+"/"+strings.TrimSuffix(file, ".yaml"))
		}
	}
	return names
}

// SpecSource returns the YAML text of the spec of a figure.
func SpecSource(name string) ([]byte, error) {
	if p, ok := paperOf(name); ok {
		if data, err := fs.ReadFile(p.Files, path.Base(name)+".yaml"); err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("no spec of a figure %q", name)
}

// OpenSpec reads the spec of a figure that comes with marigram.
func OpenSpec(name string) (*Spec, error) {
	data, err := SpecSource(name)
	if err != nil {
		return nil, err
	}
	f, err := parseSpec(name+".yaml", data)
	if err == nil && f.Name != name {
		return nil, fmt.Errorf("%s.yaml: the name is %q, expected that of the file", name, f.Name)
	}
	return f, err
}

// ReadSpec reads the spec of a figure from a file, such as a copy with other inputs.
func ReadSpec(path string) (*Spec, error) {
	data, err := store.ReadInput(path, maxBytes)
	if err != nil {
		return nil, err
	}
	return parseSpec(path, data)
}

// maxBytes bounds a file.
const maxBytes = 64 << 10

func parseSpec(name string, data []byte) (f *Spec, err error) {
	defer func() { // the YAML library has panicked on bad input before
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("%s: not readable as YAML: %v", name, r)
		}
	}()
	f = &Spec{}
	if err := yaml.UnmarshalWithOptions(data, f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	return f, nil
}
