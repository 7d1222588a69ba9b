import { hookReader } from "@souffleur/agents/hook"
import { keepSign } from "@souffleur/node/hook"

// A program of its own, which an agent starts for a hook: `node hookSign.ts hook [AGENT]`. It loads nothing of Effect.
void keepSign(hookReader, process.argv.slice(3))
