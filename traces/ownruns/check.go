package ownruns

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// check says what is wrong with an event of n files.
func (e *Event) check(files int) error {
	if e.Kind == None || e.Kind >= kinds {
		return fmt.Errorf("%v, expected one of Kinds", e.Kind)
	}
	if e.File < 0 || int(e.File) >= max(files, 1) || e.Line < 0 {
		return fmt.Errorf("%v at place %d:%d, expected one of the %d files", e.Kind, e.File, e.Line, files)
	}
	if e.T < 0 || e.T > traces.MaxInstant {
		return fmt.Errorf("%v at %d us, expected an instant from 1970 to 2199", e.Kind, e.T)
	}
	if err := e.Kind.check(e.Value); err != nil {
		return fmt.Errorf("%v has the value %v, %w", e.Kind, e.Value, err)
	}
	for _, name := range []string{e.Instance, e.Type, e.Zone} {
		if err := read.CheckName(name); name != "" && err != nil {
			return fmt.Errorf("%v of %s, %w", e.Kind, read.Quote(name), err)
		}
	}
	return e.whole()
}

// whole says what an event lacks.
func (e *Event) whole() error {
	switch {
	case e.Kind.OfMachine() && e.Instance == "":
		return fmt.Errorf("event %q without a machine, expected its name in the column instance", e.Kind)
	case e.Kind == Price && e.Type == "":
		return fmt.Errorf("event %q without an instance type, expected one in the column type", e.Kind)
	}
	return nil
}

// number writes a value in the fewest digits that give it back.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
