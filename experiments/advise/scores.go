package advise

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/internal/store"
)

// Scores are where the outcomes of a check lay among what was expected: a file next to the record of the market, of one
// policy and objective. CheckIntervals makes them, and Options.Scores widens intervals by them.
type Scores struct {
	Version   int     `json:"version" min:"1" max:"1"`
	Spec      string  `json:"spec"`
	Policy    string  `json:"policy"`
	Objective string  `json:"objective"`
	Begins    string  `json:"begins"` // when the market does in the calendar; empty: it has none
	SHA256    string  `json:"sha256"` // of the file's values, this one empty
	Rows      []Score `json:"rows" items:"10000"`

	doc *document.Document
}

// Score is where the outcome of one run lay. Instants are seconds from the beginning of the market.
type Score struct {
	NowS   float64 `json:"now_s" min:"0"`   // when it was predicted
	KnownS float64 `json:"known_s" min:"0"` // when the run was over
	Cost   ranks   `json:"cost"`
	Finish ranks   `json:"finish"`
}

// maxScoresBytes bounds a file of scores.
const maxScoresBytes = 16 << 20

// OpenScores reads a file of scores.
func OpenScores(name string) (*Scores, error) {
	data, err := store.ReadInput(name, maxScoresBytes)
	if err != nil {
		return nil, err
	}
	return ParseScores(name, data)
}

// ParseScores reads scores. Errors give file, line and column; so does one that a value was changed by hand, or is cut.
func ParseScores(name string, data []byte) (s *Scores, err error) {
	defer document.Guard(name, &s, &err)
	doc, err := document.Parse(name, "scores of marigram advise --check", data)
	if err != nil {
		return nil, err
	}
	s = &Scores{doc: doc}
	if err := doc.Decode(s); err != nil {
		return nil, err
	}
	if err := doc.Check(s); err != nil {
		return nil, err
	}
	for i := range s.Rows {
		if err := s.checkRow(i); err != nil {
			return nil, err
		}
	}
	if sum := s.sum(); s.SHA256 != sum {
		return nil, doc.ErrorAt("$.sha256", "%s, but the file's values have %s: expected a file as --check wrote it",
			s.SHA256, sum)
	}
	return s, nil
}

// checkRow refuses a row that no check writes.
func (s *Scores) checkRow(i int) error {
	row := &s.Rows[i]
	path := fmt.Sprintf("$.rows[%d]", i)
	if row.KnownS < row.NowS {
		return s.doc.ErrorAt(path+".known_s", "%v, expected an instant after now_s, %v", row.KnownS, row.NowS)
	}
	if !(row.Cost.Low < row.Cost.High) {
		return s.doc.ErrorAt(path+".cost.high", "%v, expected more than low, %v", row.Cost.High, row.Cost.Low)
	}
	if !(row.Finish.Low < row.Finish.High) {
		return s.doc.ErrorAt(path+".finish.high", "%v, expected more than low, %v", row.Finish.High, row.Finish.Low)
	}
	return nil
}

// sum is the SHA-256 of all values but itself.
func (s *Scores) sum() string {
	values := *s
	values.SHA256 = ""
	text, _ := json.Marshal(&values) // of finite numbers and texts
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// WriteFile writes the scores, a row a line; the file is there as a whole or not at all.
func (s *Scores) WriteFile(ctx context.Context, name string) error {
	head := *s
	head.SHA256 = s.sum()
	head.Rows = []Score{}
	text, err := json.Marshal(&head)
	if err != nil {
		return err
	}
	out := bytes.NewBuffer(bytes.TrimSuffix(text, []byte("]}")))
	for i := range s.Rows {
		row, err := json.Marshal(&s.Rows[i])
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(row)
	}
	out.WriteString("\n]}\n")
	return store.WriteBytes(ctx, name, out.Bytes())
}

// beginning is when a market begins in the calendar, empty if that is not known.
func beginning(m *market.Markets) string {
	if at, known := m.Calendar(0); known {
		return at.UTC().Format("2006-01-02T15:04:05Z")
	}
	return ""
}

// checkScores refuses scores of something else.
func (a *adviser) checkScores() error {
	s := a.options.Scores
	if s == nil {
		return nil
	}
	if !a.spec.Workload().HasObjectives() {
		return a.spec.ErrorAt("$.jobs", "scores are of one job: expected none with many")
	}
	for _, x := range []struct{ key, has, want string }{
		{"spec", s.Spec, a.spec.Name},
		{"policy", s.Policy, a.spec.Policies[0].Name},
		{"objective", s.Objective, a.spec.Objectives[a.goal].Name},
		{"begins", s.Begins, beginning(a.markets)},
	} {
		if x.has != x.want {
			return s.doc.ErrorAt("$."+x.key, "%q, expected %q: marigram advise SPEC --policy %s --check 40 --scores FILE "+
				"makes the scores of this policy on this market", x.has, x.want, a.spec.Policies[0].Name)
		}
	}
	return nil
}
