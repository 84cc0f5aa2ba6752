// Package settings reads the layers of settings.json into one typed value, and
// remembers where each value came from. It keeps out what values mean: the
// features get them as plain values, and only cmd imports this package. Nothing
// is written here, and the environment is seen through a function that is given.
//
// The rules (cli/config/settings.ts, docs/spec/contract.md 5):
//   - Layers from low to high: defaults, system defaults, user, workspace, system.
//   - The workspace counts only when it is trusted and is not the home directory.
//   - $VAR, ${VAR} and ${VAR:-default} are replaced in strings, but nowhere
//     inside "hooks": shells expand their own variables.
//   - A file that cannot be parsed is an error; a value of the wrong type is a
//     warning, and the lower layer's value stays.
//   - Unknown keys are left alone.
package settings

import "encoding/json"

// Settings is everything that settings.json may say and minigem reads. Keys and
// defaults are those of Gemini CLI (cli/config/settingsSchema.ts). A nil list,
// map or pointer means that nobody set it.
type Settings struct {
	General      General                    `json:"general,omitzero" jsonschema:"General behaviour."`
	Output       Output                     `json:"output,omitzero" jsonschema:"The shape of what is printed."`
	UI           UI                         `json:"ui,omitzero" jsonschema:"The terminal."`
	Privacy      Privacy                    `json:"privacy,omitzero" jsonschema:"Statistics."`
	Telemetry    Telemetry                  `json:"telemetry,omitzero" jsonschema:"Where telemetry goes."`
	Model        Model                      `json:"model,omitzero" jsonschema:"The model and the limits of a session."`
	ModelConfigs map[string]json.RawMessage `json:"modelConfigs,omitempty" jsonschema:"Aliases and overrides of models."`
	Agents       Agents                     `json:"agents,omitzero" jsonschema:"Subagents."`
	Context      Context                    `json:"context,omitzero" jsonschema:"What the model is told about the project."`
	Tools        Tools                      `json:"tools,omitzero" jsonschema:"Which tools there are and how they run."`
	MCP          MCP                        `json:"mcp,omitzero" jsonschema:"MCP servers as a whole."`
	MCPServers   map[string]MCPServer       `json:"mcpServers,omitempty" jsonschema:"MCP servers by name."`
	Security     Security                   `json:"security,omitzero" jsonschema:"Trust, approval and secrets."`
	Advanced     Advanced                   `json:"advanced,omitzero" jsonschema:"Rarely needed."`
	HooksConfig  HooksConfig                `json:"hooksConfig,omitzero" jsonschema:"Hooks as a whole."`
	// Hooks is kept as it was written, by event: the hooks package reads the
	// files themselves, see Loaded.Files.
	Hooks            map[string]json.RawMessage `json:"hooks,omitempty" jsonschema:"Hooks by event."`
	Skills           Skills                     `json:"skills,omitzero" jsonschema:"Skills."`
	Extensions       Extensions                 `json:"extensions,omitzero" jsonschema:"Extensions."`
	Experimental     Experimental               `json:"experimental,omitzero" jsonschema:"What may still change."`
	PolicyPaths      []string                   `json:"policyPaths,omitempty" jsonschema:"Policy files or folders in place of the user's own."`
	AdminPolicyPaths []string                   `json:"adminPolicyPaths,omitempty" jsonschema:"Policy files or folders of the administrator."`
}

// General is the section "general".
type General struct {
	DefaultApprovalMode    string           `json:"defaultApprovalMode,omitempty" enum:"default|auto_edit|plan" jsonschema:"How tool calls are approved; yolo is a flag only."`
	PreferredEditor        string           `json:"preferredEditor,omitempty" jsonschema:"The editor for changing proposed content."`
	MaxAttempts            int              `json:"maxAttempts,omitempty" jsonschema:"Attempts at one request to the model."`
	RetryFetchErrors       bool             `json:"retryFetchErrors,omitempty" jsonschema:"Retry requests that failed before an answer came."`
	EnableAutoUpdate       bool             `json:"enableAutoUpdate,omitempty" jsonschema:"Accepted for compatibility; there is no updater."`
	EnableNotifications    bool             `json:"enableNotifications,omitempty" jsonschema:"Tell the terminal when attention is needed."`
	NotificationMethod     string           `json:"notificationMethod,omitempty" enum:"auto|osc9|osc777|bell" jsonschema:"How the terminal is told."`
	TopicUpdateNarration   bool             `json:"topicUpdateNarration,omitempty" jsonschema:"Offer the tool that names the present topic."`
	DevTools               bool             `json:"devtools,omitempty" jsonschema:"Accepted for compatibility."`
	VimMode                bool             `json:"vimMode,omitempty" jsonschema:"Edit the prompt as vi does."`
	SessionRetention       SessionRetention `json:"sessionRetention,omitzero" jsonschema:"When old sessions are deleted."`
	Checkpointing          Checkpointing    `json:"checkpointing,omitzero" jsonschema:"Snapshots before edits."`
	Plan                   Plan             `json:"plan,omitzero" jsonschema:"Plan mode."`
	EnablePromptCompletion bool             `json:"enablePromptCompletion,omitempty" jsonschema:"Accepted for compatibility."`
}

