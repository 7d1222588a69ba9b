import { iso, type ProcessIdentity } from "@souffleur/domain"
import { Clock, Config, Effect, FileSystem, Path, Schema } from "effect"
import { SecureRandom } from "effect/crypto"

/** Sentence that the agent prints before it ends with exit code 1, as the real one does. */
export class SessionRefused extends Schema.TaggedError<SessionRefused>()("SessionRefused", {
  message: Schema.String
}) {}

/** The session that the stand-in begins or resumes. */
export interface SessionOrder {
  readonly _tag: "Fresh" | "Resume"
  readonly id: string
  readonly print: boolean
  /** The process of the agent. */
  readonly process: Pick<ProcessIdentity, "pid" | "startTime">
}

/**
 * Fields that a conversation is read from. Unknown records of the real agent are skipped, and so is a torn last line.
 */
const Line = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.String,
    subtype: Schema.optional(Schema.String),
    uuid: Schema.optional(Schema.String),
    message: Schema.optional(Schema.Unknown)
  })
)

/** Estimates tokens, at three characters each. */
const tokensOf = (text: string) => Math.floor(text.length / 3)

/** Folder of the agent's files. There is no default: the demo never writes among a person's own sessions. */
const agentFolder = Config.String("CLAUDE_CONFIG_DIR").pipe(Config.orElse(() => Config.String("SOUFFLEUR_CLAUDE_DIR")))

/** Returns the path below the agent's folder at which a process names the session that it holds. */
export const pidFile = (pid: number) => ["sessions", `${pid}.json`] as const

/**
 * Opens one session as the real agent keeps it. Its JSONL file is appended to, and `sessions/<pid>.json` is there while
 * the process lives. The pid file is removed with the scope, so a SIGKILL leaves it behind.
 */
export const openSession = Effect.fnUntraced(function* (order: SessionOrder) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  const root = yield* agentFolder
  const cwd = yield* files.realPath(".")
  const projects = paths.join(root, "projects")
  const own = paths.join(projects, cwd.replaceAll(/[^A-Za-z0-9]/g, "-"))
  yield* files.makeDirectory(own, { recursive: true, mode: 0o700 })

  // A session that is resumed from another folder stays in its own file.
  const candidates = (yield* files.readDirectory(projects)).map((project) =>
    paths.join(projects, project, `${order.id}.jsonl`)
  )
  const found = yield* Effect.findFirst(candidates, (candidate) => files.exists(candidate))
  if (order._tag === "Fresh" && found._tag === "Some") {
    return yield* new SessionRefused({ message: `Error: Session ID ${order.id} is already in use.` })
  }
  if (order._tag === "Resume" && found._tag === "None") {
    return yield* new SessionRefused({ message: `No conversation found with session ID: ${order.id}` })
  }
  const file = found._tag === "Some" ? found.value : paths.join(own, `${order.id}.jsonl`)

  let parent: string | null = null
  /** The conversation since the last compaction, which the agent still has. */
  let context = ""
  let turns = 0
  if (found._tag === "Some") {
    const text = yield* files.readFileString(file)
    if (text !== "" && !text.endsWith("\n")) yield* files.writeFileString(file, "\n", { flag: "a" })
    for (const line of text.split("\n")) {
      const record = Schema.decodeUnknownOption(Line)(line)
      if (record._tag === "None") continue
      const { message, subtype, uuid } = record.value
      if (subtype === "compact_boundary") context = ""
      if (message !== undefined) context += JSON.stringify(message)
      if (message !== undefined) turns += 1
      parent = uuid ?? parent
    }
  }

  const append = (record: object) =>
    files.writeFileString(file, `${JSON.stringify(record)}\n`, { flag: "a", mode: 0o600 })
  const record = Effect.fnUntraced(function* (
    type: string,
    fields: { readonly message?: object; readonly [field: string]: unknown }
  ) {
    const uuid = yield* random.uuidV4()
    const timestamp = iso(yield* Clock.currentTimeMillis)
    const common = {
      userType: "external",
      entrypoint: order.print ? "sdk-cli" : "cli",
      cwd,
      sessionId: order.id,
      version: "stand-in"
    }
    yield* append({ parentUuid: parent, isSidechain: false, type, ...fields, uuid, timestamp, ...common })
    parent = uuid
    if (fields.message !== undefined) context += JSON.stringify(fields.message)
  })
  const assistant = Effect.fnUntraced(function* (content: object, stop_reason: "end_turn" | "tool_use") {
    const usage = { input_tokens: tokensOf(context), cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    const id = yield* random.uuidV4()
    const message = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: "stand-in",
      content: [content],
      stop_reason
    }
    yield* record("assistant", {
      message: { ...message, usage: { ...usage, output_tokens: tokensOf(JSON.stringify(content)) } }
    })
  })
  const user = (content: unknown, fields: object = {}) =>
    record("user", { message: { role: "user", content }, ...fields })

  const { pid, startTime } = order.process
  const held = paths.join(root, ...pidFile(pid))
  const status = Effect.fnUntraced(function* (status: "busy" | "idle") {
    const now = yield* Clock.currentTimeMillis
    const procStart = String(startTime)
    const seen = { pid, sessionId: order.id, cwd, procStart, version: "stand-in", status, updatedAt: now }
    yield* files.writeFileString(held, JSON.stringify(seen), { mode: 0o600 })
  })
  yield* files.makeDirectory(paths.dirname(held), { recursive: true, mode: 0o700 })
  yield* Effect.acquireRelease(status("busy"), () => Effect.ignore(files.remove(held)))

  const toolUse = Effect.fnUntraced(function* (name: string, input: object) {
    const id = `toolu_${yield* random.uuidV4()}`
    yield* assistant({ type: "tool_use", id, name, input }, "tool_use")
    return id
  })

  return {
    id: order.id,
    cwd,
    /** The folder of the agent's files. */
    folder: root,
    status,
    context: () => context,
    user,
    say: (text: string, more: boolean) => assistant({ type: "text", text }, more ? "tool_use" : "end_turn"),
    /** Uses the tool that reads a file, and returns the id of that use. */
    reads: (path: string) => toolUse("Read", { file_path: path }),
    /** Uses the tool that writes a file, and returns the id of that use. */
    writes: (path: string, content?: string) =>
      toolUse("Write", { file_path: path, ...(content === undefined ? {} : { content }) }),
    toolResult: (id: string, content: string, failed = false) =>
      user([{ tool_use_id: id, type: "tool_result", content, ...(failed ? { is_error: true } : {}) }]),
    turnEnded: (prompt: string) =>
      append({ type: "last-prompt", lastPrompt: prompt, leafUuid: parent, sessionId: order.id }),
    /**
     * Compacts as `/compact` does: with a boundary and a summary, or the record of a failure. The exit code proves
     * nothing, as with the real agent.
     */
    compact: Effect.fnUntraced(function* (summary: string, failing: boolean) {
      if (failing || turns === 0) {
        const why = failing ? "Error: the conversation could not be compacted" : "Error: No messages to compact"
        return yield* record("system", {
          subtype: "local_command",
          content: `<local-command-stderr>${why}</local-command-stderr>`,
          level: "info"
        })
      }
      const preTokens = tokensOf(context)
      const compactMetadata = { trigger: "manual", preTokens, postTokens: tokensOf(summary), durationMs: 1 }
      parent = null
      yield* record("system", {
        subtype: "compact_boundary",
        content: "Conversation compacted",
        level: "info",
        compactMetadata
      })
      context = ""
      yield* user(summary, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
    })
  }
})

/** An open session file, with the writers of its records. */
export type Session = Effect.Success<ReturnType<typeof openSession>>
