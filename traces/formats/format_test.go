package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
)

// A format of somebody else's is read by name and by content, and its importer keeps
// what it has to know from file to file.
func TestRegister(t *testing.T) {
	defer Restore(Formats())
	ours := Format{
		Name: "ours", What: "numbers of machines", Example: "ours 3", Version: 1,
		Recognise: func(s *source) bool { return strings.HasPrefix(s.firstLine(), "ours ") },
		New:       func(b *Builder) Importer { return &ourReader{Builder: b} },
	}
	Register(ours)
	if !slices.ContainsFunc(Formats(), func(f Format) bool { return f.Name == "ours" }) || !strings.Contains(Schema(), "### ours\n") {
		t.Error("the format is not listed")
	}
	for _, format := range []string{"", "ours"} {
		s, r, err := Import(format, []string{file(t, "a.txt", "ours 3\n"), file(t, "b.txt", "ours 4\n")}, traces.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Capacity) != 2 || s.Capacity[1].Available != 2 || s.Manifest.Importer.Name != "ours" || r.Files != 2 || !slices.Contains(r.Notes, "2 files") {
			t.Errorf("%+v, %+v", s.Capacity, r)
		}
	}
	again := ours
	again.Name = "theirs"
	Register(again)
	if _, _, err := Import("", []string{file(t, "a.txt", "ours 3\n")}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "a.txt: has the format ours, and the format theirs as well; name the format") {
		t.Errorf("two formats: %v", err)
	}
	if _, _, err := Import("theirs", []string{file(t, "a.txt", "ours 3\n")}, traces.Options{}); err != nil {
		t.Errorf("one of two that is named: %v", err)
	}
	for want, f := range map[string]Format{`"ours": there is a format of this name`: ours, `"": expected name`: {}, `"new": expected name`: {Name: "new", What: "x", Example: "x"}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), want) {
					t.Errorf("panic %v, expected %s", r, want)
				}
			}()
			Register(f)
		}()
	}
}

// ourReader numbers the files.
type ourReader struct {
	*Builder
	files int
}

func (b *ourReader) Read(s *source) error {
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
