// Package settings reads the layers of settings.json into one typed value, and
// remembers where each value came from. It does not interpret values: features get
// them as plain values from internal/app. It writes nothing, and reads the
// environment only through a function that is passed in.
//
// The rules (cli/config/settings.ts, docs/spec/contract.md 5):
//   - Layers from low to high: defaults, system defaults, user, workspace, system.
//   - The workspace counts only if it is trusted and is not the home directory.
//   - $VAR, ${VAR} and ${VAR:-default} are replaced in strings, but nowhere
//     inside "hooks", because shells expand their own variables.
//   - A file that cannot be parsed is an error. A value of the wrong type is a
//     warning, and the lower layer's value stays.
//   - Unknown keys are left alone.
package settings

import (
	"encoding/json"

	servers "minigem/internal/mcp/entry"
)

// Settings is everything in settings.json that minigem reads. Keys and defaults are
// those of Gemini CLI (cli/config/settingsSchema.ts). A nil list, map or pointer is not
// set.
type Settings struct {
	General      General              `json:"general,omitzero" jsonschema:"General behaviour."`
	UI           UI                   `json:"ui,omitzero" jsonschema:"The chat."`
	Output       Output               `json:"output,omitzero" jsonschema:"The format of the output."`
	Telemetry    Telemetry            `json:"telemetry,omitzero" jsonschema:"Where telemetry goes."`
	Model        Model                `json:"model,omitzero" jsonschema:"The model and the limits of a session."`
	ModelConfigs ModelConfigs         `json:"modelConfigs,omitzero" jsonschema:"Names and settings of models."`
	Context      Context              `json:"context,omitzero" jsonschema:"What the model is told about the project."`
	Tools        Tools                `json:"tools,omitzero" jsonschema:"Which tools there are, and how they run."`
	MCP          MCP                  `json:"mcp,omitzero" jsonschema:"MCP servers as a whole."`
	MCPServers   map[string]MCPServer `json:"mcpServers,omitempty" jsonschema:"MCP servers by name."`
	Security     Security             `json:"security,omitzero" jsonschema:"Trust, approval and secrets."`
	Advanced     Advanced             `json:"advanced,omitzero" jsonschema:"Rarely needed."`
	HooksConfig  HooksConfig          `json:"hooksConfig,omitzero" jsonschema:"Hooks as a whole."`
	// Hooks is kept as written, by event: the hooks package reads the files itself, see
	// Loaded.Files.
	Hooks            map[string]json.RawMessage `json:"hooks,omitempty" jsonschema:"Hooks by event."`
	Skills           Skills                     `json:"skills,omitzero" jsonschema:"Skills."`
	Agents           Agents                     `json:"agents,omitzero" jsonschema:"Subagents."`
	Extensions       Extensions                 `json:"extensions,omitzero" jsonschema:"Extensions."`
	Experimental     Experimental               `json:"experimental,omitzero" jsonschema:"Features that may still change."`
	PolicyPaths      []string                   `json:"policyPaths,omitempty" jsonschema:"Instead of the user's."`
	Admin            Admin                      `json:"admin,omitzero" jsonschema:"What an administrator allows."`
	AdminPolicyPaths []string                   `json:"adminPolicyPaths,omitempty" jsonschema:"The administrator's."`
}

// General is the section "general".
type General struct {
	DefaultApprovalMode string `json:"defaultApprovalMode,omitempty" enum:"default|auto_edit|plan" jsonschema:"The mode."`

	PreferredEditor     string `json:"preferredEditor,omitempty" jsonschema:"The editor for proposed content."`
	MaxAttempts         int    `json:"maxAttempts,omitempty" jsonschema:"Attempts at one request to the model."`
	RetryFetchErrors    bool   `json:"retryFetchErrors,omitempty" jsonschema:"Retry requests without an answer."`
	EnableNotifications bool   `json:"enableNotifications,omitempty" jsonschema:"Alert the user when waiting for them."`

	NotificationMethod string `json:"notificationMethod,omitempty" enum:"auto|osc9|osc777|bell" jsonschema:"How to alert."`

	VimMode          bool             `json:"vimMode,omitempty" jsonschema:"Edit the prompt as vi does."`
	SessionRetention SessionRetention `json:"sessionRetention,omitzero" jsonschema:"When old sessions are deleted."`
	Checkpointing    Checkpointing    `json:"checkpointing,omitzero" jsonschema:"Snapshots before edits."`
	Plan             Plan             `json:"plan,omitzero" jsonschema:"Plan mode."`

	TopicUpdateNarration bool `json:"topicUpdateNarration,omitempty" jsonschema:"Offer the model update_topic."`
}

