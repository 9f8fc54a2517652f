package cluster

import "fmt"

// Tier is places of one kind that servers are in: racks, or what racks are in.
type Tier struct {
	Name string `json:"name" jsonschema:"what such a place is called: rack, pod, building"`
	Of   int    `json:"of,omitempty" min:"1" max:"65536" jsonschema:"how many of the tier below are in one, in their order: of the first, servers; of the others, places of the tier before. May be left out of the first: its places are then those of per_rack"`
}

// CheckTiers reports what is wrong with tiers, which are at $.market.tiers.
func CheckTiers(tiers []Tier, servers []Servers, at At) error {
	seen := map[string]bool{"server": true}
	for k := range tiers {
		t, place := &tiers[k], fmt.Sprintf("$.market.tiers[%d]", k)
		switch {
		case seen[t.Name]:
			return at(place+".name", "%q, expected a name that is used once, and not server", t.Name)
		case t.Of == 0 && k > 0:
			return at(place, "of is missing, expected how many of %s are in one", tiers[k-1].Name)
		}
		seen[t.Name] = true
	}
	for i := range servers {
		if servers[i].PerRack > 0 && len(tiers) > 0 && tiers[0].Of > 0 {
			return at(fmt.Sprintf("$.market.servers[%d].per_rack", i), "%d, but market.tiers says how many servers are in one %s (of: %d); expected one of them",
				servers[i].PerRack, tiers[0].Name, tiers[0].Of)
		}
	}
	if len(tiers) > 0 && len(servers) == 1 && servers[0].OnDemand {
		return at("$.market.tiers", "tiers of servers, but there are none: expected market.servers")
	}
	return nil
}

// Spans says in words how far apart two servers can be: one for each tier, and beyond the widest.
func Spans(tiers []Tier) []string {
	if len(tiers) == 0 {
		tiers = []Tier{{Name: "rack"}}
	}
	var spans []string
	for k := range tiers {
		spans = append(spans, "within one "+tiers[k].Name)
	}
	return append(spans, "beyond one "+tiers[len(tiers)-1].Name)
}
