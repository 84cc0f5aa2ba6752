package settings

// migrate moves the value of an earlier release's key to where it stands now
// (cli/config/settings.ts): tools.approvalMode. The new key wins where a file
// has both; where "general" is not an object, the value is lost with the warning
// about that.
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