// SessionRetention is "general.sessionRetention". Ages are numbers with h, d, w
// or m.
type SessionRetention struct {
	Enabled      bool   `json:"enabled,omitempty"`
	MaxAge       string `json:"maxAge,omitempty"`
	MaxCount     *int   `json:"maxCount,omitempty"`
	MinRetention string `json:"minRetention,omitempty"`
}

// Checkpointing is "general.checkpointing".
type Checkpointing struct {
	Enabled bool `json:"enabled,omitempty"`
}

// Plan is "general.plan".
type Plan struct {
	Enabled      bool   `json:"enabled,omitempty"`
	Directory    string `json:"directory,omitempty"`
	ModelRouting bool   `json:"modelRouting,omitempty"`
}

// Output is the section "output".
type Output struct {
	Format string `json:"format,omitempty" enum:"text|json|stream-json"`
}

// UI is the section "ui", as far as minigem has a use for it.
type UI struct {
	Theme              string        `json:"theme,omitempty"`
	HideBanner         bool          `json:"hideBanner,omitempty"`
	HideTips           bool          `json:"hideTips,omitempty"`
	HideFooter         bool          `json:"hideFooter,omitempty"`
	ShowCitations      bool          `json:"showCitations,omitempty"`
	ShowMemoryUsage    bool          `json:"showMemoryUsage,omitempty"`
	InlineThinkingMode string        `json:"inlineThinkingMode,omitempty" enum:"off|full"`
	UseAlternateBuffer bool          `json:"useAlternateBuffer,omitempty"`
	Accessibility      Accessibility `json:"accessibility,omitzero"`
	CustomWittyPhrases []string      `json:"customWittyPhrases,omitempty"`
	DynamicWindowTitle bool          `json:"dynamicWindowTitle,omitempty"`
	HideWindowTitle    bool          `json:"hideWindowTitle,omitempty"`
	ShowStatusInTitle  bool          `json:"showStatusInTitle,omitempty"`
}

// Accessibility is "ui.accessibility".
type Accessibility struct {
	ScreenReader         bool `json:"screenReader,omitempty"`
	EnableLoadingPhrases bool `json:"enableLoadingPhrases,omitempty"`
}

// Privacy is the section "privacy".
type Privacy struct {
	UsageStatisticsEnabled bool `json:"usageStatisticsEnabled,omitempty"`
}

// Telemetry is the section "telemetry" (core/telemetry/config.ts). Flags and
// environment variables outrank it; that is decided elsewhere, so that what
// nobody set is nil or empty here.
type Telemetry struct {
	Enabled      *bool  `json:"enabled,omitempty"`
	Target       string `json:"target,omitempty" jsonschema:"local or gcp."`
	OTLPEndpoint string `json:"otlpEndpoint,omitempty"`
	OTLPProtocol string `json:"otlpProtocol,omitempty" enum:"grpc|http"`
	LogPrompts   *bool  `json:"logPrompts,omitempty" jsonschema:"Keep prompts in the log; true unless set."`
	Outfile      string `json:"outfile,omitempty"`
	UseCollector *bool  `json:"useCollector,omitempty"`
	UseCLIAuth   *bool  `json:"useCliAuth,omitempty"`
	Traces       *bool  `json:"traces,omitempty"`
}

// Model is the section "model".
type Model struct {
	Name                 string                     `json:"name,omitempty"`
	MaxSessionTurns      int                        `json:"maxSessionTurns,omitempty" jsonschema:"-1: no limit."`
	CompressionThreshold float64                    `json:"compressionThreshold,omitempty" jsonschema:"Share of the context window from which history is compressed."`
	DisableLoopDetection bool                       `json:"disableLoopDetection,omitempty"`
	SkipNextSpeakerCheck bool                       `json:"skipNextSpeakerCheck,omitempty"`
	SummarizeToolOutput  map[string]SummarizeOutput `json:"summarizeToolOutput,omitempty" jsonschema:"By name of the tool."`
}

