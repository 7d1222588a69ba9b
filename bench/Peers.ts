import { Effect } from "effect"
import { child } from "./Child.ts"

/** Where there is no Python, its rows are left out. */
export const pythonHere = child("python3", ["--version"]).pipe(
  Effect.as(true),
  Effect.catchCause(() => Effect.succeed(false))
)

/** What Python prints last, as our own children do: the most memory it ever held, in kB. */
const peak = `
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"): print(line, file=sys.stderr, end="")
`

/** The five patterns of a foreign export over the decoded text. */
export const pythonEstimate = `
import re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8", errors="replace")
patterns = [r"compact_boundary", r"microcompact_boundary", r"(^|\\n)\\s*/compact\\b", r"Compacted \\(", r"\\[lethe summary\\]"]
ends = [m.end() for p in patterns for m in re.finditer(p, text, re.IGNORECASE)]
print((len(text) - max(ends, default=0)) // 3)
${peak}`

/** Each record parsed, what was said written as Markdown. */
export const pythonExport = `
import json, sys
with open(sys.argv[1], encoding="utf-8") as lines, open(sys.argv[2], "w", encoding="utf-8") as out:
    for line in lines:
        record = json.loads(line)
        if record["type"] not in ("user", "assistant"): continue
        content = record["message"]["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            text = block.get("text") or block.get("content") or json.dumps(block.get("input"))
            out.write("## " + record["type"] + "\\n\\n" + text + "\\n\\n")
${peak}`
