#!/usr/bin/env node
import { hookCall } from "@souffleur/claude/hook"
import { keepSign } from "@souffleur/node/hook"

// `souffleur hook`, and nothing that it does not need.
await keepSign(hookCall)