// SummarizeOutput is one entry of "model.summarizeToolOutput".
type SummarizeOutput struct {
	TokenBudget int `json:"tokenBudget,omitempty"`
}

// Agents is the section "agents".
type Agents struct {
	Overrides map[string]AgentOverride `json:"overrides,omitempty" jsonschema:"By name of the agent."`
}

// AgentOverride changes one subagent. A nil pointer leaves the agent's own.
type AgentOverride struct {
	Enabled     *bool                      `json:"enabled,omitempty"`
	RunConfig   AgentRunConfig             `json:"runConfig,omitzero"`
	ModelConfig map[string]json.RawMessage `json:"modelConfig,omitempty"`
}

// AgentRunConfig is the limits of a subagent; 0 leaves the agent's own.
type AgentRunConfig struct {
	MaxTurns       int     `json:"maxTurns,omitempty"`
	MaxTimeMinutes float64 `json:"maxTimeMinutes,omitempty"`
}

// Context is the section "context".
type Context struct {
	FileName                         Strings       `json:"fileName,omitempty" jsonschema:"Names of context files."`
	ImportFormat                     string        `json:"importFormat,omitempty" enum:"tree|flat"`
	IncludeDirectoryTree             bool          `json:"includeDirectoryTree,omitempty"`
	DiscoveryMaxDirs                 int           `json:"discoveryMaxDirs,omitempty"`
	MemoryBoundaryMarkers            []string      `json:"memoryBoundaryMarkers,omitempty"`
	IncludeDirectories               []string      `json:"includeDirectories,omitempty"`
	LoadMemoryFromIncludeDirectories bool          `json:"loadMemoryFromIncludeDirectories,omitempty"`
	FileFiltering                    FileFiltering `json:"fileFiltering,omitzero"`
}

// FileFiltering is "context.fileFiltering".
type FileFiltering struct {
	RespectGitIgnore          bool     `json:"respectGitIgnore,omitempty"`
	RespectGeminiIgnore       bool     `json:"respectGeminiIgnore,omitempty"`
	EnableRecursiveFileSearch bool     `json:"enableRecursiveFileSearch,omitempty"`
	EnableFuzzySearch         bool     `json:"enableFuzzySearch,omitempty"`
	CustomIgnoreFilePaths     []string `json:"customIgnoreFilePaths,omitempty"`
}

// Tools is the section "tools". Core is nil when not given and empty when
// given as [], which disables all built-in tools.
type Tools struct {
	Core                        []string        `json:"core,omitempty"`
	Allowed                     []string        `json:"allowed,omitempty"`
	Exclude                     []string        `json:"exclude,omitempty"`
	ConfirmationRequired        []string        `json:"confirmationRequired,omitempty"`
	DiscoveryCommand            string          `json:"discoveryCommand,omitempty"`
	CallCommand                 string          `json:"callCommand,omitempty"`
	UseRipgrep                  bool            `json:"useRipgrep,omitempty"`
	TruncateToolOutputThreshold int             `json:"truncateToolOutputThreshold,omitempty" jsonschema:"Characters; 0 or less: never cut."`
	DisableLLMCorrection        bool            `json:"disableLLMCorrection,omitempty"`
	Sandbox                     json.RawMessage `json:"sandbox,omitempty" jsonschema:"true, false, or the name of a command."`
	Shell                       Shell           `json:"shell,omitzero"`
}

// Shell is "tools.shell".
type Shell struct {
	InactivityTimeout            int    `json:"inactivityTimeout,omitempty" jsonschema:"Seconds without output; 0 or less: no limit."`
	EnableInteractiveShell       bool   `json:"enableInteractiveShell,omitempty"`
	Pager                        string `json:"pager,omitempty"`
	ShowColor                    bool   `json:"showColor,omitempty"`
	BackgroundCompletionBehavior string `json:"backgroundCompletionBehavior,omitempty" enum:"silent|inject|notify"`
}

// MCP is the section "mcp".
type MCP struct {
	Allowed       []string `json:"allowed,omitempty" jsonschema:"Only these servers; of several layers, what all allow."`
	Excluded      []string `json:"excluded,omitempty" jsonschema:"Never these servers; of several layers, all."`
	ServerCommand string   `json:"serverCommand,omitempty"`
}

