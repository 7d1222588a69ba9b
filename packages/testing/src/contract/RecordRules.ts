import type { SaidPart } from "@souffleur/domain"
import { Effect, Equal, FileSystem, Option, Result } from "effect"
import type { AgentSubject, MadeAgent, RecordedSession } from "./AgentSubject.ts"
import { type ContractRule, ruleFor } from "./ContractRule.ts"

/** Adds a line that is torn to a session file. */
const torn = (recorded: RecordedSession): RecordedSession =>
  typeof recorded === "string" ? `${recorded}{"torn` : { ...recorded, session: `${recorded.session}{"torn` }

/** Makes the last record of a session longer than a reader may hold, as a picture does. */
const pictured = (recorded: RecordedSession): RecordedSession => {
  const long = (text: string) => text.replace(/\{(?=.*\n*$)/u, `{"picture":"${"A".repeat(9_000_000)}",`)
  return typeof recorded === "string" ? long(recorded) : { ...recorded, session: long(recorded.session) }
}

/** Lists the rules of a session's records: what a turn is, and what an export has. */
export const recordRules = (subject: AgentSubject): ReadonlyArray<ContractRule> => {
  const { failed, finished, killed, refused, sessionId, told } = subject
  const rule = ruleFor(subject)
  const turnOf = ({ agent, output }: MadeAgent) =>
    Effect.map(agent.signs(sessionId, output), (signs) => Option.getOrUndefined(signs)?.turn)
  const refusedIn = ({ agent, output }: MadeAgent) =>
    Effect.map(agent.signs(sessionId, output), (signs) => Option.getOrUndefined(signs)?.refused === true)
  return [
    rule("a finished turn is over by its records, with its use, its tool and its last answer", finished, (made, that) =>
      Effect.gen(function* () {
        const { agent, output } = made
        const signs = Option.getOrUndefined(yield* agent.signs(sessionId, output))
        yield* that(signs?.turn?._tag === "Finished", `its turn is ${signs?.turn?._tag}`)
        yield* that((signs?.context?.tokens ?? 0) > 0, "its context is not known")
        yield* that(
          yield* agent.turnEnded({ pid: 70 }, sessionId, output),
          "a process that is gone has not ended its turn"
        )
        yield* that(yield* agent.usedTools(sessionId), "it used no tool")
        yield* that((yield* agent.spent([sessionId], 0)).tokens > 0, "it used nothing")
        yield* that(
          (yield* agent.spent([sessionId], 8e12)).tokens === 0,
          "its use has no time: a record needs a timestamp"
        )
        yield* that((yield* agent.lastAnswer(sessionId)) !== "", "it has no last answer")
        yield* that(Option.isSome(yield* agent.projectOf(sessionId)), "its folder is not known")
        yield* that(!(yield* refusedIn(made)), "its last tool was refused")
        yield* that(Option.isNone(yield* agent.handoffTaken(sessionId, "another")), "it took another hand-off")
      })
    ),
    rule("a tool that was killed is still outstanding", killed, (made, that) =>
      Effect.gen(function* () {
        const turn = yield* turnOf(made)
        yield* that(turn?._tag === "Tool", `its turn is ${turn?._tag}`)
        yield* that(!(yield* made.agent.turnEnded({ pid: 70 }, sessionId, made.output)), "its turn has ended")
      })
    ),
    ...failed.map(({ reason, resetsAt, text }) =>
      rule(
        `a turn that the service ended is over for its reason: ${reason}${resetsAt === undefined ? "" : ", with its end"}`,
        text,
        (made, that) =>
          Effect.gen(function* () {
            const turn = yield* turnOf(made)
            const is = turn?._tag === "Failed" ? turn : undefined
            yield* that(is?.reason === reason && is.resetsAt === resetsAt, `its turn is ${JSON.stringify(turn)}`)
            yield* that(!(yield* made.agent.turnEnded({ pid: 70 }, sessionId, made.output)), "its turn has ended well")
          })
      )
    ),
    ...(refused === undefined
      ? []
      : [
          rule("a tool that a permission refused right before the last answer is told", refused, (made, that) =>
            Effect.gen(function* () {
              const turn = yield* turnOf(made)
              yield* that(turn?._tag === "Finished", `its turn is ${turn?._tag}`)
              yield* that(yield* refusedIn(made), "its last tool was not refused")
              yield* that((yield* made.agent.toolResults([sessionId])) === 0, "a refused tool is progress")
            })
          )
        ]),
    // A database has no lines.
    ...(subject.keep === undefined
      ? [
          rule("a last record that no reader can hold tells its turn", pictured(killed), (made, that) =>
            Effect.gen(function* () {
              const signs = Option.getOrUndefined(yield* made.agent.signs(sessionId, made.output))
              yield* that(signs?.turn?._tag === "Tool", `its turn is ${signs?.turn?._tag}`)
              yield* that(signs?.resumable !== false, "its session cannot be resumed")
            })
          ),
          rule("what a session did and used stays counted where its file is swept away", finished, (made, that) =>
            Effect.gen(function* () {
              const fs = yield* FileSystem.FileSystem
              const counts = Effect.all([made.agent.toolResults([sessionId]), made.agent.spent([sessionId], 0)])
              const before = yield* counts
              yield* fs.remove(made.session)
              yield* that(Equal.equals(yield* counts, before), `${JSON.stringify(before)} is forgotten`)
              yield* that(before[1].tokens > 0, "it used nothing")
            })
          )
        ]
      : []),
    rule("a login that is written is known by its file", finished, ({ agent, folder }, that) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const wroteAt = Effect.suspend(() => agent.loginWrittenAt?.(sessionId) ?? Effect.succeed(0))
        yield* that((yield* wroteAt) === 0, "it has a login")
        if (subject.login === undefined) return
        const file = `${folder}/agent/${subject.login}`
        yield* fs.makeDirectory(file.slice(0, file.lastIndexOf("/")), { recursive: true })
        yield* fs.writeFileString(file, "{}", { mode: 0o600 })
        yield* fs.utimes(file, 1_000_000, 1_000_000)
        yield* that((yield* wroteAt) === 1_000_000_000, `it was written at ${yield* wroteAt}`)
      })
    ),
    rule("a last line that is torn is left out", torn(finished), (made, that) =>
      Effect.gen(function* () {
        const turn = yield* turnOf(made)
        yield* that(turn?._tag === "Finished", `its turn is ${turn?._tag}`)
      })
    ),
    rule(
      "a file without a record of the agent says nothing, and ends nothing",
      'no record\n{}\n[1]\n\n{"type":7}\n',
      (made, that) =>
        Effect.gen(function* () {
          const turn = yield* turnOf(made)
          yield* that(turn === undefined, `its turn is ${turn?._tag}`)
          yield* that(!(yield* made.agent.turnEnded({ pid: 70 }, sessionId, made.output)), "its turn has ended")
          yield* that((yield* made.agent.toolResults([sessionId, "unknown"])) === 0, "it has results")
        })
    ),
    rule("a conversation is shown in parts, from its end on", torn(finished), ({ agent }, that) =>
      Effect.gen(function* () {
        if (agent.conversation === undefined) return
        const saidIn = (part: Option.Option<SaidPart>) =>
          Option.toArray(part).flatMap(({ records }) => records.flatMap(({ said }) => said))
        const end = yield* agent.conversation(sessionId)
        const said = saidIn(end)
        const tags = said.map(({ _tag }) => _tag).join(" ")
        yield* that(/^Words (?:.* )?Call .*Result .*Words/u.test(tags), `it has ${tags}`)
        const answers = said.flatMap((one) => (one._tag === "Words" && one.who === "Assistant" ? [one.text] : []))
        yield* that(
          (yield* agent.lastAnswer(sessionId)).endsWith(answers.at(-1) ?? "none"),
          "its last answer is missing"
        )
        yield* that(
          said.every((one) => one._tag !== "Result" || said.some((call) => call._tag === "Call" && call.id === one.id)),
          "a result has no call"
        )
        const { from, records, to } = Option.getOrThrow(end)
        const last = records.at(-1)!.offset
        const followed = saidIn(yield* agent.conversation(sessionId, { after: 0 }))
        yield* that(from === 0 && followed.map(({ _tag }) => _tag).join(" ") === tags, "it is followed otherwise")
        const earlier = Option.getOrThrow(yield* agent.conversation(sessionId, { before: last }))
        yield* that(earlier.to === last && earlier.records.length === records.length - 1, "its parts do not fit")
        const later = Option.getOrThrow(yield* agent.conversation(sessionId, { after: to }))
        yield* that(later.to === to && later.records.length === 0, "its end is told twice")
        yield* that(Option.isNone(yield* agent.conversation("unknown")), "it shows no session")
      })
    ),
    rule("an export has the conversation, for its user alone", torn(finished), ({ agent, folder }, that) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const out = `${folder}/out/export.md`
        const { records } = yield* agent.exportSession(sessionId, out)
        const markdown = yield* fs.readFileString(out)
        yield* that(records > 1, `it has ${records} records`)
        for (const one of told) yield* that(markdown.includes(one), `it lacks: ${one}`)
        yield* that((Number((yield* fs.stat(out)).mode) & 0o777) === 0o600, "others may read it")
        yield* that(
          Result.isFailure(yield* Effect.result(agent.exportSession("unknown", out))),
          "it exports no session"
        )
      })
    )
  ]
}
