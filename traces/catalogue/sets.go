package catalogue

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/marigram/marigram/traces"
)

// setText describes the public data sets, in the form of a list of described; their files are in catalogue.sums.
//
//go:embed catalogue.json
var setText []byte

// described is an entry as catalogue.json has it.
type described struct {
	Entry
	Format  string
	Options traces.Options
	Folder  string
	Moved   []moved
	Prices  string
}

// sets returns the entries in the order of catalogue.json, without their files.
var sets = sync.OnceValue(func() (list []Entry) {
	var all []described
	d := json.NewDecoder(bytes.NewReader(setText))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic(fmt.Sprintf("traces: catalogue.json: %v", err))
	}
	for i := range all {
		x := &all[i]
		e := x.Entry
		e.format = x.Format
		e.options = x.Options
		e.folder = x.Folder
		e.moved = x.Moved
		e.prices = x.Prices
		list = append(list, e)
	}
	return list
})
