package viz

import (
	"errors"
	"fmt"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// showLimit is how long Show waits for a notebook that has stopped answering.
const showLimit = 30 * time.Second

// Show displays figures below the notebook's cell, sharp on dense screens, and returns when the notebook has them, so
// that a cell that ends right after it loses none. Outside a GoNB notebook it does nothing.
func Show(figures ...*Figure) error {
	if !gonbui.IsNotebook {
		return nil
	}
	var pictures []*protocol.DisplayData
	for i, figure := range figures {
		if figure == nil {
			return fmt.Errorf("viz: figure %d to show is nil: check the error of the function that made it", i+1)
		}
		data, err := figure.PNG()
		if err != nil {
			return err
		}
		pictures = append(pictures, pictureData(data, figure))
	}
	return send(pictures...)
}

// ShowTable displays a table below the notebook's cell, as Show does with figures.
func ShowTable(table Table) error {
	if !gonbui.IsNotebook {
		return nil
	}
	text, err := table.HTML()
	if err != nil {
		return err
	}
	return send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: text}})
}

// pictureData returns the message that shows a PNG at half of its pixels, the size that it was drawn for.
func pictureData(data []byte, figure *Figure) *protocol.DisplayData {
	const screen = 96 // pixels per inch that browsers assume
	width, _ := figure.Size()
	return &protocol.DisplayData{
		Data:     map[protocol.MIMEType]any{protocol.MIMEImagePNG: data},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": int(width / 72 * screen)}},
	}
}

// send passes messages to the notebook and waits until it has them.
func send(messages ...*protocol.DisplayData) error {
	taken := make(chan error, 1)
	go func() {
		for _, message := range messages {
			gonbui.SendData(message) // blocks when the notebook has stopped reading
		}
		gonbui.Sync()
		taken <- gonbui.Error()
	}()
	select {
	case err := <-taken:
		if err != nil {
			return fmt.Errorf("viz: cannot show in the notebook: %w", err)
		}
		return nil
	case <-time.After(showLimit):
		return errors.New("viz: the notebook did not take the picture within 30 s: restart its kernel and run the cell again")
	}
}
