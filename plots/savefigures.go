package plots

import (
	"os"

	"github.com/marigram/marigram/plots/canvas"
)

// Named is a figure and the name of its files, without an ending.
type Named struct {
	Name   string
	Figure *canvas.Figure
}

// SaveFigures draws figures into dir, each as SVG, PNG and PDF, and returns the
// paths. It makes dir if it is not there. A figure appears under its name only
// when it is complete.
func SaveFigures(dir string, figures []Named) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var paths []string
	names := make(map[string]bool)
	for _, f := range figures {
		more, err := save(dir, unique(names, fileName(f.Name)), f.Figure)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return paths, nil
}
