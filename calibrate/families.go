package calibrate

import (
	"github.com/marigram/marigram/calibrate/fit"
	_ "github.com/marigram/marigram/calibrate/gpu"    // its families
	_ "github.com/marigram/marigram/calibrate/ps"     // its families
	_ "github.com/marigram/marigram/calibrate/stalls" // its families
)

// Register adds a family to those that come with marigram: commands list and fit
// it, and specs read its model files. Call it in an init function. It panics where
// the name is taken, or the family is not complete.
func Register(f fit.Family) { fit.Register(f) }

// Families returns all families in the order of their names.
func Families() []fit.Family { return fit.Families() }

// FamilyNamed returns a family; the error lists all names.
func FamilyNamed(name string) (fit.Family, error) { return fit.FamilyNamed(name) }

// OpenModel reads a model file of any family; see fit.ReadModel.
func OpenModel(path string) (*fit.Model, error) { return fit.OpenModel(path) }
