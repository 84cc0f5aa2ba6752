package jsonc

import "fmt"

// What is parsed at all. The parser calls itself for each level, and what is
// made of a value is many times as large as its text.
const (
	MaxDepth  = 200
	MaxValues = 20_000
)

// checkLimits looks through data without parsing it. Its error, a *SyntaxError,
// says which limit is exceeded, and where; what is not JSON is not its business.
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

// endOfString is the index of the quote that ends the string at i. A string
// ends with its line at the latest: no JSON goes on after that.
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

// endOfComment is the index before the end of the line or of the block, for a
// comment at i, so that lines are counted; i where there is none.
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

func endOfBlock(data []byte, i int) int {
	for j := i + 2; j+1 < len(data); j++ {
		if data[j] == '*' && data[j+1] == '/' {
			return j + 1
		}
	}
	return len(data)
}
