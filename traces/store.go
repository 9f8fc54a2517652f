package traces

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
)

// The files of a trace folder.
const (
	poolsFile    = "pools.parquet"
	pricesFile   = "prices.parquet"
	capacityFile = "capacity.parquet"
	probesFile   = "probes.parquet"
	eventsFile   = "instance_events.parquet"
	jobsFile     = "jobs.parquet"
	gapsFile     = "gaps.parquet"
)

// tables are the files of a trace in the order in which they appear: the pools,
// without which nothing is a trace, come last.
var tables = []string{
	pricesFile, capacityFile, probesFile, eventsFile, jobsFile, gapsFile, poolsFile,
}

// Files returns the names of the tables of a trace, some of which a folder may lack.
func Files() []string { return slices.Clone(tables) }

// Stored reports whether a folder holds a trace in the neutral form, whole or not.
func Stored(dir string) bool {
	there, _ := store.Exists(context.Background(), store.Join(dir, poolsFile))
	return there
}

// Read reads the trace in a folder. Damaged files, tables of different traces
// and rows that break the neutral form's rules are errors.
func Read(dir string) (*Set, error) {
	s, err := read(dir, func(s *Set, manifest string) error { return readTable(dir, pricesFile, manifest, &s.Prices) })
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

// read reads a trace, its prices as it is told.
func read(dir string, prices func(s *Set, manifest string) error) (*Set, error) {
	path := store.Join(dir, poolsFile)
	pools, meta, err := columnar.Read[Pool](path)
	if err != nil {
		return nil, err
	}
	text, ok := meta[manifestKey]
	if !ok {
		return nil, fmt.Errorf("%s: has no %s in its metadata", path, manifestKey)
	}
	m, err := decodeManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Set{Manifest: m, Pools: pools}
	return s, errors.Join(
		prices(s, text),
		readTable(dir, capacityFile, text, &s.Capacity),
		readTable(dir, probesFile, text, &s.Probes),
		readTable(dir, eventsFile, text, &s.InstanceEvents),
		readTable(dir, jobsFile, text, &s.Jobs),
		readTable(dir, gapsFile, text, &s.Gaps),
	)
}

// readTable reads a table if it is there; Check compares it with the manifest.
func readTable[T any](dir, name, manifest string, rows *[]T) error {
	return withTable(dir, name, manifest, func(path string) (meta map[string]string, err error) {
		*rows, meta, err = columnar.Read[T](path)
		return meta, err
	})
}

// withTable has a table read that is there.
func withTable(dir, name, manifest string, read func(path string) (map[string]string, error)) error {
	path := store.Join(dir, name)
	if there, err := store.Exists(context.Background(), path); !there && err == nil {
		return nil
	}
	meta, err := read(path)
	if err == nil && meta[manifestKey] != manifest {
		err = fmt.Errorf("%s: its manifest is not that of %s: the folder holds parts of two traces", path, poolsFile)
	}
	return err
}
