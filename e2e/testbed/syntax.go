package testbed

// CaseSyntax documents how a case is written, except for its commands: see VerbsHelp.
const CaseSyntax = `A case is one file: a script, then files.

  # The guard keeps secrets from being read.
  prompt Show me the key
  fired BeforeTool guard decision=deny reason~'not yours'
  ! tool-ran read_file
  model-saw last ~'not yours'

  -- settings.json --
  {"hooks": {"BeforeTool": [
    {"hooks": [{"type": "command", "name": "guard", "command": "sh guard.sh"}]}
  ]}}
  -- guard.sh --
  echo '{"decision": "deny", "reason": "not yours"}'
  -- model --
  call read_file {"file_path": "key.pem"}

  text I may not read it.

Hooks for every agent are in a section -- hooks --, one a line, instead of settings:

  EVENT [TOOL] COMMAND [timeout=5s] [name=NAME]

  before-tool write guard.sh
  after-tool * 'sh log.sh --all'
  stop check.sh name=tests

EVENT is session-start, prompt, before-model, tool-choice, after-model, before-tool,
permission, after-tool, tool-failed, subagent-start, subagent-stop, stop, compact,
compacted, notification, stop-failed or session-end; an agent's own name will do.
TOOL is for events of tools only: shell, write, edit, read, search, several with | or
* for all. A COMMAND of several words is in quotes.

A condition is KEY=VALUE (exactly) or KEY~PATTERN (a regular expression of Go);
~PATTERN alone is text~PATTERN. '...' and "..." keep blanks in. A "!" before an
assertion negates it. times=2, times=1.. and times=0..3 say how often.
`
