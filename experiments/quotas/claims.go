package quotas

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

func init() { cluster.RegisterClaims[Keys]("kueue") }

// Keys are the keys of jobs whose scheduler is that of Kueue.
type Keys struct {
	Kueue   []string          `json:"kueue,omitempty" jsonschema:"files with objects of Kueue as kubectl has them, relative to this file: ClusterQueue, Cohort, ResourceFlavor, LocalQueue, WorkloadPriorityClass, Configuration; the policy kueue decides by them"`
	Queues  string            `json:"kueue_queues,omitempty" needs:"kueue" jsonschema:"table (CSV) with the columns queue (a LocalQueue) and any of user, vc, kind and priority_class: a job is in the queue of the first row whose cells are its own or empty. If absent, its vc names its queue; one LocalQueue is that of all jobs without a vc"`
	Resizes string            `json:"kueue_resizes,omitempty" needs:"kueue" jsonschema:"table (CSV) with the columns job_id, after_s and gpus: how many GPUs a job asks for from so long after its submission on, from min_gpus to max_gpus of the trace (elastic jobs of Kueue)"`
	Ignore  []string          `json:"kueue_ignore,omitempty" needs:"kueue" jsonschema:"fields and kinds of objects that are passed over although they are not simulated"`
	Flavors map[string]string `json:"kueue_flavors,omitempty" needs:"kueue" jsonschema:"what flavors are that are not called so: own, spot or on-demand, a model of GPU or type of instance, or both, as on-demand/a100; a flavor called own, spot or on-demand is an error if the market has none, and any other whose name is none of the market is on all GPUs that are not on demand"`
}

// Key implements cluster.Claims.
func (*Keys) Key() string { return "kueue" }

// Given implements cluster.Claims.
func (k *Keys) Given() bool { return len(k.Kueue) > 0 }

// Files implements cluster.Claims.
func (k *Keys) Files() []string {
	files := slices.Clone(k.Kueue)
	for _, table := range []string{k.Queues, k.Resizes} {
		if table != "" {
			files = append(files, table)
		}
	}
	return files
}

// Open implements cluster.Claims.
func (k *Keys) Open(path func(string) string) (cluster.Claimant, error) {
	c := &claimant{known: map[[3]string]*schedulers.QuotaClaim{}}
	var files []string
	for _, name := range k.Kueue {
		files = append(files, path(name))
	}
	var err error
	if c.objects, err = Read(files, k.Ignore); err != nil {
		return nil, err
	}
	c.quotas = &schedulers.Quotas{Config: c.objects.Config, Flavors: k.Flavors, FailAt: c.objects.failAtFlavor}
	if err := c.findResource(); err != nil {
		return nil, err
	}
	for _, flavor := range slices.Sorted(maps.Keys(k.Flavors)) {
		if c.objects.flavors[flavor] == nil {
			return nil, fmt.Errorf("kueue_flavors: %q, expected a ResourceFlavor of the files: %s", flavor,
				strings.Join(slices.Sorted(maps.Keys(c.objects.flavors)), ", "))
		}
	}
	if k.Resizes != "" {
		if c.quotas.Resizes, err = readResizes(path(k.Resizes)); err != nil {
			return nil, err
		}
	}
	if k.Queues == "" {
		return c, nil
	}
	return c, c.readTable(path(k.Queues))
}

// readResizes reads the table of resizes, by job, in the order of time.
func readResizes(file string) (map[string][]schedulers.Resize, error) {
	table, err := csvtext.Open(file, func(name string, r io.Reader) (*csvtext.Table, error) {
		return csvtext.Read(name, r, "job_id", "after_s", "gpus")
	})
	if err != nil {
		return nil, err
	}
	of := map[string][]schedulers.Resize{}
	for i := range table.Rows {
		cells := table.Cells(i)
		job := cells.Named("job_id")
		one := schedulers.Resize{
			After: sim.At(cells.Number("after_s", 1e-6, 1e9)).Sub(0),
			GPUs:  cells.Count("gpus", 1, 1<<20),
		}
		if cells.Err != nil {
			return nil, cells.Err
		}
		list := of[job]
		if len(list) > 0 && list[len(list)-1].After >= one.After {
			return nil, table.Errorf(i, "after_s", "%v, expected more than in the row before of job %s",
				one.After.Seconds(), job)
		}
		of[job] = append(list, one)
	}
	return of, nil
}

// failAtFlavor makes an error of a flavor, at its ResourceFlavor.
func (o *Objects) failAtFlavor(flavor, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if fail := o.flavors[flavor]; fail != nil {
		return fail("$.metadata.name", "ResourceFlavor %q: %v", flavor, err)
	}
	return fmt.Errorf("flavor %q, of which there is no ResourceFlavor: %w", flavor, err)
}

// claimant knows the queues of jobs.
type claimant struct {
	objects *Objects
	quotas  *schedulers.Quotas
	rows    []queueRow // nil: the vc is the queue
	texts   []string

	lock  sync.Mutex
	known map[[3]string]*schedulers.QuotaClaim // by user, vc and kind
}

// queueRow is a row of the table of queues.
type queueRow struct {
	user, vc, kind, queue string
	priority              int32
}

// Warnings implements cluster.Claimant.
func (c *claimant) Warnings() []string { return append(slices.Clone(c.objects.Warnings), c.texts...) }

