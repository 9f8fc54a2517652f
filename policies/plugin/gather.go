package plugin

import (
	"math"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
)

// instant returns an instant in seconds, nil for Never.
func instant(t sim.Time) *float64 {
	if t == sim.Never {
		return nil
	}
	return stats.FiniteOrNil(t.Seconds())
}

// pools describes the pools of a view.
func pools(v sim.View) []message.Pool {
	out := make([]message.Pool, v.Pools())
	for i := range out {
		out[i] = pool(v.Pool(i))
	}
	return out
}

func pool(p *sim.Pool) message.Pool {
	return message.Pool{Name: p.Name, Cloud: p.Cloud, Region: p.Region, Zone: p.Zone, Type: p.InstanceType, GPU: p.GPU, GPUs: p.GPUs,
		OnDemand: p.OnDemand, OnDemandPrice: p.OnDemandPrice, Quota: p.Quota, NoticeS: p.Notice.Seconds(),
		BootMedianS: p.Boot.Median.Seconds(), BootSigma: p.Boot.Sigma}
}

// gather writes what a policy sees.
func gather(m *message.View, v sim.View, recorded bool) {
	m.Type, m.NowS, m.Triggers, m.Trigger = "decide", v.Now().Seconds(), uint32(v.Trigger()), v.Trigger().String()
	m.Recorded, m.USD = recorded, total(v.Bill())
	m.Prices = m.Prices[:0]
	for p := range v.Pools() {
		m.Prices = append(m.Prices, v.Price(p))
	}
	active := v.ActiveJobs()
	for len(m.Jobs) < len(active) {
		m.Jobs = append(m.Jobs, message.Job{})
	}
	m.Jobs = m.Jobs[:len(active)]
	for i, j := range active {
		gatherJob(&m.Jobs[i], v, j)
	}
}

func gatherJob(m *message.Job, v sim.View, j int) {
	x := v.Job(j)
	goal, layout := x.Objective(), x.Layout()
	if m.Held == nil {
		m.Held = []message.Held{} // not null, for those that read it
	}
	*m = message.Job{Job: j, DeadlineS: x.Deadline().Seconds(), WithinS: goal.Within.Seconds(), GoalLoss: goal.Loss,
		Begun: x.Begun(), Training: x.Training(), Safe: x.Safe(), Done: x.Done(), Loss: stats.FiniteOrNil(x.Loss()),
		SavedLoss: stats.FiniteOrNil(x.SavedLoss()), Speed: x.Speed(), LaidS: x.LaidAt().Seconds(), SavedS: x.LastSave().Seconds(),
		ResumedS: x.Resumed().Seconds(), PausedS: instant(x.Paused()), LeavingS: instant(x.Leaving()), SaveS: x.SaveTime().Seconds(),
		PersistS: x.PersistTime().Seconds(), Losses: x.Losses(), Servers: x.Servers(), Pipelines: int(layout.Pipelines),
		Stages: int(layout.Stages), Held: m.Held[:0]}
	for p := range v.Pools() {
		h := v.Held(j, p)
		if h.Want+h.Waiting+h.Starting+h.Ready+h.Noticed == 0 {
			continue
		}
		m.Held = append(m.Held, message.Held{Pool: p, Want: h.Want, Waiting: h.Waiting, Starting: h.Starting, Ready: h.Ready,
			Noticed: h.Noticed, WaitingSinceS: instant(h.WaitingSince)})
	}
}

// span returns seconds as a span of whole microseconds.
func span(s float64) time.Duration { return time.Duration(math.Round(s*1e6)) * time.Microsecond }

func total(b sim.Bill) float64 { return b.Total() }
