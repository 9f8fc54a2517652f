package kueue

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// none is no node, no job, no flavor.
const none = -1

// pods is the resource of which each pod uses 1, asked for or not.
const pods = "pods"

// unlimited is a limit that is not set.
const unlimited = math.MaxInt64

// maxQuotas bounds the memory of a cluster: queues and cohorts times flavors of resources.
const maxQuotas = 1 << 22

// static is what does not change while a cluster runs; clusters share it.
type static struct {
	config Config
	nodes  []node // tree by tree
	trees  []tree
	byName map[string]int32 // queues

	kinds     int // of quotas: pairs of flavor and resource
	kindNames []kindName
	resources []string // each once, in order
	flavors   []string
	ofKind    []int32 // resource, by kind

	// by node and kind
	nominal, borrowing, lending, subtree, local, potential []int64
	lendable                                               []float64 // by node and resource, at its parent
}

type kindName struct{ flavor, resource int32 }

// node is a queue or a cohort.
type node struct {
	name            string
	parent          int32
	tree            int32
	height          int
	depth           int
	weight          float64
	queues, cohorts []int32
	queue           *ClusterQueue // nil: a cohort
	groups          []group
}

// group is a Group with its quotas by number.
type group struct {
	resources []int32
	flavors   []int32
	kinds     []int32 // by flavor and resource
	takesPods int     // which of the resources is pods; none: none
}

// tree is a root and what is below it.
type tree struct {
	root   int32
	queues []int32
	kinds  []int32 // of which there is quota
}

// builder makes a static of a Config.
type builder struct {
	*static
	cohorts   map[string]int32
	kindOf    map[kindName]int32
	resource  map[string]int32
	flavor    map[string]int32
	unordered []node // before the nodes are in the order of trees
	groups    [][]Group
}

func newStatic(c Config) (*static, error) {
	b := &builder{
		static:   &static{config: c, byName: map[string]int32{}},
		cohorts:  map[string]int32{},
		kindOf:   map[kindName]int32{},
		resource: map[string]int32{},
		flavor:   map[string]int32{},
	}
	if err := b.addNodes(); err != nil {
		return nil, err
	}
	if err := b.order(); err != nil {
		return nil, err
	}
	if err := b.addQuotas(); err != nil {
		return nil, err
	}
	b.addUp()
	return b.static, nil
}

// addNodes makes a node of each queue and cohort, and of cohorts that are only named.
func (b *builder) addNodes() error {
	for i := range b.config.Cohorts {
		c := &b.config.Cohorts[i]
		if _, again := b.cohorts[c.Name]; again {
			return fmt.Errorf("Cohort %q is there twice", c.Name)
		}
		b.cohort(c.Name)
		b.unordered[b.cohorts[c.Name]].weight = c.Weight
		b.groups[b.cohorts[c.Name]] = c.Groups
	}
	for i := range b.config.Cohorts {
		c := &b.config.Cohorts[i]
		if c.Parent != "" {
			parent := b.cohort(c.Parent)
			b.unordered[b.cohorts[c.Name]].parent = parent
		}
	}
	seen := map[string]bool{}
	for i := range b.config.Queues {
		q := &b.config.Queues[i]
		if seen[q.Name] {
			return fmt.Errorf("ClusterQueue %q is there twice", q.Name)
		}
		seen[q.Name] = true
		parent := int32(none)
		if q.Cohort != "" {
			parent = b.cohort(q.Cohort)
		}
		b.unordered = append(b.unordered, node{name: q.Name, parent: parent, weight: q.Weight, queue: q})
		b.groups = append(b.groups, q.Groups)
	}
	return nil
}

// cohort returns the node of a cohort.
func (b *builder) cohort(name string) int32 {
	n, known := b.cohorts[name]
	if !known {
		n = int32(len(b.unordered))
		b.cohorts[name] = n
		b.unordered = append(b.unordered, node{name: name, parent: none, weight: 1})
		b.groups = append(b.groups, nil)
	}
	return n
}

