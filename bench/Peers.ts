import { Effect } from "effect"
import { child } from "./Child.ts"

/** Whether there is a Python. Its rows are left out without it. */
export const pythonHere = child("python3", ["--version"]).pipe(
  Effect.as(true),
  Effect.catchCause(() => Effect.succeed(false))
)

/** Makes Python print its peak memory in kB at the end, as our own children do. */
const peak = `
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"): print(line, file=sys.stderr, end="")
`

/** Searches the decoded text for the five patterns of a foreign export. */
export const pythonEstimate = `
import re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8", errors="replace")
patterns = [r"compact_boundary", r"microcompact_boundary", r"(^|\\n)\\s*/compact\\b", r"Compacted \\(", r"\\[lethe summary\\]"]
ends = [m.end() for p in patterns for m in re.finditer(p, text, re.IGNORECASE)]
print((len(text) - max(ends, default=0)) // 3)
${peak}`

/** Parses each record and writes the conversation as Markdown. */
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
