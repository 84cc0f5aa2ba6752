package management

// ExitCodes is "minigem help exit-codes".
const ExitCodes = `What the exit code of a run says:

  0    done
  1    failed
  41   no credentials
  42   bad input
  52   bad settings, or a restriction that cannot be enforced
  53   cut off by a limit or a loop
  54   a tool failed for good
  55   the folder is not trusted
  130  interrupted
  143  terminated

--blocked-exit-code sets another one for a run that a hook blocked or stopped.
Other commands say in their help what theirs mean.
`

// RunHelp is "minigem help runs".
const RunHelp = `A run with -p, a prompt in quotes or a pipe answers one prompt and ends.

It may only read and search, because there is no one to ask. To let it do more:

  --approval-mode=auto_edit   edit files in this folder
  --allowed-tools=NAME        run this tool
  --yolo                      run every tool
  --sandbox                   confine what its commands can write and reach

Flags may come before or after the prompt. Those that permit more, such as
--yolo, come first, or after a prompt in quotes. "update" alone is a command,
and not one of minigem's; "update the readme" is a prompt, as is anything given
with -p.
`