// order puts the nodes tree by tree, parents first, siblings by name. A queue that is stopped is a node with quotas,
// but in no list and no height: Kueue leaves it out of the snapshot on which it decides, where its quotas still count.
func (b *builder) order() error {
	children := map[int32][]int32{}
	for n := range b.unordered {
		children[b.unordered[n].parent] = append(children[b.unordered[n].parent], int32(n))
	}
	for _, list := range children {
		slices.SortFunc(list, func(x, y int32) int { return strings.Compare(b.unordered[x].name, b.unordered[y].name) })
	}
	groups := make([][]Group, 0, len(b.groups))
	var visit func(old, parent int32, depth int) int32
	visit = func(old, parent int32, depth int) int32 {
		n := int32(len(b.nodes))
		made := b.unordered[old]
		made.parent = parent
		made.depth = depth
		if parent == none {
			b.trees = append(b.trees, tree{root: n})
		}
		made.tree = int32(len(b.trees) - 1)
		b.nodes = append(b.nodes, made)
		groups = append(groups, b.groups[old])
		if made.queue != nil {
			b.byName[made.name] = n
			if !made.queue.Stopped {
				b.trees[made.tree].queues = append(b.trees[made.tree].queues, n)
			}
			return n
		}
		height := 0
		for _, child := range children[old] {
			at := visit(child, n, depth+1)
			switch {
			case b.nodes[at].queue == nil:
				b.nodes[n].cohorts = append(b.nodes[n].cohorts, at)
				height = max(height, 1+b.nodes[at].height)
			case !b.nodes[at].queue.Stopped:
				b.nodes[n].queues = append(b.nodes[n].queues, at)
				height = max(height, 1)
			}
		}
		b.nodes[n].height = height
		return n
	}
	for _, root := range children[none] {
		visit(root, none, 0)
	}
	if len(b.nodes) < len(b.unordered) {
		for _, name := range slices.Sorted(maps.Keys(b.cohorts)) {
			for at, steps := b.cohorts[name], 0; b.unordered[at].parent != none; steps++ {
				at = b.unordered[at].parent
				if steps > len(b.unordered) {
					return fmt.Errorf("Cohort %q is below itself, expected a tree", name)
				}
			}
		}
	}
	b.groups = groups
	return nil
}

func number(of map[string]int32, list *[]string, name string) int32 {
	n, known := of[name]
	if !known {
		n = int32(len(*list))
		of[name] = n
		*list = append(*list, name)
	}
	return n
}

// addQuotas numbers the kinds of quotas, and enters them by node.
func (b *builder) addQuotas() error {
	names := map[string]bool{}
	for _, groups := range b.groups {
		for _, g := range groups {
			for _, r := range g.Resources {
				names[r] = true
			}
		}
	}
	for _, r := range slices.Sorted(maps.Keys(names)) {
		number(b.resource, &b.resources, r)
	}
	for n, groups := range b.groups {
		for _, g := range groups {
			b.nodes[n].groups = append(b.nodes[n].groups, b.newGroup(&g))
		}
	}
	b.kinds = len(b.kindNames)
	size := len(b.nodes) * b.kinds
	if size > maxQuotas {
		return fmt.Errorf("%d queues and cohorts with %d flavors of resources, expected a product of at most %d",
			len(b.nodes), b.kinds, maxQuotas)
	}
	for _, list := range []*[]int64{&b.nominal, &b.borrowing, &b.lending, &b.subtree, &b.local, &b.potential} {
		*list = make([]int64, size)
	}
	for i := range size {
		b.borrowing[i] = unlimited
		b.lending[i] = unlimited
	}
	sum := int64(0)
	for n, groups := range b.groups {
		for g := range groups {
			for f := range groups[g].Flavors {
				for r, q := range groups[g].Flavors[f].Quotas {
					k := b.nodes[n].groups[g].kinds[f*len(groups[g].Resources)+r]
					if err := b.addQuota(n*b.kinds+int(k), q, &sum); err != nil {
						return fmt.Errorf("%s: flavor %s, %s: %w", b.nodes[n].name, groups[g].Flavors[f].Flavor,
							groups[g].Resources[r], err)
					}
					kinds := &b.trees[b.nodes[n].tree].kinds
					if !slices.Contains(*kinds, k) {
						*kinds = append(*kinds, k)
					}
				}
			}
		}
	}
	return nil
}

func (b *builder) addQuota(i int, q Quota, sum *int64) error {
	if q.Nominal < 0 || q.Nominal > MaxAmount-*sum {
		return fmt.Errorf("nominal quota %d, expected from 0 to %d in all", q.Nominal, MaxAmount)
	}
	*sum += q.Nominal
	b.nominal[i] = q.Nominal
	if q.Borrowing != NoLimit {
		b.borrowing[i] = min(q.Borrowing, MaxAmount)
	}
	if q.Lending != NoLimit {
		b.lending[i] = q.Lending
	}
	return nil
}