// Plan is "general.plan".
type Plan struct {
	Enabled   bool   `json:"enabled,omitempty" jsonschema:"false: there is no plan mode."`
	Directory string `json:"directory,omitempty" jsonschema:"The folder for plans; default: the session's own."`

	ModelRouting bool `json:"modelRouting,omitempty" jsonschema:"The model auto is large while planning, fast afterwards."`
}

// UI is the section "ui".
type UI struct {
	HideFooter *bool  `json:"hideFooter,omitempty" jsonschema:"No status line under the prompt; default false."`
	Theme      string `json:"theme,omitempty" jsonschema:"light, dark, or a theme of Gemini CLI; default: by terminal."`
}

// SessionRetention is "general.sessionRetention". Ages are numbers followed by h, d, w
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

// Output is the section "output".
type Output struct {
	Format string `json:"format,omitempty" enum:"text|json|stream-json"`
}

// Telemetry is the section "telemetry" (core/telemetry/config.ts). Flags and
// environment variables override it elsewhere, so values that are not set are nil or
// empty here.
type Telemetry struct {
	Enabled      *bool  `json:"enabled,omitempty"`
	Target       string `json:"target,omitempty" jsonschema:"local or gcp."`
	OTLPEndpoint string `json:"otlpEndpoint,omitempty"`
	OTLPProtocol string `json:"otlpProtocol,omitempty" enum:"grpc|http"`
	LogPrompts   *bool  `json:"logPrompts,omitempty" jsonschema:"Keep prompts in the log; true unless set."`
	Outfile      string `json:"outfile,omitempty"`
	UseCLIAuth   *bool  `json:"useCliAuth,omitempty"`
	Traces       *bool  `json:"traces,omitempty"`
}

// Model is the section "model".
type Model struct {
	Name                 string  `json:"name,omitempty"`
	MaxSessionTurns      int     `json:"maxSessionTurns,omitempty" jsonschema:"-1: no limit."`
	CompressionThreshold float64 `json:"compressionThreshold,omitempty" jsonschema:"Compress at: a share of the window."`
	DisableLoopDetection bool    `json:"disableLoopDetection,omitempty"`
	// Fallback is one of minigem's own settings.
	Fallback string `json:"fallback,omitempty" enum:"ask|always|never" jsonschema:"Take another model when a quota ends."`
}

// Context is the section "context".
type Context struct {
	FileName                         Strings       `json:"fileName,omitempty" jsonschema:"Names of context files."`
	ImportFormat                     string        `json:"importFormat,omitempty" enum:"tree|flat"`
	IncludeDirectoryTree             bool          `json:"includeDirectoryTree,omitempty"`
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
	CustomIgnoreFilePaths     []string `json:"customIgnoreFilePaths,omitempty"`
}

// Tools is the section "tools". Core is nil if not given. If given as [], it is empty
// and disables all built-in tools.
type Tools struct {
	Core                        []string `json:"core,omitempty"`
	Allowed                     []string `json:"allowed,omitempty"`
	Exclude                     []string `json:"exclude,omitempty"`
	ConfirmationRequired        []string `json:"confirmationRequired,omitempty"`
	DiscoveryCommand            string   `json:"discoveryCommand,omitempty"`
	CallCommand                 string   `json:"callCommand,omitempty"`
	TruncateToolOutputThreshold int      `json:"truncateToolOutputThreshold,omitempty" jsonschema:"Characters; 0: all."`
	Sandbox                     json.
					RawMessage `json:"sandbox,omitempty" jsonschema:"true confines shell commands, see docs/PERMISSIONS.md."`
	SandboxAllowedPaths  []string `json:"sandboxAllowedPaths,omitempty" jsonschema:"Also writable. Not for projects."`
	SandboxNetworkAccess bool     `json:"sandboxNetworkAccess,omitempty" jsonschema:"Not for projects."`
	Shell                Shell    `json:"shell,omitzero"`
}

// Shell is "tools.shell".
type Shell struct {
	InactivityTimeout int `json:"inactivityTimeout,omitempty" jsonschema:"Seconds without output; 0 or less: no limit."`
}

// MCP is the section "mcp".
type MCP struct {
	Allowed  []string `json:"allowed,omitempty" jsonschema:"Only these servers; of several layers, what all allow."`
	Excluded []string `json:"excluded,omitempty" jsonschema:"Never these servers; of several layers, all."`
}

// MCPServer is one entry of "mcpServers".
type MCPServer = servers.Server

