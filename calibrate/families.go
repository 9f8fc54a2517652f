package calibrate

import (
	"github.com/marigram/marigram/calibrate/fit"
	_ "github.com/marigram/marigram/calibrate/gpu"    // its families
	_ "github.com/marigram/marigram/calibrate/ps"     // its families
	_ "github.com/marigram/marigram/calibrate/stalls" // its families
)

// Families returns all families in the order of their names: those that come with
// marigram, and those that other packages of the program gave to fit.Register.
func Families() []fit.Family { return fit.Families() }

// FamilyNamed returns a family; the error lists all names.
func FamilyNamed(name string) (fit.Family, error) { return fit.FamilyNamed(name) }

// OpenModel reads a model file of any family; see fit.ReadModel.
func OpenModel(path string) (*fit.Model, error) { return fit.OpenModel(path) }
