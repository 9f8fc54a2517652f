package process

// Strict is how answers are read, for fuzzing.
var Strict = strict