// Security is the section "security".
type Security struct {
	FolderTrust                  FolderTrust `json:"folderTrust,omitzero"`
	ToolSandboxing               bool        `json:"toolSandboxing,omitempty" jsonschema:"The same as tools.sandbox."`
	DisableYoloMode              bool        `json:"disableYoloMode,omitempty"`
	DisableAlwaysAllow           bool        `json:"disableAlwaysAllow,omitempty"`
	BlockGitExtensions           bool        `json:"blockGitExtensions,omitempty"`
	AllowedExtensions            []string    `json:"allowedExtensions,omitempty"`
	EnvironmentVariableRedaction Redaction   `json:"environmentVariableRedaction,omitzero"`
	Auth                         Auth        `json:"auth,omitzero"`
}

// FolderTrust is "security.folderTrust".
type FolderTrust struct {
	Enabled bool `json:"enabled,omitempty"`
}

// Redaction is "security.environmentVariableRedaction", which internal/redact
// implements.
type Redaction struct {
	Enabled bool     `json:"enabled,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
	Blocked []string `json:"blocked,omitempty"`
}

// Auth is "security.auth".
type Auth struct {
	SelectedType string `json:"selectedType,omitempty"`
	EnforcedType string `json:"enforcedType,omitempty"`
}

// Advanced is the section "advanced".
type Advanced struct {
	ExcludedEnvVars []string `json:"excludedEnvVars,omitempty" jsonschema:"Variables that a project's .env cannot set."`
	IgnoreLocalEnv  bool     `json:"ignoreLocalEnv,omitempty" jsonschema:"Read .env files only from the home directory."`
}

// HooksConfig is the section "hooksConfig". MaxRetries (docs/spec/contract.md 3),
// BlockedExitCode and MayAllow are minigem's own.
type HooksConfig struct {
	Enabled         bool     `json:"enabled,omitempty"`
	Disabled        []string `json:"disabled,omitempty" jsonschema:"Names or commands of hooks that do not run."`
	Notifications   bool     `json:"notifications,omitempty"`
	MaxRetries      int      `json:"maxRetries,omitempty" jsonschema:"AfterAgent retries in a row for one prompt."`
	BlockedExitCode int      `json:"blockedExitCode,omitempty" jsonschema:"Exit code of a blocked headless run."`
	MayAllow        []string `json:"mayAllow,omitempty" jsonschema:"More hooks that may allow. Not for projects."`
	// AllowedHTTPHosts only counts in the settings of the user and the system.
	AllowedHTTPHosts []string `json:"allowedHttpHosts,omitempty" jsonschema:"Hosts that http hooks may reach unencrypted."`
}

// Admin is the section "admin".
type Admin struct {
	Skills AdminSkills `json:"skills,omitzero"`
}

// AdminSkills is "admin.skills".
type AdminSkills struct {
	Enabled bool `json:"enabled,omitempty" jsonschema:"false: there are no hooks, whatever other settings say."`
}

// Skills is the section "skills".
type Skills struct {
	Enabled  bool     `json:"enabled,omitempty" jsonschema:"false: models get no skills."`
	Disabled []string `json:"disabled,omitempty" jsonschema:"Skills that models are not offered; all layers add up."`
}

// Agents is the section "agents".
type Agents struct {
	Overrides map[string]AgentOverride `json:"overrides,omitempty" jsonschema:"Changes to an agent, by its name."`
}

// AgentOverride is one entry of "agents.overrides" (cli/config/settingsSchema.ts).
type AgentOverride struct {
	Enabled     *bool       `json:"enabled,omitempty" jsonschema:"false: it is not offered."`
	Tools       []string    `json:"tools,omitempty" jsonschema:"The tools that it has instead of its own."`
	RunConfig   AgentLimits `json:"runConfig,omitzero"`
	ModelConfig AgentModel  `json:"modelConfig,omitzero"`
}

// AgentLimits is "agents.overrides.*.runConfig".
type AgentLimits struct {
	MaxTurns       int `json:"maxTurns,omitempty"`
	MaxTimeMinutes int `json:"maxTimeMinutes,omitempty"`
}

// AgentModel is "agents.overrides.*.modelConfig".
type AgentModel struct {
	Model    string        `json:"model,omitempty"`
	Generate ModelGenerate `json:"generateContentConfig,omitzero"`
}

// Extensions is the section "extensions".
type Extensions struct {
	Disabled []string `json:"disabled,omitempty"`
}

// Experimental is the section "experimental".
type Experimental struct {
	DirectWebFetch bool `json:"directWebFetch,omitempty"`
	Worktrees      bool `json:"worktrees,omitempty" jsonschema:"true: --worktree starts in a new git worktree."`
	EnableAgents   bool `json:"enableAgents,omitempty" jsonschema:"false: models cannot start agents."`
}

// Strings is a list that may also be written as a single string.
type Strings []string

// UnmarshalJSON accepts a string or a list of strings.
func (s *Strings) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*s = Strings{""}
		return json.Unmarshal(data, &(*s)[0])
	}
	return json.Unmarshal(data, (*[]string)(s))
}
