package main

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// layers returns the packages by layer, the lowest first.
func (t *tree) layers() (layers [][]pkg) {
	at := map[string]int{}
	for len(at) < len(t.packages) {
		for _, p := range t.packages {
			if _, done := at[p.folder]; done {
				continue
			}
			layer, all := 0, true
			for _, folder := range p.imports {
				below, done := at[folder]
				layer, all = max(layer, below+1), all && done
			}
			if all {
				at[p.folder] = layer
			}
		}
	}
	for _, p := range t.packages {
		for len(layers) <= at[p.folder] {
			layers = append(layers, nil)
		}
		layers[at[p.folder]] = append(layers[at[p.folder]], p)
	}
	return layers
}

// picture is what is directly in a folder: the files of its package, and the
// folders, each standing for all that is below it. An arrow leads from one that
// uses another to it.
type picture struct {
	folder string
	nodes  []string
	edges  [][]int // by node: those that it uses, ascending
}

// pictures returns those of all folders in which something uses something.
func (t *tree) pictures() []picture {
	of := map[string]map[[2]string]bool{}
	for arrow := range t.arrows {
		folder, from, to := meet(string(arrow[0]), string(arrow[1]))
		if of[folder] == nil {
			of[folder] = map[[2]string]bool{}
		}
		of[folder][[2]string{from, to}] = true
	}
	var list []picture
	for _, folder := range slices.Sorted(maps.Keys(of)) {
		list = append(list, draw(folder, of[folder]))
	}
	return list
}

// meet returns the folder that two files have in common, and what stands for each
// in its picture.
func meet(a, b string) (folder, from, to string) {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < min(len(as), len(bs))-1 && as[n] == bs[n] {
		n++
	}
	return path.Join(as[:n]...), as[n], bs[n]
}

func draw(folder string, arrows map[[2]string]bool) picture {
	p := picture{folder: folder}
	for arrow := range arrows {
		p.nodes = append(p.nodes, arrow[:]...)
	}
	slices.Sort(p.nodes)
	p.nodes = slices.Compact(p.nodes)
	p.edges = make([][]int, len(p.nodes))
	for arrow := range arrows {
		from, to := slices.Index(p.nodes, arrow[0]), slices.Index(p.nodes, arrow[1])
		p.edges[from] = append(p.edges[from], to)
	}
	for i := range p.edges {
		slices.Sort(p.edges[i])
	}
	return p
}

// layout is a picture in order: users above what they use, but for some arrows.
type layout struct {
	layers [][]int  // nodes, the lowest layer first: what uses nothing
	back   [][2]int // arrows that run upwards
	arrows int
}

// lay puts the nodes on layers, so that few arrows run back.
func (p *picture) lay() (l layout) {
	line := order(p.edges)
	place := make([]int, len(line))
	for i, node := range line {
		place[node] = i
	}
	layer := make([]int, len(line))
	for _, node := range slices.Backward(line) {
		for _, used := range p.edges[node] {
			l.arrows++
			if place[used] < place[node] {
				l.back = append(l.back, [2]int{node, used})
				continue
			}
			layer[node] = max(layer[node], layer[used]+1)
		}
		for len(l.layers) <= layer[node] {
			l.layers = append(l.layers, nil)
		}
		l.layers[layer[node]] = append(l.layers[layer[node]], node)
	}
	return l
}
