// Package quotas reads the objects of Kueue that say who may have how much of a cluster: ClusterQueues, Cohorts,
// ResourceFlavors, LocalQueues, WorkloadPriorityClasses and the Configuration of its manager. It takes files as kubectl
// writes and applies them, of API version v1beta1 or v1beta2, and refuses what package kueue does not decide by.
package quotas

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/policies/schedulers/kueue"
)

// Objects are what files say of a cluster.
type Objects struct {
	Config kueue.Config
	// Queues are the ClusterQueues of LocalQueues, by NAMESPACE/NAME, and by NAME where that is one; empty: the name is
	// there in several namespaces.
	Queues map[string]string
	// Classes are the priorities of WorkloadPriorityClasses.
	Classes map[string]int32
	// Warnings are what files say that changes nothing.
	Warnings []string

	flavors map[string]at // where each is
	ignored []string
	refused []string                 // what is not simulated, and not ignored
	refusal func(names string) error // of the first of them
}

const (
	group    = "kueue.x-k8s.io/"
	maxBytes = 4 << 20 // of a file
	// configurationFile is where a ConfigMap has the Configuration of the manager.
	configurationFile = "controller_manager_config.yaml"
)

// Read reads files. Fields named in ignored are passed over where they would be refused as not simulated. Errors name
// file, line and column.
func Read(files, ignored []string) (*Objects, error) {
	o := &Objects{Queues: map[string]string{}, Classes: map[string]int32{}, flavors: map[string]at{}, ignored: ignored}
	for _, file := range files {
		data, err := store.ReadInput(file, maxBytes)
		if err == nil {
			err = o.add(file, data)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, o.complete()
}

// Parse is Read of one file that is given.
func Parse(file string, data []byte, ignored []string) (*Objects, error) {
	o := &Objects{Queues: map[string]string{}, Classes: map[string]int32{}, flavors: map[string]at{}, ignored: ignored}
	if err := o.add(file, data); err != nil {
		return nil, err
	}
	return o, o.complete()
}

// add adds the objects of a file.
func (o *Objects) add(file string, data []byte) (err error) {
	guarded := o
	defer document.Guard(file, &guarded, &err)
	all, err := document.ParseAll(file, "objects of Kueue", data)
	if err != nil {
		return err
	}
	for _, doc := range all {
		if err := o.addObject(doc); err != nil {
			return err
		}
	}
	return nil
}

// readers are the kinds of objects that are read.
var readers = map[string]func(o *Objects, doc *document.Document, name string) error{
	"ClusterQueue":          addAs((*Objects).addQueue),
	"Cohort":                addAs((*Objects).addCohort),
	"ResourceFlavor":        addAs((*Objects).addFlavor),
	"LocalQueue":            addAs((*Objects).addLocalQueue),
	"WorkloadPriorityClass": addAs((*Objects).addClass),
	"Configuration":         addAs((*Objects).addConfiguration),
}

// addAs reads a document into a struct, checks it, and adds it.
func addAs[T any](add func(*Objects, at, *T) error) func(*Objects, *document.Document, string) error {
	return func(o *Objects, doc *document.Document, name string) error {
		into := new(T)
		if err := doc.Decode(into); err != nil {
			return err
		}
		if err := doc.Check(into); err != nil {
			return err
		}
		o.refuseFields(doc, name, reflect.ValueOf(into).Elem(), "$")
		return add(o, doc.ErrorAt, into)
	}
}

// at makes an error of a place in a document.
type at func(path, format string, args ...any) error

func (o *Objects) addObject(doc *document.Document) error {
	var head map[string]any
	if err := doc.Decode(&head); err != nil {
		return err
	}
	kind, _ := head["kind"].(string)
	version, _ := head["apiVersion"].(string)
	read := readers[kind]
	data, _ := head["data"].(map[string]any)
	configuration, _ := data[configurationFile].(string)
	switch {
	case kind == "":
		return doc.ErrorAt("$", "no kind, expected an object of Kueue: %s", strings.Join(kinds(), ", "))
	case configuration != "":
		return o.add(doc.File+" ("+configurationFile+")", []byte(configuration))
	case !strings.Contains(version, group) && read == nil:
		text := fmt.Sprintf("%s: %s is no object of Kueue, and changes nothing", doc.File, kind)
		o.Warnings = append(o.Warnings, text)
		return nil
	case !strings.Contains(version, group):
		return doc.ErrorAt("$.apiVersion", "%q, expected %sv1beta2 or %[2]sv1beta1", version, group)
	case read == nil:
		names := strings.Join(kinds(), ", ")
		o.refuse(doc.ErrorAt, "$.kind", kind, kind+" is not simulated ("+names+" are)")
		return nil
	}
	metadata, _ := head["metadata"].(map[string]any)
	return read(o, doc, fmt.Sprintf("%s %q", kind, metadata["name"]))
}

// refuse notes what is not simulated, unless it is to be ignored: complete reports it.
func (o *Objects) refuse(fail at, path, name, why string) {
	if slices.Contains(o.ignored, name) {
		return
	}
	if o.refusal == nil {
		o.refusal = func(names string) error {
			return fail(path, "%s: remove it, or name it in jobs.kueue_ignore: [%s]", why, names)
		}
	}
	if !slices.Contains(o.refused, name) {
		o.refused = append(o.refused, name)
	}
}

func kinds() []string { return slices.Sorted(maps.Keys(readers)) }

// refuseFields notes the fields of an object that are set and not simulated.
func (o *Objects) refuseFields(doc *document.Document, name string, v reflect.Value, path string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		place := path
		if key := fields.Key(f); key != "" {
			place += "." + key
		}
		why, refused := f.Tag.Lookup("refuse")
		switch {
		case refused && !v.Field(i).IsNil():
			o.refuse(doc.ErrorAt, place, fields.Key(f), fmt.Sprintf("%s: not simulated (%s)", name, why))
		case f.Type.Kind() == reflect.Struct:
			o.refuseFields(doc, name, v.Field(i), place)
		}
	}
}

func (x *Object) name() string {
	name, _ := x.Metadata["name"].(string)
	return name
}

// named returns the name of an object, which has one that no other has.
func named[T any](x *Object, fail at, known []T, is func(*T) string) (string, error) {
	name := x.name()
	if name == "" {
		return "", fail("$.metadata", "no name, expected one")
	}
	if slices.ContainsFunc(known, func(other T) bool { return is(&other) == name }) {
		return "", fail("$.metadata.name", "%s %q is there twice", x.Kind, name)
	}
	return name, nil
}

var policyNames = map[string]kueue.Policy{
	"": kueue.Never, "Never": kueue.Never, "LowerPriority": kueue.LowerPriority,
	"LowerOrNewerEqualPriority": kueue.LowerOrNewerEqualPriority, "Any": kueue.Any,
}

func (o *Objects) addQueue(fail at, x *clusterQueue) error {
	s := &x.Spec
	name, err := named(&x.Object, fail, o.Config.Queues, func(q *kueue.ClusterQueue) string { return q.Name })
	if err != nil {
		return err
	}
	q := kueue.ClusterQueue{
		Name:             name,
		Cohort:           cmp.Or(s.CohortName, s.Cohort),
		Strict:           s.QueueingStrategy == "StrictFIFO",
		TryNextToBorrow:  s.FlavorFungibility.WhenCanBorrow == "TryNextFlavor",
		TryNextToPreempt: cmp.Or(s.FlavorFungibility.WhenCanPreempt, "TryNextFlavor") == "TryNextFlavor",
		PreemptRather:    s.FlavorFungibility.Preference == "PreemptionOverBorrowing",
		Within:           policyNames[s.Preemption.WithinClusterQueue],
		Reclaim:          policyNames[s.Preemption.ReclaimWithinCohort],
		Stopped:          s.StopPolicy != "" && s.StopPolicy != "None",
	}
	if p := s.Preemption.BorrowWithinCohort; p != nil {
		q.BorrowWithin = p.Policy == "LowerPriority"
		q.BorrowThreshold = p.MaxPriorityThreshold
	}
	if q.BorrowWithin && q.Reclaim == kueue.Never {
		return fail("$.spec.preemption.borrowWithinCohort",
			"LowerPriority, expected reclaimWithinCohort LowerPriority or Any with it")
	}
	if q.PreemptRather && !(q.TryNextToBorrow && q.TryNextToPreempt) {
		return fail("$.spec.flavorFungibility.preference",
			"expected whenCanBorrow and whenCanPreempt TryNextFlavor with it")
	}
	if q.Groups, err = groups(s.ResourceGroups, fail, q.Cohort != "", true); err != nil {
		return err
	}
	if q.Weight, err = weight(&s.FairSharing, fail); err != nil {
		return err
	}
	if s.NamespaceSelector == nil {
		o.Warnings = append(o.Warnings, fmt.Sprintf("ClusterQueue %q has no namespaceSelector: "+
			"in a cluster it would admit nothing ({} is all namespaces); "+
			"here jobs have no namespaces, and it admits", name))
	}
	o.Config.Queues = append(o.Config.Queues, q)
	return nil
}

func (o *Objects) addCohort(fail at, x *cohort) error {
	name, err := named(&x.Object, fail, o.Config.Cohorts, func(c *kueue.Cohort) string { return c.Name })
	if err != nil {
		return err
	}
	c := kueue.Cohort{Name: name, Parent: cmp.Or(x.Spec.ParentName, x.Spec.Parent)}
	if c.Groups, err = groups(x.Spec.ResourceGroups, fail, c.Parent != "", false); err != nil {
		return err
	}
	if c.Weight, err = weight(&x.Spec.FairSharing, fail); err != nil {
		return err
	}
	o.Config.Cohorts = append(o.Config.Cohorts, c)
	return nil
}

func (o *Objects) addFlavor(fail at, x *resourceFlavor) error {
	if o.flavors[x.name()] != nil {
		return fail("$.metadata.name", "ResourceFlavor %q is there twice", x.name())
	}
	o.flavors[x.name()] = fail
	return nil
}

func (o *Objects) addLocalQueue(fail at, x *localQueue) error {
	space, _ := x.Metadata["namespace"].(string)
	name := x.name()
	full := cmp.Or(space, "default") + "/" + name
	if _, twice := o.Queues[full]; twice {
		return fail("$.metadata.name", "LocalQueue %q is there twice in its namespace", name)
	}
	if x.Spec.StopPolicy != "" && x.Spec.StopPolicy != "None" {
		return fail("$.spec.stopPolicy",
			"%s is not simulated (the queue would admit nothing): remove it, or the queue's jobs",
			x.Spec.StopPolicy)
	}
	o.Queues[full] = x.Spec.ClusterQueue
	if other, several := o.Queues[name]; several && other != x.Spec.ClusterQueue {
		o.Queues[name] = ""
	} else {
		o.Queues[name] = x.Spec.ClusterQueue
	}
	return nil
}

func (o *Objects) addClass(fail at, x *priorityClass) error {
	if _, twice := o.Classes[x.name()]; twice {
		return fail("$.metadata.name", "WorkloadPriorityClass %q is there twice", x.name())
	}
	o.Classes[x.name()] = x.Value
	return nil
}

func (o *Objects) addConfiguration(fail at, x *configuration) error {
	for _, gate := range slices.Sorted(maps.Keys(x.FeatureGates)) {
		if gate != "PrioritizePreemptorWorkloads" {
			o.refuse(fail, "$.featureGates."+gate, gate, "not simulated")
		}
	}
	o.Config.PreemptorsFirst = x.FeatureGates["PrioritizePreemptorWorkloads"]
	if f := x.FairSharing; f != nil && (f.Enable == nil || *f.Enable) {
		o.Config.Fair = nil
		for _, name := range f.PreemptionStrategies {
			strategy := kueue.LessThanOrEqualToFinalShare
			if name == "LessThanInitialShare" {
				strategy = kueue.LessThanInitialShare
			}
			o.Config.Fair = append(o.Config.Fair, strategy)
		}
		fair := o.Config.Fair
		if len(fair) == 0 {
			o.Config.Fair = []kueue.Strategy{kueue.LessThanOrEqualToFinalShare, kueue.LessThanInitialShare}
		}
		if len(fair) > 2 || len(fair) == 2 && fair[0] != kueue.LessThanOrEqualToFinalShare {
			return fail("$.fairSharing.preemptionStrategies",
				"expected [LessThanOrEqualToFinalShare], [LessThanInitialShare], or both in this order")
		}
	}
	return nil
}

// groups reads the quotas of a queue, or of a cohort.
func groups(all []resourceGroup, fail at, lends, ofQueue bool) (made []kueue.Group, err error) {
	flavors := map[string]bool{}
	resources := map[string]bool{}
	for i := range all {
		from := &all[i]
		path := fmt.Sprintf("$.spec.resourceGroups[%d]", i)
		for k, r := range from.CoveredResources {
			if resources[r] {
				return nil, fail(fmt.Sprintf("%s.coveredResources[%d]", path, k), "%s is covered twice", r)
			}
			resources[r] = true
		}
		g := kueue.Group{Resources: from.CoveredResources}
		for f := range from.Flavors {
			flavor := &from.Flavors[f]
			below := fmt.Sprintf("%s.flavors[%d]", path, f)
			if flavors[flavor.Name] {
				return nil, fail(below+".name", "flavor %q is there twice", flavor.Name)
			}
			flavors[flavor.Name] = true
			if len(flavor.Resources) != len(g.Resources) {
				return nil, fail(below, "%d resources, expected the %d of coveredResources in their order",
					len(flavor.Resources), len(g.Resources))
			}
			quotas := kueue.FlavorQuotas{Flavor: flavor.Name}
			for r := range flavor.Resources {
				place := fmt.Sprintf("%s.resources[%d]", below, r)
				resource := &flavor.Resources[r]
				if resource.Name != g.Resources[r] {
					return nil, fail(place+".name", "%q, expected %s: the order of coveredResources",
						resource.Name, g.Resources[r])
				}
				q, err := newQuota(resource, place, fail, lends, ofQueue)
				if err != nil {
					return nil, err
				}
				quotas.Quotas = append(quotas.Quotas, q)
			}
			g.Flavors = append(g.Flavors, quotas)
		}
		made = append(made, g)
	}
	return made, nil
}

// newQuota reads the quota of a resource in a flavor.
func newQuota(from *resourceQuota, path string, fail at, lends, ofQueue bool) (kueue.Quota, error) {
	q := kueue.Quota{Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}
	cohortKey := "parentName"
	if ofQueue {
		cohortKey = "cohortName"
	}
	for _, part := range []struct {
		key, text string
		into      *int64
		limit     bool
	}{
		{"nominalQuota", from.NominalQuota, &q.Nominal, false},
		{"borrowingLimit", from.BorrowingLimit, &q.Borrowing, true},
		{"lendingLimit", from.LendingLimit, &q.Lending, true},
	} {
		if part.text == "" {
			continue
		}
		value, err := amount(from.Name, part.text)
		if err != nil {
			return q, fail(path+"."+part.key, "%v", err)
		}
		if part.limit && !lends {
			return q, fail(path+"."+part.key,
				"there is nobody to borrow from or to lend to: expected %s, or no limit", cohortKey)
		}
		*part.into = value
	}
	if ofQueue && q.Lending > q.Nominal {
		return q, fail(path+".lendingLimit", "%s, expected at most nominalQuota (%s)",
			from.LendingLimit, from.NominalQuota)
	}
	return q, nil
}

// weight reads the weight of fair sharing.
func weight(from *fairSharing, fail at) (float64, error) {
	if from.Weight == "" {
		return 1, nil
	}
	value, err := rational(from.Weight)
	if err != nil {
		return 0, fail("$.spec.fairSharing.weight", "%v", err)
	}
	w, _ := value.Float64()
	if w < 0 || math.IsInf(w, 0) {
		return 0, fail("$.spec.fairSharing.weight", "%s, expected 0 or more", from.Weight)
	}
	return w, nil
}

// complete checks what objects say of one another.
func (o *Objects) complete() error {
	if o.refusal != nil {
		return o.refusal(strings.Join(o.refused, ", "))
	}
	if len(o.Config.Queues) == 0 {
		return errors.New("the files have no ClusterQueue, " +
			"expected what kubectl get clusterqueues,cohorts.kueue.x-k8s.io," +
			"resourceflavors,localqueues,workloadpriorityclasses -A -o yaml prints")
	}
	for i := range o.Config.Queues {
		q := &o.Config.Queues[i]
		for _, g := range q.Groups {
			for _, f := range g.Flavors {
				if o.flavors[f.Flavor] == nil {
					q.Stopped = true
					near := registry.DidYouMean("; ", f.Flavor, slices.Sorted(maps.Keys(o.flavors)))
					o.Warnings = append(o.Warnings, fmt.Sprintf(
						"ClusterQueue %q admits nothing: there is no ResourceFlavor %q%s", q.Name, f.Flavor, near))
				}
			}
		}
	}
	names := []string{}
	for i := range o.Config.Queues {
		names = append(names, o.Config.Queues[i].Name)
	}
	for _, local := range slices.Sorted(maps.Keys(o.Queues)) {
		if to := o.Queues[local]; to != "" && !slices.Contains(names, to) {
			return fmt.Errorf("LocalQueue %q is of ClusterQueue %q, which is not there%s",
				local, to, registry.DidYouMean("; ", to, names))
		}
	}
	_, err := kueue.New(o.Config)
	return err
}
