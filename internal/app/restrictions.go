package app

import (
	"minigem/internal/exit"
	"minigem/internal/text"
)

// CheckRestrictions returns an error if the settings contain a restriction that minigem
// does not support, since going on would pretend to enforce it. Once a restriction is
// supported, its line in settings/known.txt says "works".
func (c *Configuration) CheckRestrictions() error {
	all := c.Loaded.Restrictions()
	if len(all) == 0 {
		return nil
	}
	g := all[0]
	if g.Fault != "" {
		return exit.Errorf(exit.Config, "%s:%d: %s %s. Nothing runs until this is corrected, because it may be a restriction",
			c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), text.VisibleLine(g.Fault))
	}
	return exit.Errorf(exit.Config, "%s:%d: %s is %s, which minigem cannot enforce: take it out, or run minigem inside "+
		"a container that does it",
		c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), c.Mask(g.Value))
}
