// Package pool has the policies that hold hosts for sessions of notebooks, which need GPUs only while a cell runs
// (NotebookOS, ASPLOS 2026): an autoscaler and a queue of cells, after the public code, simplified. It registers them.
// The job's model is a calibrate/notebooks.Platform; for another model they hold nothing. Instances are hosts: they
// boot, cost and are preempted as in any run of the world.
package pool

import (
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	register(Autoscaled, "hosts for cells of notebooks by an autoscaler, on spot first: GPUs only while a cell runs")
	register(OnDemand, "notebook-pool on demand")
	register(Batch, "notebook-pool with a container for each cell, as batch jobs have")
	register(Reserved, "holds the GPUs of each session of notebooks from its start to its stop")
}

func register(name, doc string) {
	policies.Register(policies.Info{
		Name:     name,
		Doc:      doc,
		Source:   "NotebookOS (ASPLOS 2026), simplified",
		Needs:    policies.Sessions,
		Defaults: func() sim.Policy { return New(name) },
	})
}

// Pool is a pool of hosts with an autoscaler. At multiples of Every it wants as many hosts as hold the load (GPUs of
// cells that run or wait) times Scale, and at least MinHosts + Buffer; above the load times Limit it gives idle hosts
// back, those on demand first, and of these the latest. Cells wait in the order in which they are due, and one that
// finds no room does not block those behind it. A host that is taken away loses its cells, which run again.
type Pool struct {
	Every    time.Duration `set:"every_s" min:"1" max:"86400" doc:"time between decisions of the autoscaler"`
	Scale    float64       `set:"scale" min:"0.01" max:"100" doc:"it wants hosts for the load times this"`
	Limit    float64       `set:"limit" min:"0.01" max:"100" doc:"it gives hosts back above the load times this; at least scale counts"`
	MinHosts int           `set:"min_hosts" min:"0" max:"4096" doc:"minimum number of hosts, which are always held"`
	Buffer   int           `set:"buffer" min:"0" max:"4096" doc:"hosts held in addition to them, for cells to come"`
	Release  int           `set:"release" min:"0" max:"4096" doc:"most hosts given back by one decision"`
	MaxHosts int           `set:"max_hosts" min:"1" max:"4096" doc:"maximum number of hosts that it requests"`
	Start    time.Duration `set:"start_s" min:"0" max:"86400" doc:"from when a host has booted until it takes cells; not for the hosts of the beginning"`
	Stop     time.Duration `set:"stop_s" min:"0" max:"86400" doc:"how long a host is still held, and paid, that is given back"`
	Cold     time.Duration `set:"cold_s" min:"0" max:"86400" doc:"before each cell: a container of its own"`

	Market   string        `set:"market" names:"spot,on-demand" doc:"where hosts are held"`
	Patience time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long a request for a spot host waits before one on demand takes its place; 0 waits for ever"`

	Return time.Duration `set:"return_s" min:"0" max:"86400" doc:"how often spot is asked for again while hosts on demand stand in for it; 0 never"`

	Replicas     int     `set:"replicas" min:"0" max:"16" doc:"replicas of a kernel, on different hosts: a cell runs at once where one is, and elsewhere after a move of the state; 0: anywhere, for nothing"`
	StateGB      float64 `set:"state_gb" min:"0" max:"10000" doc:"state of a kernel that a move carries, 1e9 bytes"`
	Upload       float64 `set:"upload_mb_per_s" min:"0.001" max:"1e6" doc:"at which a move writes the state"`
	Download     float64 `set:"download_mb_per_s" min:"0.001" max:"1e6" doc:"at which it reads it"`
	Subscription float64 `set:"oversubscription" min:"0.01" max:"1000" doc:"a host takes no replica above this factor times its GPUs: GPUs of sessions with a replica there, over those of the host and the number of replicas"`

	name    string
	reserve bool // sessions hold their GPUs from start to stop

	seen []sim.Instance // scratch
}

// The names of the policies.
const (
	Autoscaled = "notebook-pool"
	OnDemand   = "notebook-ondemand"
	Batch      = "notebook-batch"
	Reserved   = "notebook-reserved"
)

// New returns a policy by name, with default settings: those of NotebookOS for hosts of eight
// GPUs, five of them at least. Batch has a container for each cell, Reserved holds the GPUs of
// a session as long as it is open. It panics for another name.
func New(name string) *Pool {
	p := &Pool{name: name, Every: 30 * time.Second, Scale: 1.05, Limit: 1.1, MinHosts: 2, Buffer: 3, Release: 2, MaxHosts: 64, Start: 15 * time.Second,
		Stop:   10 * time.Second,
		Market: "spot", Patience: 5 * time.Minute, Return: 30 * time.Minute, Upload: 125, Download: 200, Subscription: 7}
	switch name {
	case Autoscaled:
	case OnDemand:
		p.Market = "on-demand"
	case Batch:
		p.Cold = 30 * time.Second
	case Reserved:
		p.reserve, p.Scale, p.Limit, p.MinHosts, p.Buffer, p.Release = true, 1, 1, 0, 0, p.MaxHosts
	default:
		panic("pool: no policy " + name)
	}
	return p
}

// Name implements sim.Policy.
func (p *Pool) Name() string { return p.name }

// NewState implements sim.Stateful.
func (p *Pool) NewState(from, _ any) any {
	if s, same := from.(*state); same {
		return s.clone()
	}
	return &state{}
}