func (b *builder) newGroup(from *Group) group {
	g := group{takesPods: slices.Index(from.Resources, pods)}
	for _, r := range from.Resources {
		g.resources = append(g.resources, number(b.resource, &b.resources, r))
	}
	for _, f := range from.Flavors {
		flavor := number(b.flavor, &b.flavors, f.Flavor)
		g.flavors = append(g.flavors, flavor)
		for _, r := range g.resources {
			name := kindName{flavor, r}
			k, known := b.kindOf[name]
			if !known {
				k = int32(len(b.kindNames))
				b.kindOf[name] = k
				b.kindNames = append(b.kindNames, name)
				b.ofKind = append(b.ofKind, r)
			}
			g.kinds = append(g.kinds, k)
		}
	}
	return g
}

// addUp works out from the quotas of nodes what they lend (children are behind their parents), and the most that each
// could ever have.
func (b *builder) addUp() {
	for n := len(b.nodes) - 1; n >= 0; n-- {
		for k := range b.kinds {
			i := n*b.kinds + k
			b.subtree[i] += b.nominal[i]
			if b.lending[i] != unlimited {
				b.local[i] = max(0, b.subtree[i]-b.lending[i])
			}
			if parent := b.nodes[n].parent; parent != none {
				b.subtree[int(parent)*b.kinds+k] += b.subtree[i] - b.local[i]
			}
		}
	}
	b.lendable = make([]float64, len(b.nodes)*len(b.resources))
	for n := range b.nodes {
		parent := int(b.nodes[n].parent)
		sums := make([]int64, len(b.resources))
		for k := range b.kinds {
			i := n*b.kinds + k
			if parent == none {
				b.potential[i] = b.subtree[i]
				continue
			}
			above := b.potential[parent*b.kinds+k]
			sums[b.ofKind[k]] += above
			b.potential[i] = b.local[i] + above
			if b.borrowing[i] != unlimited {
				b.potential[i] = min(b.potential[i], b.subtree[i]+b.borrowing[i])
			}
		}
		for r, sum := range sums {
			b.lendable[n*len(b.resources)+r] = float64(sum)
		}
	}
}

// at is where the numbers of a node and a kind of quota are.
func (s *static) at(n, k int32) int { return int(n)*s.kinds + int(k) }

// addUsage adds to the use of a node, and to that of those above it what it then has from them.
func (c *Cluster) addUsage(n, k int32, v int64) {
	for n != none {
		i := c.at(n, k)
		room := max(0, c.local[i]-c.usage[i])
		c.usage[i] += v
		if v <= room {
			return
		}
		v -= room
		n = c.nodes[n].parent
	}
}

// removeUsage undoes addUsage.
func (c *Cluster) removeUsage(n, k int32, v int64) {
	for n != none {
		i := c.at(n, k)
		over := c.usage[i] - c.local[i]
		c.usage[i] -= v
		if over <= 0 {
			return
		}
		v = min(v, over)
		n = c.nodes[n].parent
	}
}

// free is what a node can have without its parent.
func (c *Cluster) free(n, k int32) int64 {
	i := c.at(n, k)
	return max(0, c.local[i]-c.usage[i])
}

// available is what a node can have more; below 0 if it has too much.
func (c *Cluster) available(n, k int32) int64 {
	i := c.at(n, k)
	parent := c.nodes[n].parent
	if parent == none {
		return c.subtree[i] - c.usage[i]
	}
	above := c.available(parent, k)
	if c.borrowing[i] != unlimited {
		lent := c.subtree[i] - c.local[i]
		above = min(above, lent-max(0, c.usage[i]-c.local[i])+c.borrowing[i])
	}
	return max(0, c.local[i]-c.usage[i]) + above
}

// borrows reports whether a node has more than its quota with so much more.
func (c *Cluster) borrows(n, k int32, more int64) bool {
	i := c.at(n, k)
	return c.subtree[i] < c.usage[i]+more
}

// withinNominal reports whether a node has no more than its quota of any of these kinds.
func (c *Cluster) withinNominal(n int32, kinds []int32) bool {
	for _, k := range kinds {
		if c.borrows(n, k, 0) {
			return false
		}
	}
	return true
}

// level is how far up the tree a queue has to borrow for so much more: 0 not at all, else the height of the cohort
// whose quota suffices. Outside reports whether there is quota outside of it that could be reclaimed.
func (c *Cluster) level(q, k int32, v int64) (level int, outside bool) {
	n := c.nodes[q].parent
	if n == none {
		return 0, false
	}
	if !c.borrows(q, k, v) {
		return 0, true
	}
	rest := v - c.free(q, k)
	for {
		parent := c.nodes[n].parent
		if !c.borrows(n, k, rest) || parent == none {
			return c.nodes[n].height, parent != none
		}
		rest -= c.free(n, k)
		n = parent
	}
}
