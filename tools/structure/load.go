package main

import (
	"errors"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// tree is a module: its packages in the order of their folders.
type tree struct {
	module   string
	packages []pkg
	objects  map[string]types.Object // top-level ones, package.Name
	exported []string                // names of those that are exported
	used     map[string]bool         // those that another package uses
	tested   map[string]bool         // those that a test in another folder uses
	arrows   map[[2]file]bool        // from a file to another that declares what it uses
}

// pkg is a package of the module.
type pkg struct {
	folder  string   // below the module; "" is its root
	imports []string // folders of the module's packages that it imports, without tests
}

// file is a path below the module.
type file string

// load reads the module in a folder.
func load(dir string) (*tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedModule | packages.NeedForTest |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: dir, Tests: true,
	}, "./...")
	if err != nil {
		return nil, err
	}
	l := &loader{
		tree: tree{objects: map[string]types.Object{}, used: map[string]bool{}, tested: map[string]bool{},
			arrows: map[[2]file]bool{}},
		dir: dir, declared: map[string]file{},
	}
	for _, p := range list {
		for _, e := range p.Errors {
			err = errors.Join(err, e)
		}
		if p.Module != nil && p.ForTest == "" {
			l.module = p.Module.Path
			l.declare(p)
		}
	}
	for _, p := range list {
		if p.Module != nil && !strings.HasSuffix(p.PkgPath, ".test") {
			l.use(p)
		}
	}
	slices.SortFunc(l.packages, func(a, b pkg) int { return strings.Compare(a.folder, b.folder) })
	slices.Sort(l.exported)
	return &l.tree, err
}

// loader is a tree that is being read.
type loader struct {
	tree
	dir      string
	declared map[string]file // of top-level names, package.Name
}

// declare notes a package, and where its top-level names are.
func (l *loader) declare(p *packages.Package) {
	if strings.HasSuffix(p.PkgPath, ".test") {
		return
	}
	found := pkg{folder: l.folder(p.PkgPath)}
	for path := range p.Imports {
		if l.ours(path) {
			found.imports = append(found.imports, l.folder(path))
		}
	}
	slices.Sort(found.imports)
	l.packages = append(l.packages, found)
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		l.objects[p.PkgPath+"."+name] = obj
		l.declared[p.PkgPath+"."+name] = l.file(p, obj.Pos())
		if obj.Exported() {
			l.exported = append(l.exported, p.PkgPath+"."+name)
		}
	}
}

// use notes what a package, or a test, uses. A test in the folder of a package is
// not outside of it.
func (l *loader) use(p *packages.Package) {
	own := strings.TrimSuffix(p.PkgPath, "_test")
	for id, obj := range p.TypesInfo.Uses {
		if obj.Pkg() == nil || !l.ours(obj.Pkg().Path()) || !shared(obj) {
			continue
		}
		name := obj.Pkg().Path() + "." + obj.Name()
		at, top := l.declared[name]
		switch top = top && obj.Parent() == obj.Pkg().Scope(); {
		case obj.Pkg() == p.Types:
			at = l.file(p, origin(obj).Pos())
		case !top:
			continue // a field or method: whoever has it uses its type as well
		case obj.Pkg().Path() != own && p.ForTest == "":
			l.used[name] = true
		case obj.Pkg().Path() != own:
			l.tested[name] = true
		}
		if from := l.file(p, id.Pos()); p.ForTest == "" && from != at {
			l.arrows[[2]file{from, at}] = true
		}
	}
}

func (l *loader) ours(path string) bool {
	return path == l.module || strings.HasPrefix(path, l.module+"/")
}

// folder returns the folder of a package of the module.
func (l *loader) folder(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, l.module), "/")
}

func (l *loader) file(p *packages.Package, at token.Pos) file {
	path, err := filepath.Rel(l.dir, p.Fset.Position(at).Filename)
	if err != nil {
		panic(err) // the module's files are below its folder
	}
	return file(filepath.ToSlash(path))
}

// shared reports whether an object is known to all files of its package: a
// top-level name, a field or a method.
func shared(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField() || obj.Parent() == obj.Pkg().Scope()
	case *types.Func:
		return true
	}
	return obj.Parent() == obj.Pkg().Scope()
}

// origin returns the field or method of a generic type that one of its instances
// was made of.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.Origin()
	case *types.Func:
		return obj.Origin()
	}
	return obj
}
