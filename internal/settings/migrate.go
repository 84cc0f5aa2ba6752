package settings

// migrate moves the value of tools.approvalMode, a key of an earlier release, to its
// current key (cli/config/settings.ts). If a file has both, the new key wins. If
// "general" is not an object, the value is lost, and the warning about "general" says
// so.
func (r *reader) migrate(root *node) {
	const from, to = "tools.approvalMode", "general.defaultApprovalMode"
	tools := root.get("tools")
	old := tools.get("approvalMode")
	if old == nil {
		return
	}
	tools.remove("approvalMode")
	general := root.get("general")
	if general.get("defaultApprovalMode") != nil {
		r.warn(old.origin, from, WarnDeprecated, "older key ignored: the file has %s too", to)
		return
	}
	r.warn(old.origin, from, WarnDeprecated, "older key: write %s", to)
	if general == nil {
		general = &node{kind: object, origin: old.origin}
		root.set("general", general)
	}
	if general.kind == object {
		general.set("defaultApprovalMode", old)
	}
}
