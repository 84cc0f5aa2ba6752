package builtin

import (
	"bytes"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// charset is a file's encoding, by its byte order mark; without one it is
// UTF-8.
type charset struct {
	mark []byte            // the byte order mark; may be empty
	enc  encoding.Encoding // nil means UTF-8
}

// charsets lists the encodings in the order in which their marks are tried. UTF-32 LE
// comes before UTF-16 LE, because its mark begins with the other's.
var charsets = []charset{
	{[]byte{0xEF, 0xBB, 0xBF}, nil},
	{[]byte{0xFF, 0xFE, 0, 0}, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{[]byte{0, 0, 0xFE, 0xFF}, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{[]byte{0xFF, 0xFE}, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{[]byte{0xFE, 0xFF}, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
}

// charsetOf detects the encoding from the beginning of a file.
func charsetOf(head []byte) charset {
	for _, c := range charsets {
		if bytes.HasPrefix(head, c.mark) {
			return c
		}
	}
	return charset{}
}

// decodeText returns the text of a file without its mark, and its encoding. Invalid
// bytes become U+FFFD. The text of a file in UTF-16 or UTF-32 is converted.
func decodeText(data []byte) (string, charset) {
	c := charsetOf(data)
	data = data[len(c.mark):]
	if c.enc != nil {
		// A decoder of x/text replaces invalid bytes and never fails.
		data, _ = c.enc.NewDecoder().Bytes(data)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), c
}

// encode is the inverse of decodeText. Characters that the encoding does not have are
// replaced.
func (c charset) encode(text string) []byte {
	data := []byte(text)
	if c.enc != nil {
		data, _ = encoding.ReplaceUnsupported(c.enc.NewEncoder()).Bytes(data)
	}
	return append(c.mark[:len(c.mark):len(c.mark)], data...)
}

// isBinary looks at the beginning of a file, like Gemini CLI: it is binary if
// it contains a NUL, or control characters in more than 30 %.
func isBinary(data []byte) bool {
	const sample = 4096
	if len(charsetOf(data).mark) > 0 {
		return false
	}
	data = data[:min(len(data), sample)]
	control := 0
	for _, b := range data {
		switch {
		case b == 0:
			return true
		case b < 9, b > 13 && b < 32 && b != 27:
			control++
		}
	}
	return control*10 > len(data)*3
}

// mediaTypes lists the files that models accept as they are. It is fixed,
// because the system's table takes .ts for video.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".bmp": "image/bmp", ".heic": "image/heic", ".heif": "image/heif",
	".pdf": "application/pdf",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".aiff": "audio/aiff", ".aif": "audio/aiff",
	".aac": "audio/aac", ".ogg": "audio/ogg", ".flac": "audio/flac",
	".mp4": "video/mp4", ".mov": "video/quicktime", ".avi": "video/x-msvideo", ".webm": "video/webm",
	".mpeg": "video/mpeg", ".mpg": "video/mpeg", ".wmv": "video/x-ms-wmv", ".flv": "video/x-flv",
}

// mediaType returns the MIME type of an image, PDF, audio or video file by its
// name, and a word for its kind; empty for any other file.
func mediaType(path string) (mime, kind string) {
	mime = mediaTypes[strings.ToLower(filepath.Ext(path))]
	kind, rest, _ := strings.Cut(mime, "/")
	if kind == "application" {
		kind = rest
	}
	return mime, kind
}

// shortenLine shortens a line to limit characters. cut says whether it was longer; then
// it ends with a mark.
func shortenLine(line string, limit int) (string, bool) {
	if len(line) <= limit || utf8.RuneCountInString(line) <= limit {
		return line, false
	}
	i, n := 0, 0
	for i = range line {
		if n == limit {
			break
		}
		n++
	}
	return line[:i] + "... [truncated]", true
}
