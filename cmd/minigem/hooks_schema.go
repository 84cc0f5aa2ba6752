package main

import (
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"minigem/hooks/protocol"
	"minigem/hooks/schema"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/trials"
)

func hooksSchemaCommand(sys *app.System) *cobra.Command {
	var read, printed, ofTools bool
	cmd := &cobra.Command{
		Use:   "schema [EVENT]",
		Short: "Print JSON Schemas of what hooks read and print",
		Long: `Prints JSON Schemas (draft 2020-12), for one event or all: of what hooks read
on stdin, of what they may print, or both as {"input": ..., "output": ...}.
--tools prints the schema of each built-in tool's arguments, which hooks read
as tool_input.`,
		Example: `  minigem hooks schema BeforeTool --output > before-tool.schema.json
  minigem hooks schema AfterModel --input | jq '.properties | keys'
  minigem hooks schema --tools | jq .replace.required`,
		Args:              withUsage(cobra.MaximumNArgs(1), "takes one event, or none for all"),
		ValidArgsFunction: completeEvents,
		RunE: func(_ *cobra.Command, args []string) error {
			if ofTools {
				if len(args) > 0 {
					return exit.Errorf(exit.Input, "--tools prints the schemas of all tools: leave out %s", args[0])
				}
				return output.WriteJSON(sys.Stdout, listing.ToolSchemas())
			}
			if read == printed {
				read, printed = true, true
			}
			if len(args) == 1 {
				event, err := trials.ParseEvent(args[0])
				if err != nil {
					return err
				}
				s, err := schemaOf(event, read, printed)
				if err != nil {
					return err
				}
				return output.WriteJSON(sys.Stdout, s)
			}
			all := map[protocol.Event]any{}
			for _, event := range protocol.Events {
				s, err := schemaOf(event, read, printed)
				if err != nil {
					return err
				}
				all[event] = s
			}
			return output.WriteJSON(sys.Stdout, all)
		},
	}
	cmd.Flags().BoolVar(&read, "input", false, "only what hooks read")
	cmd.Flags().BoolVar(&printed, "output", false, "only what hooks may print")
	cmd.Flags().BoolVar(&ofTools, "tools", false, "the arguments of each built-in tool")
	cmd.MarkFlagsMutuallyExclusive("input", "output", "tools")
	return cmd
}

// schemaOf returns the input schema, the output schema, or both.
func schemaOf(event protocol.Event, input, output bool) (any, error) {
	var both struct {
		Input  *jsonschema.Schema `json:"input"`
		Output *jsonschema.Schema `json:"output"`
	}
	var err error
	if input {
		if both.Input, err = schema.Input(event); err != nil || !output {
			return both.Input, err
		}
	}
	if both.Output, err = schema.Output(event); err != nil || !input {
		return both.Output, err
	}
	return both, nil
}

func completeEvents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, e := range protocol.Events {
		names = append(names, string(e))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
