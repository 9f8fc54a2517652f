package formats

import "slices"

// place is where a kind of machine is kept: the script holds one in each.
type place struct {
	zone, gpu string
	gpus      int
	slot      string // its name, where the kind was never created and is not known
}

// places says where a log's machines are.
type places struct {
	of    map[string]place // machine or slot: its place
	zones []string         // in the order in which the script goes through them
}

// dimePlaces learns the places from the whole log. A name stays in one place.
func dimePlaces(s *source, says []dimeSays) (places, error) {
	p := places{of: map[string]place{}}
	for _, d := range says {
		if d.zone != "" && !slices.Contains(p.zones, d.zone) {
			p.zones = append(p.zones, d.zone)
		}
		if d.what != "created" {
			continue
		}
		is := place{zone: d.zone, gpu: d.gpu, gpus: d.gpus}
		if was, there := p.of[d.id]; there && was != is {
			return p, d.errorAt(d.idColumn, "instance %s has %d GPU(s) of type %s in zone %s, and before had %d of type %s in %s; expected one kind in one zone",
				quote(d.id), is.gpus, is.gpu, is.zone, was.gpus, was.gpu, was.zone)
		}
		p.of[d.id] = is
	}
	for _, d := range says {
		was, there := p.of[d.id]
		switch {
		case d.zone == "":
		case !there:
			p.of[d.id] = place{zone: d.zone, slot: d.id}
		case was.zone != d.zone:
			return p, d.errorAt(d.idColumn, "instance %s in zone %s, and elsewhere in %s; expected one zone", quote(d.id), d.zone, was.zone)
		}
	}
	return p, nil
}

// turns says whose turn it is, by kind of machine: the script goes through its
// zones in one order, so that a failure without a zone belongs to the next zone
// in which no such machine is there.
type turns struct {
	places
	last map[place]int  // kind (without a zone): the zone last heard of
	up   map[place]bool // a machine is there
}

func kindOf(p place) place { return place{gpu: p.gpu, gpus: p.gpus} }

// heard notes that a place was reported on. What is found gone is asked for
// anew in the same turn.
func (t *turns) heard(p place, turnOver bool) {
	t.last[kindOf(p)] = slices.Index(t.zones, p.zone)
	if !turnOver {
		t.last[kindOf(p)]--
	}
}

// next returns the place in which a creation failed; false where a machine is
// in every zone, or there is no zone.
func (t *turns) next(kind place) (place, bool) {
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
