package formats_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// A format of somebody else's is read by name and by content, and its importer keeps
// what it has to know from file to file.
func TestRegister(t *testing.T) {
	defer formats.Restore(formats.Formats())
	ours := formats.Format{
		Name: "ours", What: "numbers of machines", Example: "ours 3", Version: 1,
		Recognise: func(s *read.Source) bool { return strings.HasPrefix(s.FirstLine(), "ours ") },
		New:       func(b *formats.Builder) formats.Importer { return &ourReader{Builder: b} },
	}
	formats.Register(ours)
	if !slices.ContainsFunc(formats.Formats(), func(f formats.Format) bool { return f.Name == "ours" }) || !strings.Contains(formats.Schema(), "### ours\n") {
		t.Error("the format is not listed")
	}
	for _, format := range []string{"", "ours"} {
		s, r, err := formats.Import(format, []string{tracetest.File(t, "a.txt", "ours 3\n"), tracetest.File(t, "b.txt", "ours 4\n")}, traces.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Capacity) != 2 || s.Capacity[1].Available != 2 || s.Manifest.Importer.Name != "ours" || r.Files != 2 || !slices.Contains(r.Notes, "2 files") {
			t.Errorf("%+v, %+v", s.Capacity, r)
		}
	}
	again := ours
	again.Name = "theirs"
	formats.Register(again)
	if _, _, err := formats.Import("", []string{tracetest.File(t, "a.txt", "ours 3\n")}, traces.Options{}); err == nil ||
		!strings.Contains(err.Error(), "a.txt: has the format ours, and the format theirs as well; name the format") {
		t.Errorf("two formats: %v", err)
	}
	if _, _, err := formats.Import("theirs", []string{tracetest.File(t, "a.txt", "ours 3\n")}, traces.Options{}); err != nil {
		t.Errorf("one of two that is named: %v", err)
	}
	lacking := func(change func(*formats.Format)) formats.Format {
		f := ours
		f.Name = "new"
		change(&f)
		return f
	}
	for want, f := range map[string]formats.Format{`format "ours": expected a name that no other format has`: ours, `"": expected name`: {},
		`"new": expected name`:              {Name: "new", What: "x", Example: "x"},
		`"new": expected a version`:         lacking(func(f *formats.Format) { f.Version = 0 }),
		`"new": expected Records with Read`: lacking(func(f *formats.Format) { f.Kind = formats.Run }),
		`"new": expected Records with From`: lacking(func(f *formats.Format) { f.Records = &formats.Records{} })} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), want) {
					t.Errorf("panic %v, expected %s", r, want)
				}
			}()
			formats.Register(f)
		}()
	}
}

// ourReader numbers the files.
type ourReader struct {
	*formats.Builder
	files int
}

func (b *ourReader) Read(s *read.Source) error {
	b.files++
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockRelative, traces.SemanticsHeld
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	b.AddCounts(s, []traces.CapacityRow{{T: int64(b.files), PoolID: pool, Available: int32(b.files), Origin: traces.OriginDerived}})
	return nil
}

func (b *ourReader) Settle() error {
	b.Notef("%d files", b.files)
	return nil
}
