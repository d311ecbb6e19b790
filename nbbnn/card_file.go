package nbbnn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// parseCard reads the file of a run's card, given the run's hash and the file's path.
func parseCard(data []byte, run, path string) (card Card, err error) {
	err = files.ParseJSON(data, &card)
	if err == nil && card.ConfigHash != run {
		return Card{}, &files.Damage{Found: fmt.Errorf("nbbnn: %s is the card of run %.12s", path, card.ConfigHash), Cure: restoreCard}
	}
	if err == nil {
		err = card.checkChecksum()
	}
	if err != nil {
		return Card{}, &files.Damage{
			Found: fmt.Errorf("nbbnn: %s is damaged, or of a newer version: %w", path, err),
			Cure:  "update this program, or " + restoreCard,
		}
	}
	return card, nil
}

// restoreCard says how to recover from a damaged card.
const restoreCard = "put a copy of the file in its place, or remove it, and Run.Train writes it again, without its evaluations: repeat `nbbnn evaluate`"

// setChecksums writes the checksums of a training's last variables on the card.
func (c *Card) setChecksums(variables []network.Tensor) error {
	weights, err := exportedSHA256(c.Config, variables)
	c.WeightsSHA256, c.StateSHA256 = weights, safetensors.SHA256(variables)
	return err
}

// exportedSHA256 returns the checksum of what Run.Export writes of the variables of a checkpoint.
func exportedSHA256(config Config, variables []network.Tensor) (string, error) {
	exported, err := network.WorkbenchLayout.Export(config.Settings(), variables)
	if err != nil {
		return "", fmt.Errorf("nbbnn: the network %w", err)
	}
	return safetensors.SHA256(exported), nil
}

// checkChecksum compares the card with its checksum.
func (c Card) checkChecksum() error {
	want, err := c.checksum()
	if err == nil && c.Checksum != want {
		err = errors.New("its checksum differs")
	}
	return err
}

// checksum returns the SHA-256 of the card without its checksum.
func (c Card) checksum() (string, error) {
	c.Checksum = ""
	data, err := json.Marshal(c)
	return digest(data), err
}

// writeCard writes a card with its checksum.
func writeCard(r *Run, card Card) (err error) {
	if card.Checksum, err = card.checksum(); err != nil {
		return fmt.Errorf("nbbnn: the card of %s has a number that JSON lacks: %w", r.directory, err)
	}
	return writeFile(r.path("card.json"), func(w io.Writer) error { return files.WriteJSON(w, card) })
}
