package lab

import (
	"errors"
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/nbbnn/workbench/viz"
)

// screen is the number of pixels per inch that browsers assume.
const screen = 96

// Show displays figures, tables and images below the cell: values of type *viz.Figure, viz.Table,
// viz.Gallery, viz.ImageGrid and Record. An error among the arguments ends the cell, so that the
// result of a call can be passed on as it is:
//
//	lab.Show(viz.LevelCurves("NLL", curves))
//
// Show returns when the notebook has everything, so that a cell that ends right after it loses no
// picture. Outside a notebook it does nothing but check for errors.
func Show(things ...any) { Check(show(things...)) }

// show implements Show and returns its error.
func show(things ...any) error {
	for _, thing := range things {
		if err, failed := thing.(error); failed {
			return err
		}
	}
	var messages []*protocol.DisplayData
	for _, thing := range things {
		message, err := messageOf(thing)
		if err != nil {
			return err
		}
		if message != nil {
			messages = append(messages, message)
		}
	}
	if len(messages) == 0 {
		return nil
	}
	if err := flush(messages...); err != nil {
		return fmt.Errorf("lab: the notebook can't show this: %w", err)
	}
	return nil
}

// messageOf returns the message that shows a thing, or nil for nothing.
func messageOf(thing any) (*protocol.DisplayData, error) {
	switch thing := thing.(type) {
	case nil: // an error that is none
		return nil, nil
	case *viz.Figure:
		return pictureOf(thing, nil)
	case viz.Gallery:
		return pictureOf(viz.Images(thing))
	case viz.ImageGrid:
		return pictureOf(viz.CorruptionGrid(thing))
	case Record:
		return png(thing.picture, thing.width), nil
	case viz.Table:
		text, err := thing.As("html")
		return &protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: text}},
			err
	}
	return nil, fmt.Errorf("lab: a value of type %T can't be shown: give a *viz.Figure, "+
		"viz.Table, viz.Gallery, viz.ImageGrid or lab.Record", thing)
}

// pictureOf returns the message that shows a figure as a PNG at half of its pixels, the size that
// it was drawn for, or passes the error on.
func pictureOf(figure *viz.Figure, err error) (*protocol.DisplayData, error) {
	if err != nil {
		return nil, err
	}
	if figure == nil {
		return nil, errors.New("lab: a figure to show is nil: check the error of the function " +
			"that made it")
	}
	if !gonbui.IsNotebook {
		return nil, nil
	}
	data, err := figure.Encode("png")
	return png(data, screenWidth(figure)), err
}

// png returns the message that shows a PNG at a width in pixels of the screen.
func png(data []byte, width int) *protocol.DisplayData {
	return &protocol.DisplayData{
		Data:     map[protocol.MIMEType]any{protocol.MIMEImagePNG: data},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": width}},
	}
}

// screenWidth returns the width of a figure in pixels of the screen.
func screenWidth(figure *viz.Figure) int {
	width, _ := figure.Size()
	return int(width / 72 * screen)
}
