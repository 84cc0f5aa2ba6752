// Package models says which model a request goes to, and with which settings:
// short names, what "auto" means by rule, the aliases and overrides of
// modelConfigs in the settings, and which model takes the place of one whose
// quota is used up. It keeps out servers and requests.
package models

import (
	"cmp"
	"slices"
	"strings"

	"minigem/llm/openai"
)

// Default is the model of a session for which nobody named one.
const Default = "gemini-2.5-pro"

// What models there are for a task, by how able they are (core/config/models.ts, as
// the API gets them).
const (
	pro       = "gemini-3.1-pro-preview"
	flash     = "gemini-3.8-flash"
	flashLite = "gemini-3.5-flash-lite"
)

// short are the names for the model of a kind that there is now.
var short = map[string]string{
	"auto":            pro,
	"auto-gemini-3":   pro,
	"auto-gemini-2.5": "gemini-2.5-pro",
	"pro":             pro,
	"flash":           flash,
	"flash-lite":      flashLite,
}

// Name returns the full name for a short name of a model; for "" the default.
func Name(name string) string {
	name = strings.TrimPrefix(cmp.Or(name, Default), "models/")
	return cmp.Or(short[name], name)
}

// Auto reports whether name leaves the choice of a model to [Route].
func Auto(name string) bool {
	return name == "auto" || strings.HasPrefix(name, "auto-gemini-") && short[name] != ""
}

// Route chooses for a name that is [Auto], by rule: a large model, also to plan,
// and a fast one where a plan is agreed to and only has to be followed. The
// released CLI also asks a small model how hard a prompt is; nobody asks here.
func Route(auto string, planning, planned bool) string {
	if planned && !planning {
		return flash
	}
	return Name(auto)
}

// kin are Google's models of each generation, from the most able one to the one
// with the largest quota.
var kin = [][]string{
	{"gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"},
	{pro, flash, flashLite},
}

// Next is the model to go on with after model, whose quota is used up: the next
// one of its kin, else the nearest before it but the first; "" where all are used
// up, or it is not Google's.
func Next(model string, usedUp []string) string {
	if openai.Named(model) {
		return ""
	}
	list := kin[0]
	if !slices.Contains(list, model) && strings.HasPrefix(model, "gemini-3") {
		list = kin[1]
	}
	at := slices.Index(list, model)
	switch { // one that is not in the list is as good as its kind
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
