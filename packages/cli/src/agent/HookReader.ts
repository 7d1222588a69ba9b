import type { HookReader } from "@souffleur/domain"
import { hookReader as claudeReader } from "@souffleur/claude/hook"

/** How the hooks of that agent are read; a file of its own, since it loads nothing of Effect. */
export const hookReader: HookReader = claudeReader
