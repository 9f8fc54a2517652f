package main

import (
	"go/types"
	"slices"
)

// needs finds what the names that other packages use cannot do without: the types
// in their signatures, in their exported fields and methods, and in those of these
// types, and the constants and variables of such types.
type needs struct {
	objects map[string]types.Object // top-level ones, package.Name
	found   map[string]bool
}

func (t *tree) needs() map[string]bool {
	n := needs{t.objects, map[string]bool{}}
	for name := range t.used {
		n.name(name)
	}
	for name, obj := range n.objects {
		if _, isType := obj.(*types.TypeName); !isType {
			if of, ok := types.Unalias(obj.Type()).(*types.Named); ok && n.found[key(of.Obj())] {
				n.found[name] = true
			}
		}
	}
	return n.found
}

// key is the name of an object with its package.
func key(obj types.Object) string {
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

func (n *needs) name(name string) {
	obj := n.objects[name]
	if obj == nil || n.found[name] {
		return
	}
	n.found[name] = true
	if _, isType := obj.(*types.TypeName); isType {
		if named, ok := obj.Type().(*types.Named); ok {
			for m := range named.Methods() {
				n.exported(m)
			}
		}
		n.of(obj.Type().Underlying())
		return
	}
	n.of(obj.Type())
}

func (n *needs) exported(obj types.Object) {
	if obj.Exported() {
		n.of(obj.Type())
	}
}

// of finds the types that a type is made of.
func (n *needs) of(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		n.name(key(t.Obj()))
		n.of(types.Unalias(t))
	case *types.Named:
		n.name(key(t.Obj()))
		for arg := range t.TypeArgs().Types() {
			n.of(arg)
		}
	case *types.Map:
		n.of(t.Key())
		n.of(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		n.of(t.Elem())
	case *types.Signature:
		for _, v := range slices.Concat(slices.Collect(t.Params().Variables()), slices.Collect(t.Results().Variables())) {
			n.of(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			n.exported(f)
		}
	case *types.Interface:
		for m := range t.Methods() {
			n.exported(m)
		}
	}
}
