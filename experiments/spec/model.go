package spec

// Model says how the job trains: with parameter servers, after spotDNN,
// data-parallel, or in pipelines.
type Model struct {
	Published    string     `json:"published,omitempty" jsonschema:"name of a profile that comes with marigram, for instance spotdnn-resnet110"`
	Profile      string     `json:"profile,omitempty" jsonschema:"CSV file with a profile, relative to this file"`
	Coefficients string     `json:"coefficients,omitempty" jsonschema:"CSV file with the coefficients, relative to this file"`
	Speeds       []string   `json:"speeds,omitempty" jsonschema:"model files of marigram calibrate fit, relative to this file: instance types with their GPU train at the speed that they predict, not at the measured one"`
	LossForm     string     `json:"loss_form,omitempty" jsonschema:"one of spotDNN's published forms: artifact, paper or figures; artifact if absent"`
	Training     *Training  `json:"training,omitempty" jsonschema:"how workers synchronise, and what the loss of the chief does; asynchronous, and the chief is replaced, if absent"`
	Pipelined    *Pipelined `json:"pipelined,omitempty" jsonschema:"synchronous training, data-parallel or in pipelines; excludes the other keys"`

	DataParallel *DataParallel `json:"data_parallel,omitempty" jsonschema:"synchronous data-parallel training (PyTorch DDP) from a few measured speeds; excludes the other keys"`
}
