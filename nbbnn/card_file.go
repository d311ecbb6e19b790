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

// UnmarshalJSON implements json.Unmarshaler. It reads cards of older versions, too.
func (c *Card) UnmarshalJSON(data []byte) error {
	var stored storedCard
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	*c = stored.card()
	return nil
}

// parseCard reads the file of a run's card, given the run's hash and the file's path.
func parseCard(data []byte, run, path string) (Card, error) {
	var stored storedCard
	err := files.ParseJSON(data, &stored)
	if err == nil && stored.ConfigHash != run {
		return Card{}, &files.Damage{Found: fmt.Errorf("nbbnn: %s is the card of run %.12s", path, stored.ConfigHash), Cure: restoreCard}
	}
	if err == nil {
		err = Card(stored).checkChecksum()
	}
	if err != nil {
		return Card{}, &files.Damage{
			Found: fmt.Errorf("nbbnn: %s is damaged, or of a newer version: %w", path, err),
			Cure:  "update this program, or " + restoreCard,
		}
	}
	card := stored.card()
	if stored.Checksum != "" && card.Checksum == "" { // the checksum of the file was right
		card.Checksum, err = card.checksum()
	}
	return card, err
}

// restoreCard says how to recover from a damaged card. Run.Train can't write that of a checkpoint
// without a checksum.
const restoreCard = "put a copy of the file in its place, or remove it, and Run.Train writes it again, without its evaluations: repeat `nbbnn evaluate`"

// storedCard is a card as its file has it. Older versions called the checksum of the state
// weights_sha256, and that of the weights, if they wrote one, parameters_sha256.
type storedCard Card

// card returns the card with each checksum under the name that it has now.
func (c storedCard) card() Card {
	if c.Parent != nil {
		c.Parent = new(c.Parent.renamed())
	}
	if c.StateSHA256 == "" {
		c.WeightsSHA256, c.StateSHA256, c.ParametersSHA256 = c.ParametersSHA256, c.WeightsSHA256, ""
		c.Checksum = "" // it was that of the file
	}
	return Card(c)
}

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

// checkChecksum compares the card with its checksum, which a card of an older version lacks.
func (c Card) checkChecksum() error {
	if c.Checksum == "" {
		return nil
	}
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
	return storeCard(r, card)
}

// storeCard writes a card as it is.
func storeCard(r *Run, card Card) error {
	return writeFile(r.path("card.json"), func(w io.Writer) error { return files.WriteJSON(w, card) })
}
