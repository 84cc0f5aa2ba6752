//go:build !linux

package sandbox

func attributes(string) string { return "" }
