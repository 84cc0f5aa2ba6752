package e2e

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/llm/script"
)

// parseAnswers parses the model's answers from a format for people. A paragraph is an
// answer, and each of its lines is a chunk of the stream:
//
//	say I look at it first.
//	call read_file {"file_path": "notes.txt"}
//
//	fault {"status": 503, "retryDelay": "10ms"}
//
//	say "two\nlines"
//
// Quoted text is a Go string. "think" is a thought. A paragraph that begins with "whole"
// is an answer that is not streamed, as compression requests it. A fault in a paragraph
// with chunks happens in the stream. A file that begins with "{" is a fake-responses file.
func parseAnswers(name, text string) ([]script.Entry, error) {
	if strings.HasPrefix(text, "{") {
		return script.Parse(name, strings.NewReader(text))
	}
	var entries []script.Entry
	line := 1
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.TrimSpace(paragraph) != "" {
			e, err := parseAnswer(paragraph)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			e.File, e.Line = name, line
			entries = append(entries, e)
		}
		line += strings.Count(paragraph, "\n") + 2
	}
	return entries, nil
}

func parseAnswer(paragraph string) (script.Entry, error) {
	var whole bool
	var fault json.RawMessage
	var chunks []llm.Chunk
	for line := range strings.Lines(strings.TrimSpace(paragraph)) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "#":
		case "whole":
			whole = true
		case "fault":
			fault = json.RawMessage(rest)
		default:
			p, err := parsePart(verb, rest)
			if err != nil {
				return script.Entry{}, err
			}
			chunks = append(chunks, llm.Chunk{Parts: []llm.Part{p}})
		}
	}
	if n := len(chunks); n > 0 {
		chunks[n-1].FinishReason = "STOP"
		chunks[n-1].Usage = &llm.Usage{Prompt: 100, Candidates: 10, Total: 110}
	}
	e := script.Streamed(chunks...)
	if whole {
		e = script.Answered(chunks[0])
	}
	e.Fault = fault
	return e, nil
}

func parsePart(verb, rest string) (llm.Part, error) {
	switch verb {
	case "say", "think":
		text := rest
		if strings.HasPrefix(text, `"`) {
			var err error
			if text, err = strconv.Unquote(rest); err != nil {
				return nil, fmt.Errorf("%s is not a quoted string", rest)
			}
		}
		if verb == "think" {
			return llm.Thought{Text: text}, nil
		}
		return llm.Text{Text: text}, nil
	case "call":
		name, args, _ := strings.Cut(rest, " ")
		call := llm.ToolCall{Name: name}
		if err := json.Unmarshal([]byte(args), &call.Args); err != nil {
			return nil, fmt.Errorf("the arguments of %s: %w", name, err)
		}
		return call, nil
	}
	return nil, fmt.Errorf("%q is not one of say, think, call, fault, whole", verb)
}

// compact returns v as JSON on one line.
func compact(v any) string {
	data, err := protocol.Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
