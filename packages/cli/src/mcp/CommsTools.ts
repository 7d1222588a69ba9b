import { type LinkMessage, parseTarget, payloadHeader } from "@souffleur/domain"
import { Clock, Effect, Result } from "effect"
import { asConductor, call, onComms } from "./Call.ts"
import type { CallContext } from "./CallContext.ts"
import { maxBodyLength, maxReadLength, ToolFailed, type Word } from "./Tools.ts"

/** Returns the sender of a message: its session, which is also how the orchestration names its agents. */
const sender = ({ session }: CallContext) => session || "task-00"

/** Sets the state of task-00. Only the Conductor may. */
export const setState = ({ state }: Word<"set_state">) =>
  call(
    Effect.fnUntraced(function* (here) {
      yield* asConductor(here)
      const at = yield* Clock.currentTimeMillis
      yield* onComms(here, (link) => link.setState(state, at))
      return {
        state,
        note:
          state === "complete"
            ? "The watch ends: you are not brought back after this."
            : "task-00 has this state, and a heartbeat."
      }
    })
  )

/** Returns whether a message names its own session, although the watch was given another one. */
const namesItself = ({ session, watched }: CallContext, message: string): boolean => {
  const target = parseTarget(message)
  return watched?.watch.phase === "Validating" && Result.isSuccess(target) && target.success.sessionId === session
}

/** Lets only the Conductor post the messages that souffleur acts on. */
const mayPost = (here: CallContext, { message, message_type, task_id }: Word<"post_message">) => {
  const isReply = task_id === "souffleur" && message_type === "instruction"
  if (!isReply && !message.trimStart().startsWith(payloadHeader)) return Effect.void
  return isReply && namesItself(here, message) ? Effect.void : asConductor(here)
}

/** Posts one message from this session. */
export const postMessage = (word: Word<"post_message">) =>
  call(
    Effect.fnUntraced(function* (here) {
      const { message, message_type, task_id } = word
      yield* mayPost(here, word)
      const at = yield* Clock.currentTimeMillis
      const id = yield* onComms(here, (link) =>
        link.post({ taskId: task_id, from: sender(here), type: message_type, text: message, at })
      )
      return { id }
    })
  )

/** Returns as many messages as a model can take at once, and always the first. */
const taken = (found: ReadonlyArray<LinkMessage>): ReadonlyArray<LinkMessage> => {
  let characters = 0
  const end = found.findIndex(({ text }, n) => (characters += text.length) > maxReadLength && n > 0)
  return end === -1 ? found : found.slice(0, end)
}

/** Returns the messages after a number, bounded in number and in length. */
export const readMessages = ({ limit = 50, since = 0, task_id }: Word<"read_messages">) =>
  call(
    Effect.fnUntraced(function* (here) {
      const found = yield* onComms(here, (link) =>
        link.read({ after: since, taskId: task_id ?? null, most: limit, characters: maxBodyLength })
      )
      const messages = taken(found)
      return {
        messages: messages.map(({ at, cut, from, id, taskId, text, type }) => ({
          id,
          task_id: taskId,
          from_session: from,
          message_type: type,
          timestamp: at,
          message: text,
          cut
        })),
        next_since: messages.at(-1)?.id ?? since,
        more: messages.length < found.length || found.length === limit
      }
    })
  )

/** Rows of other writers, which no plan may name. */
const reserved = new Set(["souffleur", "task-00"])

/** Makes rows for the tasks of a plan, each once. */
export const registerTasks = ({ tasks }: Word<"register_tasks">) =>
  call(
    Effect.fnUntraced(function* (here) {
      const ids = tasks.map(({ task_id }) => task_id)
      const own = ids.find((id) => reserved.has(id.trim().toLowerCase()))
      if (own !== undefined)
        return yield* new ToolFailed({
          message: `${own} is not a task of a plan: leave it out. Nothing was registered.`
        })
      const twice = ids.find((id, n) => ids.indexOf(id) !== n)
      if (twice !== undefined)
        return yield* new ToolFailed({
          message: `${twice} is named twice: name each task once. Nothing was registered.`
        })
      const registered = yield* onComms(here, (link) =>
        link.register(
          tasks.map(({ instruction_path, state = "watching", task_id }) => ({
            id: task_id,
            state,
            instructionPath: instruction_path
          }))
        )
      )
      return { registered, already_there: ids.filter((id) => !registered.includes(id)) }
    })
  )
