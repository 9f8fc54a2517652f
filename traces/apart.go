package traces

import (
	"fmt"

	"github.com/marigram/marigram/internal/columnar"
)

// PriceAt is of a PriceRow what a replay needs.
type PriceAt struct {
	T            int64 `col:"t" type:"timestamp"`
	Seq          int32 `col:"seq"`
	PoolID       int32 `col:"pool_id"`
	PriceNanoUSD int64 `col:"price_nanousd_per_hour"`
}

// ReadApart reads a trace as Read does, but for the prices, which are most of many
// traces: it hands them to visit in their order, some ten thousand at a time, and keeps
// none. The next overwrite them. They are checked as Read checks them, but whether they are as
// many as the manifest says is known at the end only.
func ReadApart(dir string, visit func(rows []PriceAt)) (*Set, error) {
	order := rowOrder{table: "prices"}
	s, err := read(dir, func(s *Set, manifest string) error {
		order.pools = len(s.Pools)
		return withTable(dir, pricesFile, manifest, func(path string) (map[string]string, error) {
			return columnar.Scan(path, func(rows []PriceAt) error {
				for i := range rows {
					r := &rows[i]
					if err := checkPrice(order.rows, r.PriceNanoUSD); err != nil {
						return err
					}
					if err := order.next(r.T, r.Seq, r.PoolID); err != nil {
						return err
					}
				}
				visit(rows)
				return nil
			})
		})
	})
	if err != nil {
		return nil, err
	}
	if err := s.check(&order); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}
