// Package models says which model a request goes to, and with which settings: short
// names, what "auto" means by rule, the aliases and overrides of modelConfigs in the
// settings, and which model replaces one whose quota is used up. Servers and requests
// are handled elsewhere.
package models

import (
	"cmp"
	"slices"
	"strings"

	"minigem/llm/openai"
)

// Default is the model of a session for which none was chosen.
const Default = "gemini-2.5-pro"

// The current models by ability (core/config/models.ts, as the API gets them).
const (
	pro       = "gemini-3.1-pro-preview"
	flash     = "gemini-3.8-flash"
	flashLite = "gemini-3.5-flash-lite"
)

// short maps short names to the current model of that kind.
var short = map[string]string{
	"auto":            pro,
	"auto-gemini-3":   pro,
	"auto-gemini-2.5": "gemini-2.5-pro",
	"pro":             pro,
	"flash":           flash,
	"flash-lite":      flashLite,
}

// Name returns the full name for a short name of a model. For "" it returns the
// default.
func Name(name string) string {
	name = strings.TrimPrefix(cmp.Or(name, Default), "models/")
	return cmp.Or(short[name], name)
}

// Auto reports whether name leaves the choice of a model to [Route].
func Auto(name string) bool {
	return name == "auto" || strings.HasPrefix(name, "auto-gemini-") && short[name] != ""
}

// Route chooses a model for a name that is [Auto], by rule: a large model, also for
// planning, and a fast one once a plan has been approved and only has to be followed.
// The released CLI also asks a small model how hard a prompt is, which minigem does
// not.
func Route(auto string, planning, planned bool) string {
	if planned && !planning {
		return flash
	}
	return Name(auto)
}

// kin lists Google's models of each generation, from the most capable to the one with
// the largest quota.
var kin = [][]string{
	{"gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"},
	{pro, flash, flashLite},
}

// Next returns the model to continue with after model, whose quota is used up: the next
// one of its kin, else the nearest one before it except the first. It returns "" if all
// are used up, or if model is not Google's.
func Next(model string, usedUp []string) string {
	if openai.Named(model) {
		return ""
	}
	list := kin[0]
	if !slices.Contains(list, model) && strings.HasPrefix(model, "gemini-3") {
		list = kin[1]
	}
	at := slices.Index(list, model)
	switch { // a model that is not in the list counts as its kind
	case at >= 0:
	case strings.Contains(model, "flash-lite"):
		at = len(list) - 1
	case strings.Contains(model, "flash"):
		at = len(list) - 2
	default:
		at = 0
	}
	candidates := slices.Clone(list[at+1:])
	for i := at - 1; i > 0; i-- { // never the first one, which costs the most
		candidates = append(candidates, list[i])
	}
	for _, c := range candidates {
		if c != model && !slices.Contains(usedUp, c) {
			return c
		}
	}
	return ""
}
