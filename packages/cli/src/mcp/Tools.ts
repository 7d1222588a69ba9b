import { CommsTables } from "@souffleur/comms"
import { Bounds, leastPermission, Permission, StateWord } from "@souffleur/domain"
import { isBetween } from "@souffleur/eventlog"
import { Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

/** A tool did nothing. `message` tells the model why, and what to do instead. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", { message: Schema.String }) {}

/**
 * Characters of one posted message, and of all messages that are read at once. A model takes so many without losing its
 * thread.
 */
const maxPostLength = 50_000
/** Characters of all messages that one call reads. */
export const maxReadLength = 60_000
/** Characters of one message that is read. */
export const maxBodyLength = 16_000
/** Characters of a resume prompt. With souffleur's own words it is one argument of a launch. */
const maxPromptLength = 20_000

const described = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const words = (description: string, most: number) => described(Bounds.words(most), description)
const count = (description: string, least: number, most: number) => described(isBetween(least, most), description)
const orNull = <S extends Schema.Top>(schema: S, description: string) => described(Schema.NullOr(schema), description)
const State = Schema.Literals(CommsTables.states)
const taskId = (description: string) => words(description, 200)

const tool = <const Name extends string, P extends Schema.Top, S extends Schema.Top>(
  name: Name,
  options: { readonly description: string; readonly parameters: P; readonly success: S; readonly reads?: true }
) =>
  Tool.make(name, {
    description: options.description,
    parameters: options.parameters,
    success: options.success,
    failure: ToolFailed
  })
    .annotate(Tool.Readonly, options.reads === true)
    .annotate(Tool.Destructive, false)
    .annotate(Tool.Idempotent, options.reads === true)
    .annotate(Tool.OpenWorld, false)

/** The advice that comes with an answer. */
const note = described(Schema.String, "The meaning for you, and the next thing to do")

const heartbeat = tool("heartbeat", {
  description:
    "Say that you, the Conductor (the agent that leads the work), are alive. Call it at least every two minutes while you work, and before anything that takes long. With comms (the database of tasks) souffleur replaces a Conductor that is silent for four minutes.",
  parameters: Tool.EmptyParams,
  success: Schema.Struct({
    watch: orNull(Schema.String, "The watch that you are under; null: none"),
    at: described(Schema.String, "The beat's time, UTC"),
    comms: described(Schema.Boolean, "Whether it was written to task-00 in comms"),
    note
  })
})

const myState = tool("my_state", {
  description:
    "Return what souffleur, the watchdog of this project, knows of you. That is your generation and session, and the time by which a heartbeat must come. It is also why you were last recovered, and how often without progress: three times ends the watch. Call it first after a recovery.",
  parameters: Tool.EmptyParams,
  reads: true,
  success: Schema.Struct({
    watch: orNull(Schema.String, "The watch's id; null: no watch"),
    you_are: described(
      Schema.Literals(["conductor", "earlier generation", "another session", "unwatched"]),
      "Whether this session is the Conductor that is watched"
    ),
    phase: orNull(Schema.String, "Validating, Settling, Watching or Exited"),
    standing: orNull(Schema.String, "In a word or two"),
    generation: orNull(Schema.Int, "1 for the first Conductor, one more with each recovery"),
    session_id: orNull(Schema.String, "The Conductor's session"),
    comms: orNull(Schema.String, "The path of comms; null: none (solo)"),
    retries: orNull(Schema.Int, "Recoveries in a row without progress; at 3 souffleur stops trying"),
    last_recovery: orNull(
      Schema.Struct({ at: Schema.String, what: Schema.String, reason: Schema.String }),
      "The last recovery of this watch, and why"
    ),
    last_beat: orNull(Schema.String, "Your last heartbeat by this server, UTC"),
    deadline: orNull(
      Schema.String,
      "When the next heartbeat must be there at the latest, UTC; null: no such limit is known"
    ),
    note
  })
})

const setState = tool("set_state", {
  description:
    "Set the state of task-00, your own row in comms, and its heartbeat with it. `complete` ends the watch: prefer the tool `done`. For `context_recovery` use the tool `request_context_recovery`.",
  parameters: Schema.Struct({ state: described(State, "The new state of task-00") }),
  success: Schema.Struct({ state: State, note })
})

const postMessage = tool("post_message", {
  description:
    "Post a message to the orchestration: to a task (task-03), or to souffleur itself (task_id `souffleur`; a corrected `PID:… SESSION_ID:…` as `instruction`, by the Conductor alone).",
  parameters: Schema.Struct({
    task_id: taskId("The task that it is for or about, such as task-03 or souffleur"),
    message_type: described(Schema.Literals(CommsTables.messageTypes), "The kind of the message"),
    message: words("The text", maxPostLength)
  }),
  success: Schema.Struct({ id: described(Schema.Int, "The message's number") })
})

const readMessages = tool("read_messages", {
  description: `Read messages of the orchestration, oldest first, with a number greater than \`since\`. Go on with \`next_since\` as long as \`more\` is true. Long messages are cut at ${maxBodyLength} characters.`,
  parameters: Schema.Struct({
    since: Schema.optionalKey(
      count("The last number that you have read; 0 or nothing: from the beginning", 0, Number.MAX_SAFE_INTEGER)
    ),
    task_id: Schema.optionalKey(taskId("Only this task's; nothing: all")),
    limit: Schema.optionalKey(count("At most so many; 50 by default", 1, 200))
  }),
  reads: true,
  success: Schema.Struct({
    messages: Schema.Array(
      Schema.Struct({
        id: Schema.Int,
        task_id: Schema.NullOr(Schema.String),
        from_session: Schema.NullOr(Schema.String),
        message_type: Schema.NullOr(Schema.String),
        timestamp: Schema.NullOr(Schema.String),
        message: Schema.String,
        cut: Schema.Boolean
      })
    ),
    next_since: described(Schema.Int, "The number to ask for next"),
    more: described(Schema.Boolean, "There may be more")
  })
})

const registerTasks = tool("register_tasks", {
  description:
    "Make rows in comms for the tasks of your plan. A task that is there already stays as it is, so it may be called again. New tasks are progress: without progress, three ends in a row finish the watch.",
  parameters: Schema.Struct({
    tasks: described(
      Schema.Array(
        Schema.Struct({
          task_id: taskId("Such as task-01; never souffleur or task-00"),
          state: Schema.optionalKey(described(State, "`watching` by default: planned, and not begun")),
          instruction_path: Schema.optionalKey(words("The file with its instructions", 4096))
        })
      ).check(Schema.isMinLength(1), Schema.isMaxLength(200)),
      "At most 200 at once"
    )
  }),
  success: Schema.Struct({
    registered: described(Schema.Array(Schema.String), "Made now"),
    already_there: described(Schema.Array(Schema.String), "Left as they were")
  })
})

const requestContextRecovery = tool("request_context_recovery", {
  description:
    "Ask souffleur to end this session and start a fresh one with this conversation: when your context runs out. You are stopped and a successor is launched with your resume prompt. Finish what must not be torn first; after this call end your turn and start nothing new.",
  parameters: Schema.Struct({
    resume_prompt: Schema.optionalKey(
      words(
        "The first words to your successor, such as the next task and the work in flight. It also gets the conversation",
        maxPromptLength
      )
    ),
    permission_mode: Schema.optionalKey(
      described(
        Permission,
        `The permission of your successor; never more than the user's ceiling. ${leastPermission} by default`
      )
    )
  }),
  success: Schema.Struct({ watch: orNull(Schema.String, "The watch; null: none in this state folder"), note })
})

const done = tool("done", {
  description:
    "Say that the whole work is complete, every task of it, and verified. souffleur stops watching: you are not brought back after this.",
  parameters: Tool.EmptyParams,
  success: Schema.Struct({ watch: orNull(Schema.String, "The watch that ends; null: none in this state folder"), note })
})

const status = tool("status", {
  description:
    "The watches of this machine: the unfinished ones, and the newest that have ended. Those that need a person come first.",
  parameters: Tool.EmptyParams,
  reads: true,
  success: Schema.Struct({
    watches: Schema.Array(
      Schema.Struct({
        watch: Schema.String,
        project: Schema.String,
        state: StateWord,
        standing: Schema.String,
        generation: Schema.Int,
        pid: Schema.Int,
        alive: Schema.Boolean,
        session_id: Schema.String,
        heartbeat_age_ms: Schema.NullOr(Schema.Number),
        comms: Schema.String,
        retries: Schema.Int,
        last_event_at: Schema.String
      })
    )
  })
})

/** The tools by which an agent speaks to its watchdog and to the orchestration. */
export const tools = Toolkit.make(
  heartbeat,
  myState,
  setState,
  postMessage,
  readMessages,
  registerTasks,
  requestContextRecovery,
  done,
  status
)

/** The parameters of a tool. */
export type Word<Name extends keyof (typeof tools)["tools"]> = Tool.Parameters<(typeof tools)["tools"][Name]>
