// Package jobs imports lists of the jobs of clusters.
package formats

func init() {
	Register(jobsCSV, gavelJobs)
}