// MCPServer is one entry of "mcpServers" (core/config/config.ts).
type MCPServer struct {
	Command              string            `json:"command,omitempty"`
	Args                 []string          `json:"args,omitempty"`
	Env                  map[string]string `json:"env,omitempty"`
	Cwd                  string            `json:"cwd,omitempty"`
	URL                  string            `json:"url,omitempty"`
	HTTPURL              string            `json:"httpUrl,omitempty" jsonschema:"Older: use url with type http."`
	Type                 string            `json:"type,omitempty" enum:"stdio|sse|http"`
	Headers              map[string]string `json:"headers,omitempty"`
	TCP                  string            `json:"tcp,omitempty"`
	Timeout              int               `json:"timeout,omitempty" jsonschema:"Milliseconds of one request."`
	Trust                bool              `json:"trust,omitempty"`
	Description          string            `json:"description,omitempty"`
	IncludeTools         []string          `json:"includeTools,omitempty"`
	ExcludeTools         []string          `json:"excludeTools,omitempty"`
	OAuth                json.RawMessage   `json:"oauth,omitempty"`
	AuthProviderType     string            `json:"authProviderType,omitempty"`
	TargetAudience       string            `json:"targetAudience,omitempty"`
	TargetServiceAccount string            `json:"targetServiceAccount,omitempty"`
}

// Security is the section "security".
type Security struct {
	FolderTrust                  FolderTrust `json:"folderTrust,omitzero"`
	DisableYoloMode              bool        `json:"disableYoloMode,omitempty"`
	DisableAlwaysAllow           bool        `json:"disableAlwaysAllow,omitempty"`
	EnablePermanentToolApproval  bool        `json:"enablePermanentToolApproval,omitempty"`
	BlockGitExtensions           bool        `json:"blockGitExtensions,omitempty"`
	AllowedExtensions            []string    `json:"allowedExtensions,omitempty"`
	EnvironmentVariableRedaction Redaction   `json:"environmentVariableRedaction,omitzero"`
	Auth                         Auth        `json:"auth,omitzero"`
}

// FolderTrust is "security.folderTrust".
type FolderTrust struct {
	Enabled bool `json:"enabled,omitempty"`
}

// Redaction is "security.environmentVariableRedaction"; internal/redact does it.
type Redaction struct {
	Enabled bool     `json:"enabled,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
	Blocked []string `json:"blocked,omitempty"`
}

// Auth is "security.auth".
type Auth struct {
	SelectedType string `json:"selectedType,omitempty"`
	EnforcedType string `json:"enforcedType,omitempty"`
	UseExternal  bool   `json:"useExternal,omitempty"`
}

// Advanced is the section "advanced".
type Advanced struct {
	ExcludedEnvVars     []string `json:"excludedEnvVars,omitempty" jsonschema:"Variables that a project's .env cannot set."`
	IgnoreLocalEnv      bool     `json:"ignoreLocalEnv,omitempty" jsonschema:"Read no .env but those of the home directory."`
	AutoConfigureMemory bool     `json:"autoConfigureMemory,omitempty"`
	DNSResolutionOrder  string   `json:"dnsResolutionOrder,omitempty"`
}

// HooksConfig is the section "hooksConfig". MaxRetries is minigem's own
// (docs/spec/contract.md 3).
type HooksConfig struct {
	Enabled       bool     `json:"enabled,omitempty"`
	Disabled      []string `json:"disabled,omitempty" jsonschema:"Names or commands of hooks that do not run."`
	Notifications bool     `json:"notifications,omitempty"`
	MaxRetries    int      `json:"maxRetries,omitempty" jsonschema:"AfterAgent retries in a row for one prompt."`
}

// Skills is the section "skills".
type Skills struct {
	Enabled  bool     `json:"enabled,omitempty"`
	Disabled []string `json:"disabled,omitempty"`
}

// Extensions is the section "extensions".
type Extensions struct {
	Disabled                     []string `json:"disabled,omitempty"`
	WorkspacesWithMigrationNudge []string `json:"workspacesWithMigrationNudge,omitempty"`
}

// Experimental is the section "experimental".
type Experimental struct {
	EnableAgents      bool `json:"enableAgents,omitempty"`
	TaskTracker       bool `json:"taskTracker,omitempty"`
	DirectWebFetch    bool `json:"directWebFetch,omitempty"`
	AutoMemory        bool `json:"autoMemory,omitempty"`
	Worktrees         bool `json:"worktrees,omitempty"`
	ContextManagement bool `json:"contextManagement,omitempty"`
	ExtensionConfig   bool `json:"extensionConfig,omitempty"`
}

// Strings is a list that may be written as one string.
type Strings []string

// UnmarshalJSON takes a string or a list of strings.
func (s *Strings) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*s = Strings{""}
		return json.Unmarshal(data, &(*s)[0])
	}
	return json.Unmarshal(data, (*[]string)(s))
}
