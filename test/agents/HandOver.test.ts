import { handOver } from "./HandOvers.ts"

handOver("codex", "pi", { flags: ["--tools", "read,edit,write,grep,find,ls"] })
handOver("pi", "codex")
