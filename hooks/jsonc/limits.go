package jsonc

import "fmt"

// The limits of [Parse]. The parser recurses for each level, and a parsed value takes
// many times the memory of its text.
const (
	// MaxDepth bounds how deeply objects and arrays may be nested.
	MaxDepth = 200
	// MaxValues bounds how many values a document may have, roughly: it counts commas and
	// opening brackets.
	MaxValues = 20_000
)

// checkLimits scans data without parsing it. Its error, a *SyntaxError, says which limit
// is exceeded, and where. It does not check whether data is JSON.
func checkLimits(file string, data []byte) error {
	depth, values, line, start := 0, 0, 1, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '\n':
			line, start = line+1, i+1
		case '"':
			i = endOfString(data, i)
		case '/':
			i = endOfComment(data, i)
		case '{', '[':
			depth++
			values++
		case ',':
			values++
		case '}', ']':
			depth--
		}
		switch {
		case depth > MaxDepth:
			return &SyntaxError{file, line, i - start + 1, fmt.Sprintf("objects and lists nested more than %d deep", MaxDepth)}
		case values > MaxValues:
			return &SyntaxError{file, line, i - start + 1, fmt.Sprintf("more than %d values", MaxValues)}
		}
	}
	return nil
}

// endOfString returns the index of the quote that ends the string at i. A string ends
// with its line at the latest, because no JSON string has a line break.
func endOfString(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		switch {
		case data[i] == '\n':
			return i - 1
		case data[i] == '\\' && i+1 < len(data) && data[i+1] != '\n':
			i++
		}
	}
	return i
}

// endOfComment returns, for a comment at i, the index before the end of the line or of
// the block, so that lines are counted; i if there is no comment.
func endOfComment(data []byte, i int) int {
	if i+1 >= len(data) {
		return i
	}
	switch data[i+1] {
	case '/':
		for i+1 < len(data) && data[i+1] != '\n' {
			i++
		}
	case '*':
		return endOfBlock(data, i)
	}
	return i
}

// endOfBlock returns the index of the slash that ends the block comment at i.
func endOfBlock(data []byte, i int) int {
	for j := i + 2; j+1 < len(data); j++ {
		if data[j] == '*' && data[j+1] == '/' {
			return j + 1
		}
	}
	return len(data)
}
