import { Effect, FileSystem } from "effect"

const nonce = "0123456789abcdef0123456789abcdef"
const header = `<!-- souffleur-export v1 nonce=${nonce} -->\n# Conversation\n\n<!-- souffleur-conversation nonce=${nonce} -->\n`

/** Prose and code as in a conversation, with a few characters of more than one byte. */
const page = Array.from(
  { length: 400 },
  (_, index) =>
    `## Assistant\nThe handler in \`src/routes/${index}.ts\` reads the request — then it compares each field, and writes what changed.\n` +
    (index % 8 === 0
      ? "```ts\nexport const handler = (request: Request) => compare(request.body, stored[0])\n```\n"
      : "") +
    (index % 40 === 0 ? "Größe geprüft ✓ 完成 🎉\n" : "")
).join("")

/** Writes an export of about `bytes`, with a marker of its kind in the middle. */
export const exportFile = Effect.fnUntraced(function* (path: string, bytes: number, kind: "own" | "foreign") {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "wx", mode: 0o600 })
  const utf8 = new TextEncoder()
  const block = utf8.encode(page)
  yield* file.writeAll(utf8.encode(kind === "own" ? header : "# Conversation\n"))
  const pages = Math.ceil(bytes / block.length)
  for (let written = 0; written < pages; written++) {
    yield* file.writeAll(block)
    if (written === pages >> 1)
      yield* file.writeAll(
        utf8.encode(kind === "own" ? `<!-- compact_boundary nonce=${nonce} -->\n` : "compact_boundary\n")
      )
  }
  return path
}, Effect.scoped)
