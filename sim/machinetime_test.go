package sim_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Hours are those of a time.Duration to the last bit, and go on where that ends.
func TestMachineTime(t *testing.T) {
	check := near.Count(t)
	for _, d := range []time.Duration{0, time.Microsecond, 1234567891 * time.Microsecond, 61 * time.Minute, 2501999*time.Hour + time.Microsecond} {
		m := sim.MachineTime(d / time.Microsecond)
		if m.Hours() != d.Hours() || m.Seconds() != d.Seconds() || m.Span() != d {
			t.Errorf("%v: %v h, %v s, %v; want %v, %v", d, m.Hours(), m.Seconds(), m.Span(), d.Hours(), d.Seconds())
		}
	}
	for _, hours := range []float64{2501999.8, 2501999.9, 2562047, 2562048, 1.15e10, 1e15} { // 2^53 microseconds are 2501999.79 h
		m := sim.MachineTime(hours * 3600e6)
		span := time.Duration(math.MaxInt64)
		if hours < 2562047.5 {
			span = time.Duration(math.Round(hours*3600e6)) * time.Microsecond
		}
		if check.Off(m.Hours()/hours, 1, 1e-15) || check.Off(m.Seconds()/hours/3600, 1, 1e-15) || m.Span() != span {
			t.Errorf("%v h are %v h, %v s, %v", hours, m.Hours(), m.Seconds(), m.Span())
		}
	}
}

// Hours of many machines are those that were held: 2,562,047 were the most once. 131,072 instances for ten years are
// 11.5 billion.
func TestHoursOfManyMachines(t *testing.T) {
	for _, c := range []struct {
		pools, each int
		hours       float64
	}{{1, 2048, 60 * 24}, {1, 4096, 8760}, {32, 4096, 10 * 8766}} {
		checkHeld(t, manyMachines{pools: c.pools, each: c.each, end: sim.At(c.hours * 3600), price: 1})
	}
}

// However many instances are held, for however long and at whatever price: the hours, the dollars and the counts are
// those of the arithmetic.
func FuzzManyMachines(f *testing.F) {
	f.Add(uint8(0), uint16(2047), uint32(60*24*3600), uint32(0), 3.06, uint8(0))
	f.Add(uint8(31), uint16(4095), uint32(math.MaxUint32), uint32(1e9), 1e6, uint8(7))
	f.Add(uint8(3), uint16(4095), uint32(math.MaxUint32), uint32(0), 1e-9, uint8(5))
	f.Fuzz(func(t *testing.T, pools uint8, each uint16, seconds, until uint32, price float64, rules uint8) {
		if !(price >= 1e-9 && price <= 1e9) {
			t.Skip()
		}
		c := manyMachines{pools: int(pools%8) + 1, each: int(each%2048) + 1, end: sim.At(float64(seconds) + 1), price: price,
			until: sim.At(float64(until)), disks: rules&1 > 0, commit: rules&2 > 0, hourly: rules&4 > 0}
		checkHeld(t, c)
	})
}

// manyMachines is a run that holds all that there is.
type manyMachines struct {
	pools, each           int
	end, until            sim.Time // until: from then on nothing is held; 0 or from end on: it is to the end
	price                 float64  // of a pool on demand; of the disks and of what is committed, too
	disks, commit, hourly bool
}

// checkHeld runs c and compares its totals with the arithmetic.
func checkHeld(t *testing.T, c manyMachines) {
	t.Helper()
	check := near.Count(t)
	billing := sim.Billing{}
	if c.hourly {
		billing.Increment = time.Hour
	}
	if c.disks {
		billing.DiskUSDPerHour = c.price
	}
	var hs []sim.Trace
	for p := range c.pools {
		h := sim.Trace{Pool: sim.Pool{Name: strconv.Itoa(p), InstanceType: "x", OnDemand: true, Quota: c.each, OnDemandPrice: c.price},
			Prices: []sim.Price{{USD: c.price}}}
		if c.commit {
			h.Commitments = []sim.Commitment{{Instances: c.each, USDPerHour: c.price, Until: sim.Never}}
		}
		hs = append(hs, h)
	}
	m, err := sim.NewMarket(c.end, hs)
	if err != nil {
		t.Fatal(err)
	}
	held := c.end
	if c.until > 0 && c.until < c.end {
		held = c.until
	}
	w, err := sim.New(sim.Config{Market: m, Billing: billing, Policy: holdAll{held},
		Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1}, Objective: sim.Objective{Loss: simtest.LossAt(1e300), Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run()
	n := float64(c.pools * c.each)
	hours := n * float64(held) / 3600e6
	paid := hours * c.price
	topUp := 0.0
	if c.hourly {
		topUp = n * (math.Ceil(float64(held)/3600e6) - float64(held)/3600e6) * c.price
	}
	pools := 0.0
	for p := range r.Pools {
		pools += r.Pools[p].InstanceHours
	}
	want := map[string][2]float64{
		"instance-hours of the job": {r.Jobs[0].InstanceTime.Hours(), hours}, "of the pools": {pools, hours},
		"grants": {float64(r.Grants), n},
	}
	if c.disks {
		want["disks"] = [2]float64{r.Bill.Disks, paid}
	}
	if c.commit {
		want["commitments"] = [2]float64{r.Bill.Commitments, n * float64(c.end) / 3600e6 * c.price}
	} else {
		want["dollars"] = [2]float64{r.Bill.OnDemand, paid}
		want["rounding up"] = [2]float64{r.Bill.TopUp + n*c.price, topUp + n*c.price}
	}
	for name, x := range want {
		if check.OffRel(x[0], x[1], 1e-9) {
			t.Errorf("%+v: %s: %v, want %v", c, name, x[0], x[1])
		}
	}
}

// holdAll holds all quotas until an instant.
type holdAll struct{ until sim.Time }

func (holdAll) Name() string { return "hold-all" }

func (h holdAll) Decide(v sim.View, plan *sim.Plan) {
	for p := range plan.Jobs[0].Hold {
		plan.Jobs[0].Hold[p] = 0
		if v.Now() < h.until {
			plan.Jobs[0].Hold[p] = v.Pool(p).Quota
		}
	}
	if v.Now() < h.until {
		plan.WakeIn(h.until.Sub(v.Now()))
	}
}
