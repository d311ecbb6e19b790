package nbbnn

import (
	"fmt"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Entries of a checkpoint's metadata.
const (
	stateKey    = "training_state" // the position in the training, as JSON
	ownerKey    = "run"            // the hash of the run's configuration
	checksumKey = "sha256"         // of the other two and of the variables
)

// sealed returns the metadata of a checkpoint: the state, whose checkpoint it is, and a checksum of
// everything.
func (c checkpoints) sealed(state string, variables []network.Tensor) map[string]string {
	metadata := map[string]string{stateKey: state, ownerKey: c.run}
	metadata[checksumKey] = checkpointChecksum(metadata, safetensors.SHA256(variables))
	return metadata
}

// checkpointChecksum returns the SHA-256 of a checkpoint, given that of its variables.
func checkpointChecksum(metadata map[string]string, variables string) string {
	return digest(fmt.Appendf(nil, "%s\n%s\n%s\n", variables, metadata[ownerKey], metadata[stateKey]))
}

// checkSeal returns an error if a checkpoint, whose variables have the given SHA-256, isn't what a
// training of this run wrote.
func (c checkpoints) checkSeal(path string, metadata map[string]string, variables string) error {
	for key := range metadata {
		if key != stateKey && key != ownerKey && key != checksumKey {
			return fmt.Errorf("nbbnn: %s is damaged, or of a newer version: it has an unknown entry %q: %s", path, key, c.restore())
		}
	}
	owner, owned := metadata[ownerKey]
	switch {
	case owned && owner != c.run:
		return fmt.Errorf("nbbnn: %s belongs to run %.12s, not to %.12s: %s", path, owner, c.run, c.restore())
	case metadata[checksumKey] != checkpointChecksum(metadata, variables):
		return fmt.Errorf("nbbnn: %s isn't what was written: its checksum differs: %s", path, c.restore())
	}
	return nil
}

// restore says how to recover from a damaged checkpoint.
func (c checkpoints) restore() string {
	return "restore it from a copy, or remove " + c.directory + " and train or import again"
}
