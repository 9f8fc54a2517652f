package report

import (
	"fmt"

	"github.com/marigram/marigram/plots"
)

const aboutNotebooks = "Means over the runs. Reserved: what sessions take that hold their GPUs from start to stop; in cells: what nobody can do without; saved: " +
	"reserved less GPU-hours. Delay: from when a cell is due until it begins, for the last time if its host was taken away."

// NotebookHead names the columns.
func (*page) NotebookHead() (names []string) {
	for _, c := range notebookColumns {
		names = append(names, c.Name)
	}
	return names
}

// AboutNotebooks explains them.
func (*page) AboutNotebooks() string { return aboutNotebooks }

// NotebookCells are the means, as they are printed.
func (r *row) NotebookCells() (cells []string) {
	for i := range notebookColumns {
		if r.notebooks.n[i] == 0 {
			cells = append(cells, "none")
			continue
		}
		cells = append(cells, fmt.Sprintf("%.1f", r.notebooks.sum[i]/float64(r.notebooks.n[i])))
	}
	return cells
}

// notebooks writes the table on notebooks, if there is one.
func (d *printed) notebooks() {
	for _, o := range d.page.Objectives {
		if !o.Notebooks() {
			continue
		}
		d.Heading(2, "Notebooks: "+o.Name)
		d.Text(aboutNotebooks)
		t := plots.Table{Head: append([]string{"policy"}, d.page.NotebookHead()...), Numbers: make([]bool, 1+len(notebookColumns))}
		for i := range notebookColumns {
			t.Numbers[1+i] = true
		}
		for _, r := range o.Rows {
			t.Rows = append(t.Rows, append([]string{r.Policy}, r.NotebookCells()...))
			t.Strong = append(t.Strong, r.Best)
		}
		d.Table(&t)
	}
}
