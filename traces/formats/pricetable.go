package formats

import (
	"io"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// spillRows is how many rows of prices wait in memory before they go to disk.
const spillRows = 1 << 20

// priceLabel is what few texts say of many rows.
type priceLabel struct{ origin, currency string }

// priceTable gathers rows of prices in any order. It is the one table that grows
// without bound, so that it can spill: sorted runs of its rows wait on disk.
type priceTable struct {
	rows        []priceRecord // since the last spill
	labels      []priceLabel
	first, last int64 // instants, of all rows
	any         bool  // whether there is a row

	polled  bool            // a change lies between two rows
	carried map[int32]int64 // by pool: its last instant before the stated start
	kept    int             // rows that were handed on

	limit int    // rows at which they are spilled; 0: never
	dir   string // where
	spill spill
}

func (t *priceTable) add(r *traces.PriceRow) {
	if !t.any {
		t.first = r.T
		t.last = r.T
		t.any = true
	}
	t.first = min(t.first, r.T)
	t.last = max(t.last, r.T)
	label := priceLabel{r.Origin, r.Currency}
	at := slices.Index(t.labels, label)
	if at < 0 {
		at = len(t.labels)
		t.labels = append(t.labels, label)
	}
	t.rows = append(t.rows, priceRecord{
		t: r.T, uncertain: r.UncertainUs, nano: r.PriceNanoUSD, srcRow: r.SrcRow,
		pool: r.PoolID, srcFile: r.SrcFile, label: int32(at), carryIn: r.CarryIn,
	})
}

// row returns a record as a row; seq and heartbeat are not known yet.
func (t *priceTable) row(r *priceRecord) traces.PriceRow {
	label := t.labels[r.label]
	return traces.PriceRow{
		T: r.t, UncertainUs: r.uncertain, PoolID: r.pool, SrcFile: r.srcFile, SrcRow: r.srcRow,
		Origin: label.origin, PriceNanoUSD: r.nano, Currency: label.currency, CarryIn: r.carryIn,
	}
}

// full reports whether it is time to spill.
func (t *priceTable) full() bool { return t.limit > 0 && len(t.rows) >= t.limit }

// empty spills the rows in memory; ranks are the pools' places by name.
func (t *priceTable) empty(ranks []int32) error {
	if err := t.spill.write(t.dir, t.inOrder(ranks), len(t.rows)); err != nil {
		return &traces.WriteError{Err: err}
	}
	t.rows = t.rows[:0]
	return nil
}

// inOrder returns the rows in memory by (t, rank of the pool), those of one pool
// and instant as they came.
func (t *priceTable) inOrder(ranks []int32) records {
	places := series.SortedPlaces(t.rows, func(r *priceRecord) (int64, int64) { return r.t, int64(ranks[r.pool]) })
	return func() (*priceRecord, error) {
		if len(places) == 0 {
			return nil, io.EOF
		}
		r := &t.rows[places[0].Index]
		places = places[1:]
		return r, nil
	}
}

// each calls yield for all rows in that order. Pools that came after a run was
// spilled do not change how its own stand to one another, so that runs merge.
func (t *priceTable) each(ranks []int32, yield func(*priceRecord) error) error {
	runs := append(t.spill.runs(), t.inOrder(ranks))
	return mergeRuns(runs, func(x, y *priceRecord) bool {
		return x.t < y.t || x.t == y.t && ranks[x.pool] < ranks[y.pool]
	}, yield)
}

func (t *priceTable) close() { t.spill.close() }
