package picture

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Orientation is how a camera was held: the number 1 to 8 of the EXIF standard.
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

// OrientationOf returns the orientation in the EXIF data of a file, 1 if it has none.
func OrientationOf(data []byte) Orientation {
	switch text := string(data[:min(len(data), 12)]); {
	case strings.HasPrefix(text, jpegMagic):
		return orientationOfJPEG(data)
	case strings.HasPrefix(text, pngMagic):
		return orientationInChunk(data[len(pngMagic):], binary.BigEndian, 0, "eXIf")
	case isWebP(text):
		return orientationInChunk(data[len(text):], binary.LittleEndian, 4, "EXIF")
	}
	return 1
}

// orientationInChunk looks into the chunks of a file, whose length is at an offset, with the name
// before or after it; PNG has a checksum behind each, WebP a zero to make the length even.
func orientationInChunk(data []byte, order binary.ByteOrder, at int, want string) Orientation {
	for len(data) >= 12 {
		length, name := uint64(order.Uint32(data[at:])), string(data[4-at:8-at])
		next := 8 + length + 4
		if at > 0 {
			next = 8 + length + length%2
		}
		if 8+length > uint64(len(data)) {
			return 1
		}
		if name == want {
			return orientationIn(bytes.TrimPrefix(data[8:8+length], []byte(exifMark)))
		}
		data = data[min(next, uint64(len(data))):]
	}
	return 1
}

// exifMark begins EXIF data in JPEG files, and in some WebP files.
const exifMark = "Exif\x00\x00"

// orientationOfJPEG looks into the segments of a file.
func orientationOfJPEG(data []byte) Orientation {
	for data = data[2:]; len(data) >= 4 && data[0] == 0xff && data[1] != 0xda; {
		length := int(binary.BigEndian.Uint16(data[2:])) + 2
		if length > len(data) || length < 4 {
			return 1
		}
		if exif, found := bytes.CutPrefix(data[4:length], []byte(exifMark)); found && data[1] == 0xe1 {
			return orientationIn(exif)
		}
		data = data[length:]
	}
	return 1
}

// orientationIn looks the tag up in the first directory of a TIFF structure.
func orientationIn(exif []byte) Orientation {
	const tag, long, entrySize = 0x112, 4, 12
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(exif, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(exif) < 8 || uint64(order.Uint32(exif[4:]))+2 > uint64(len(exif)) {
		return 1
	}
	directory := exif[order.Uint32(exif[4:]):]
	count := int(order.Uint16(directory))
	for entry := directory[2:]; count > 0 && len(entry) >= entrySize; count-- {
		value := uint32(order.Uint16(entry[8:]))
		if order.Uint16(entry[2:]) == long {
			value = order.Uint32(entry[8:])
		}
		if order.Uint16(entry) == tag && value >= 1 && value <= 8 {
			return Orientation(value)
		}
		entry = entry[entrySize:]
	}
	return 1
}
