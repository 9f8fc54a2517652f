package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"sync"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/store"
)

// Status says how far a sweep is.
type Status struct {
	Plan    string   `json:"plan"`
	Chunks  int      `json:"chunks"`
	Runs    int64    `json:"runs"`
	Done    int      `json:"done"`    // chunks, those with failed runs included
	Made    int64    `json:"made"`    // runs in them
	Missing []int    `json:"missing"` // chunks
	Failed  []int    `json:"failed"`  // chunks with runs that failed
	Broken  int64    `json:"broken"`  // runs that failed
	Faults  []string `json:"faults"`  // files that are not what their name says, and what they are
	// Strays are other files beside the chunks: set aside, or left by a process that is at work or was killed.
	Strays []string `json:"strays"`
}

// Status checks every chunk.
func (f *Folder) Status() (Status, error) {
	status := Status{
		Plan:    f.Plan.Hash,
		Chunks:  f.Plan.Chunks(),
		Runs:    f.Plan.Runs(),
		Missing: []int{},
		Failed:  []int{},
		Faults:  []string{},
	}
	for chunk := range status.Chunks {
		state, failed, err := f.Check(chunk)
		switch state {
		case Unknown:
			return status, err
		case Missing:
			status.Missing = append(status.Missing, chunk)
		case Damaged, Foreign:
			status.Missing = append(status.Missing, chunk)
			status.Faults = append(status.Faults, err.Error())
		case Failed:
			status.Failed = append(status.Failed, chunk)
			status.Broken += failed
			fallthrough
		default:
			status.Done++
			status.Made += f.Plan.ChunkRuns(chunk)
		}
	}
	var err error
	status.Strays, err = f.strays()
	return status, err
}

var partFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^part-(\d{6,})\.parquet$`) })

// strays lists what is in the folder beside the plan and its chunks.
func (f *Folder) strays() ([]string, error) {
	names := []string{}
	for _, dir := range []string{f.Dir, f.chunks()} {
		entries, err := store.List(context.Background(), dir)
		if err != nil {
			return names, err
		}
		for _, name := range entries {
			if !f.owns(dir, name) {
				names = append(names, store.Join(dir, name))
			}
		}
	}
	return names, nil
}

// owns reports whether a file is the plan, its folder or a chunk.
func (f *Folder) owns(dir, name string) bool {
	if dir == f.Dir {
		return name == PlanFile || store.Join(dir, name) == f.chunks()
	}
	number := partFile().FindStringSubmatch(name)
	if number == nil {
		return name == timingsDir || lockFile().MatchString(name)
	}
	chunk, err := strconv.Atoi(number[1])
	return err == nil && chunk < f.Plan.Chunks() && name == f.partName(chunk)
}

// Rows calls visit with the rows of one chunk after the other, which it may keep
// until the next call. A chunk that is not there, or not as it was written, is an
// error that names it.
func (f *Folder) Rows(visit func(rows []results.SweepRow) error) error {
	for chunk := range f.Plan.Chunks() {
		rows, err := f.read(chunk)
		if err == nil {
			err = visit(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) read(chunk int) ([]results.SweepRow, error) {
	rows, part, err := results.ReadPart(context.Background(), f.Part(chunk))
	if err == nil {
		err = f.checkPart(chunk, &part, int64(len(rows)))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("chunk %d: %w (the sweep is not complete)", chunk, err)
	}
	if err != nil {
		return nil, fmt.Errorf("chunk %d: %w", chunk, err)
	}
	points, _ := f.Plan.points(chunk)
	first := f.Plan.runsBefore(points)
	for i := range rows {
		if rows[i].Run != first+int64(i) {
			return nil, fmt.Errorf("%s: row %d is run %d, expected %d", f.Part(chunk), i, rows[i].Run, first+int64(i))
		}
	}
	return rows, nil
}

// Failure is a run that failed.
type Failure struct {
	Run        int64  `json:"run"`
	Cell       int64  `json:"cell"`
	Parameters string `json:"parameters"`
	Objective  string `json:"objective"`
	Policy     string `json:"policy"`
	Seed       int64  `json:"seed"`
	Error      string `json:"error"`
}

// Failures returns the first runs that failed in these chunks, at most that many.
func (f *Folder) Failures(chunks []int, largest int) (list []Failure, err error) {
	for _, chunk := range chunks {
		rows, err := f.read(chunk)
		if err != nil {
			return list, err
		}
		for i := range rows {
			row := &rows[i]
			if row.Error == "" {
				continue
			}
			if len(list) == largest {
				return list, nil
			}
			list = append(list,
				Failure{row.Run, row.Cell, row.Parameters, row.Objective, row.Policy, row.Seed, row.Error})
		}
	}
	return list, nil
}
