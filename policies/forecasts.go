package policies

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/marigram/marigram/policies/forecast"
)

// rememberedForecasts keeps what a forecaster said, by all that it was given: to
// fit an ARIMA model takes longer than all else that Parcae does in an interval.
// It is for one forecaster whose forecasts do not depend on earlier calls, and for
// forecasts of one length.
type rememberedForecasts struct {
	known map[string][]float64
	key   []byte
}

// forecast fills out as f does.
func (r *rememberedForecasts) forecast(f forecast.Forecaster, out, past []float64) {
	r.key = r.key[:0]
	for _, x := range past {
		r.key = binary.LittleEndian.AppendUint64(r.key, math.Float64bits(x))
	}
	if said, ok := r.known[string(r.key)]; ok {
		copy(out, said)
		return
	}
	f.Forecast(out, past)
	if r.known == nil || len(r.known) == mostPlans {
		r.known = map[string][]float64{}
	}
	r.known[string(r.key)] = slices.Clone(out)
}
