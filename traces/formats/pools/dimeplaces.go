package pools

import (
	"slices"

	"github.com/marigram/marigram/traces/formats/read"
)

// site is where a kind of machine is kept: the script holds one in each.
type site struct {
	zone, gpu string
	gpus      int
	slot      string // its name, where the kind was never created and is not known
}

// sites says where a log's machines are.
type sites struct {
	of    map[string]site // machine or slot: its place
	zones []string        // in the order in which the script goes through them
}

// learnSites learns the places from the whole log. A name stays in one place.
func learnSites(s *read.Source, says []dimeSays) (sites, error) {
	p := sites{of: map[string]site{}}
	for _, d := range says {
		if d.zone != "" && !slices.Contains(p.zones, d.zone) {
			p.zones = append(p.zones, d.zone)
		}
		if d.what != "created" {
			continue
		}
		is := site{zone: d.zone, gpu: d.gpu, gpus: d.gpus}
		if was, there := p.of[d.id]; there && was != is {
			return p, d.ErrorAt(d.idColumn, "instance %s has %d GPU(s) of type %s in zone %s, and before had %d of "+
				"type %s in %s; expected one kind in one zone",
				read.Quote(d.id), is.gpus, is.gpu, is.zone, was.gpus, was.gpu, was.zone)
		}
		p.of[d.id] = is
	}
	for _, d := range says {
		was, there := p.of[d.id]
		switch {
		case d.zone == "":
		case !there:
			p.of[d.id] = site{zone: d.zone, slot: d.id}
		case was.zone != d.zone:
			return p, d.ErrorAt(d.idColumn, "instance %s in zone %s, and elsewhere in %s; expected one zone", read.Quote(d.id),
				d.zone, was.zone)
		}
	}
	return p, nil
}

// turns says whose turn it is, by kind of machine: the script goes through its
// zones in one order, so that a failure without a zone belongs to the next zone
// in which no such machine is there.
type turns struct {
	sites
	last map[site]int  // kind (without a zone): the zone last heard of
	up   map[site]bool // a machine is there
}

func kindOf(p site) site { return site{gpu: p.gpu, gpus: p.gpus} }

// heard notes that a place was reported on. What is found gone is asked for
// anew in the same turn.
func (t *turns) heard(p site, turnOver bool) {
	t.last[kindOf(p)] = slices.Index(t.zones, p.zone)
	if !turnOver {
		t.last[kindOf(p)]--
	}
}

// next returns the place in which a creation failed; false where a machine is
// in every zone, or there is no zone.
func (t *turns) next(kind site) (site, bool) {
	last, heard := t.last[kind]
	if !heard {
		last = -1
	}
	for i := 1; i <= len(t.zones); i++ {
		p := kind
		p.zone = t.zones[(last+i)%len(t.zones)]
		if !t.up[p] {
			t.heard(p, true)
			return p, true
		}
	}
	return kind, false
}
