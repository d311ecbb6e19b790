package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"io"
	"regexp"
	"strings"
)

// Orientation is a camera's orientation: the number 1 to 8 of the EXIF standard.
type Orientation int

// Mirrored reports whether x or y run backwards in the stored picture, after Swapped.
func (o Orientation) Mirrored() (x, y bool) {
	return o == 2 || o == 3 || o == 7 || o == 8, o == 3 || o == 4 || o == 6 || o == 7
}

// Swapped reports whether height and width are exchanged.
func (o Orientation) Swapped() bool { return o >= 5 }

// Upright returns a stored picture of [height, width, channels] bytes as it was seen, and its size.
func (o Orientation) Upright(pixels []uint8, height, width, channels int) ([]uint8, int, int) {
	if o == 1 {
		return pixels, height, width
	}
	rows, columns := height, width
	if o.Swapped() {
		rows, columns = width, height
	}
	mirrorX, mirrorY := o.Mirrored()
	turned := make([]uint8, 0, len(pixels))
	for row := range rows {
		for column := range columns {
			x, y := column, row
			if o.Swapped() {
				x, y = row, column
			}
			if mirrorX {
				x = width - 1 - x
			}
			if mirrorY {
				y = height - 1 - y
			}
			at := (y*width + x) * channels
			turned = append(turned, pixels[at:at+channels]...)
		}
	}
	return turned, rows, columns
}

// OrientationOf returns the orientation in the EXIF data of a file or in its XMP packet, as
// Pillow's exif_transpose finds it; 1 if it has none.
func OrientationOf(data []byte) Orientation {
	var m metadata
	switch text := string(data[:min(len(data), 12)]); {
	case strings.HasPrefix(text, jpegMagic):
		m.readJPEG(data)
	case strings.HasPrefix(text, pngMagic):
		m.readPNG(data[len(pngMagic):])
	case isWebP(text):
		m.readWebP(data[len(text):])
	}
	value := orientationIn(m.exif)
	if found := xmpOrientation.FindSubmatch(m.xmp); value == absent && found != nil {
		value = Orientation(found[1][0] - '0')
	}
	if value < 1 || value > 8 {
		return 1
	}
	return value
}

// absent is the value of EXIF data without an orientation.
const absent Orientation = -1

var xmpOrientation = regexp.MustCompile(`tiff:Orientation(?:="|>)([0-9])`)

// metadata holds a file's EXIF and XMP data.
type metadata struct {
	exif []byte // a TIFF structure
	xmp  []byte
}

// Beginnings of EXIF data, in JPEG files and some WebP files, and of XMP packets in JPEG files.
const (
	exifMark = "Exif\x00\x00"
	xmpMark  = "http://ns.adobe.com/xap/1.0/\x00"
)

// readJPEG reads segments up to the pixels. Between them may be fill bytes and junk.
func (m *metadata) readJPEG(data []byte) {
	const application, scan = 0xe1, 0xda
	for len(data) >= 4 {
		marker := data[1]
		isMarker := data[0] == 0xff && marker != 0 && marker != 0xff
		switch {
		case !isMarker:
			data = data[1:]
			continue
		case marker == scan:
			return
		case marker >= 0xd0 && marker < scan || marker == 1: // without content
			data = data[2:]
			continue
		}
		length := min(len(data), max(4, 2+int(binary.BigEndian.Uint16(data[2:]))))
		body := data[4:length]
		if exif, found := bytes.CutPrefix(body, []byte(exifMark)); found && marker == application {
			m.exif = append(m.exif, exif...)
		}
		if xmp, found := bytes.CutPrefix(body, []byte(xmpMark)); found && marker == application {
			m.xmp = xmp
		}
		data = data[length:]
	}
}

// eachChunk visits chunks, whose length is at an offset, with the name before or after it. tail is
// the length of the checksum behind each; without one a zero makes the length even.
func eachChunk(data []byte, order binary.ByteOrder, at, tail int,
	visit func(name string, body []byte)) {
	for len(data) >= 8 {
		length, name := uint64(order.Uint32(data[at:])), string(data[4-at:8-at])
		if 8+length > uint64(len(data)) {
			return
		}
		visit(name, data[8:8+length])
		next := 8 + length + uint64(tail)
		if tail == 0 {
			next += length % 2
		}
		data = data[min(next, uint64(len(data))):]
	}
}

func (m *metadata) readWebP(data []byte) {
	eachChunk(data, binary.LittleEndian, 4, 0, func(name string, body []byte) {
		switch name {
		case "EXIF":
			m.exif = bytes.TrimPrefix(body, []byte(exifMark))
		case "XMP ":
			m.xmp = body
		}
	})
}

// readPNG also reads EXIF data as ImageMagick writes them, in hexadecimal.
func (m *metadata) readPNG(data []byte) {
	const rawProfile = "Raw profile type exif"
	var raw []byte
	eachChunk(data, binary.BigEndian, 0, 4, func(name string, body []byte) {
		key, text, _ := bytes.Cut(body, []byte{0})
		switch {
		case name == "eXIf":
			m.exif = bytes.TrimPrefix(body, []byte(exifMark))
		case name == "tEXt" && string(key) == rawProfile:
			raw = text
		case name == "zTXt" && string(key) == rawProfile && len(text) > 0:
			raw = inflated(text[1:])
		case name == "iTXt" && string(key) == "XML:com.adobe.xmp" && len(text) > 2:
			m.xmp = internationalText(text)
		}
	})
	if lines := bytes.SplitN(raw, []byte("\n"), 4); m.exif == nil && len(lines) == 4 {
		exif := bytes.ReplaceAll(lines[3], []byte("\n"), nil)
		count, _ := hex.Decode(exif, exif) // up to the first character that isn't a digit
		m.exif = bytes.TrimPrefix(exif[:count], []byte(exifMark))
	}
}

// internationalText returns the text of an iTXt chunk from its flags on, after a language and a
// keyword.
func internationalText(chunk []byte) []byte {
	parts := bytes.SplitN(chunk[2:], []byte{0}, 3)
	text := parts[len(parts)-1]
	if chunk[0] != 0 {
		return inflated(text)
	}
	return text
}

// inflated returns the intact beginning of compressed metadata.
func inflated(data []byte) []byte {
	const longest = 1 << 20
	reader, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(reader, longest))
	return text
}

// orientationIn looks the tag up in the first directory of a TIFF structure.
func orientationIn(exif []byte) Orientation {
	const tag, short, long, entrySize = 0x112, 3, 4, 12
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(exif, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(exif) < 8 || uint64(order.Uint32(exif[4:]))+2 > uint64(len(exif)) {
		return absent
	}
	directory := exif[order.Uint32(exif[4:]):]
	count := int(order.Uint16(directory))
	for entry := directory[2:]; count > 0 && len(entry) >= entrySize; count-- {
		if order.Uint16(entry) == tag {
			switch order.Uint16(entry[2:]) {
			case short:
				return Orientation(order.Uint16(entry[8:]))
			case long:
				return Orientation(order.Uint32(entry[8:]))
			}
			return 1
		}
		entry = entry[entrySize:]
	}
	return absent
}