// findResource finds what GPUs are called, and warns of quotas that jobs do not use. Where nothing is called GPUs, a
// GPU counts as one of the devices that there are instead, such as google.com/tpu, else as a cpu, else as a pod.
func (c *claimant) findResource() error {
	covered := map[string]bool{}
	for i := range c.objects.Config.Queues {
		for _, g := range c.objects.Config.Queues[i].Groups {
			for _, r := range g.Resources {
				covered[r] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(covered))
	all := strings.Join(names, ", ")
	isGPU := func(r string) bool { return r == "gpu" || strings.HasSuffix(r, "/gpu") }
	isDevice := func(r string) bool { return strings.Contains(r, "/") }
	isCPU := func(r string) bool { return r == "cpu" }
	isPod := func(r string) bool { return r == "pods" }
	for _, is := range []func(string) bool{isGPU, isDevice, isCPU, isPod} {
		at := slices.IndexFunc(names, is)
		if at < 0 {
			continue
		}
		c.quotas.Resource = names[at]
		names = slices.Delete(names, at, at+1)
		if other := slices.IndexFunc(names, is); other >= 0 {
			return fmt.Errorf("quotas of %s and of %s: jobs ask for GPUs of one name, expected quotas of one of them",
				c.quotas.Resource, names[other])
		}
		break
	}
	switch r := c.quotas.Resource; {
	case r == "":
		return fmt.Errorf("no quota of GPUs, expected a resource such as nvidia.com/gpu in coveredResources "+
			"and flavors of each ClusterQueue; there are %s", cmp.Or(all, "none"))
	case !isGPU(r):
		c.texts = append(c.texts, fmt.Sprintf("no quota is of GPUs: each GPU of a job counts as 1 of %s. "+
			"In a cluster such queues admit no job that asks for nvidia.com/gpu; "+
			"if jobs do, give it a quota (coveredResources, flavors)", r))
	}
	if c.quotas.Resource == "cpu" {
		c.quotas.Each = 1000
	}
	names = slices.DeleteFunc(names, isPod) // each GPU has a pod
	if len(names) > 0 {
		c.texts = append(c.texts, fmt.Sprintf("quotas of %s change nothing: jobs ask for GPUs alone, a pod for each",
			strings.Join(names, ", ")))
	}
	return nil
}

// readTable reads the table of queues.
func (c *claimant) readTable(file string) error {
	table, err := csvtext.Open(file, func(name string, r io.Reader) (*csvtext.Table, error) {
		return csvtext.Read(name, r, "queue")
	})
	if err != nil {
		return err
	}
	for i := range table.Rows {
		cells := table.Cells(i)
		row := queueRow{
			user:  cells.Text("user"),
			vc:    cells.Text("vc"),
			kind:  cells.Text("kind"),
			queue: cells.Named("queue"),
		}
		if class := cells.Text("priority_class"); class != "" {
			value, known := c.objects.Classes[class]
			if !known {
				return table.Errorf(i, "priority_class", "%q, expected a WorkloadPriorityClass%s", class,
					registry.DidYouMean("; ", class, slices.Sorted(maps.Keys(c.objects.Classes))))
			}
			row.priority = value
		}
		if cells.Err != nil {
			return cells.Err
		}
		if _, err := c.clusterQueue(row.queue); err != nil {
			return table.Errorf(i, "queue", "%v", err)
		}
		c.rows = append(c.rows, row)
	}
	return nil
}

// clusterQueue returns the ClusterQueue of a LocalQueue.
func (c *claimant) clusterQueue(local string) (string, error) {
	queue, known := c.objects.Queues[local]
	switch {
	case len(c.objects.Queues) == 0:
		return "", fmt.Errorf("%q, but the files have no LocalQueue, "+
			"expected one of the ClusterQueue in which jobs are", local)
	case !known:
		names := slices.Sorted(maps.Keys(c.objects.Queues))
		names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "/") })
		return "", fmt.Errorf("%q, expected a LocalQueue: %s%s", local,
			strings.Join(names[:min(len(names), 8)], ", "), registry.DidYouMean("; ", local, names))
	case queue == "":
		return "", fmt.Errorf("LocalQueue %q is there in several namespaces, expected NAMESPACE/NAME", local)
	}
	return queue, nil
}

// Claim implements cluster.Claimant.
func (c *claimant) Claim(user, vc, kind string) (claim any, queue string, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	key := [3]string{user, vc, kind}
	found := c.known[key]
	if found == nil {
		if found, err = c.find(user, vc, kind); err != nil {
			return nil, "", err
		}
		c.known[key] = found
	}
	return found, found.Cluster, nil
}

// onlyQueue is the LocalQueue of files that have one; empty: they have none, or several.
func (o *Objects) onlyQueue() string {
	only := ""
	for name := range o.Queues {
		switch {
		case strings.Contains(name, "/"):
		case only != "":
			return ""
		default:
			only = name
		}
	}
	return only
}

func (c *claimant) find(user, vc, kind string) (*schedulers.QuotaClaim, error) {
	row := queueRow{queue: vc}
	if only := c.objects.onlyQueue(); vc == "" && only != "" {
		row.queue = only
	}
	if c.rows != nil {
		is := func(cell, value string) bool { return cell == "" || cell == value }
		at := slices.IndexFunc(c.rows, func(r queueRow) bool {
			return is(r.user, user) && is(r.vc, vc) && is(r.kind, kind)
		})
		if at < 0 {
			return nil, fmt.Errorf("no row of jobs.kueue_queues is for user %q, vc %q, kind %q; "+
				"expected one, or a last row with a queue alone", user, vc, kind)
		}
		row = c.rows[at]
	}
	queue, err := c.clusterQueue(row.queue)
	if err != nil {
		if c.rows == nil {
			return nil, fmt.Errorf("its queue is its vc (or say it in a table, jobs.kueue_queues): %w", err)
		}
		return nil, err
	}
	return &schedulers.QuotaClaim{
		Quotas:   c.quotas,
		Queue:    cmp.Or(row.queue, vc),
		Cluster:  queue,
		Priority: row.priority,
	}, nil
}
