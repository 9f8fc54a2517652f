package results

// The values of Instance.End.
const (
	Revoked  = "revoked"
	Released = "released"
	Held     = "held"
)

// Instance is the life of one machine in a run: one row of instances.parquet.
type Instance struct {
	Run    int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `col:"policy" doc:"name of the policy"`

	Pool         string   `col:"pool" doc:"name of the pool"`
	InstanceType string   `col:"instance_type" doc:"what the pool's instances are"`
	Market       string   `col:"market" doc:"spot or on-demand"`
	Number       int64    `col:"instance" doc:"number among those granted in the pool, from 0"`
	GrantedS     float64  `col:"granted_s" unit:"s" doc:"when it was granted, from the start of the run"`
	ReadyS       *float64 `col:"ready_s" unit:"s" doc:"when it could train; null if it never could"`
	NoticedS     *float64 `col:"noticed_s" unit:"s" doc:"when it was announced to go; null if it was not"`
	EndS         float64  `col:"end_s" unit:"s" doc:"when it was gone"`
	End          string   `col:"end" doc:"how: revoked by the cloud, released by the job, or held to the end of the run"`
}
