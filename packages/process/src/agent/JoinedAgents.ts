import { Agent, sumSpent, type Watch } from "@souffleur/domain"
import { Effect, Option } from "effect"

type OneAgent = Agent["Service"]

/** One of several agents, with the name of its program. */
export interface NamedAgent {
  readonly program: string
  readonly agent: OneAgent
}

/**
 * Joins agents into one. Questions of a session go to the agent that has its file, and `lead` answers all others. The
 * sessions of all are listed.
 */
export const joinedAgents = (lead: NamedAgent, rest: ReadonlyArray<NamedAgent>): OneAgent => {
  const named = [lead, ...rest]
  const first = lead.agent
  const others = rest.map(({ agent }) => agent)
  const all = [first, ...others]
  /** Returns the agent that has the file of a session; the first where none has. */
  const ofSession = Effect.fnUntraced(function* (sessionId: string) {
    for (const one of all) if (Option.isSome(yield* Effect.option(one.sessionFile(sessionId)))) return one
    return first
  })
  const asked =
    <Rest extends ReadonlyArray<unknown>, A, E>(
      method: (one: OneAgent) => (sessionId: string, ...rest: Rest) => Effect.Effect<A, E>
    ) =>
    (sessionId: string, ...rest: Rest) =>
      Effect.flatMap(ofSession(sessionId), (one) => method(one)(sessionId, ...rest))
  const summed = <A>(
    sessionIds: ReadonlyArray<string>,
    method: (one: OneAgent, its: ReadonlyArray<string>) => Effect.Effect<A>
  ) =>
    Effect.gen(function* () {
      const owners = yield* Effect.forEach(sessionIds, ofSession)
      return yield* Effect.forEach(all, (one) =>
        method(
          one,
          sessionIds.filter((_, at) => owners[at] === one)
        )
      )
    })

  const withProgram = (program: string) => Option.fromUndefinedOr(named.find((one) => one.program === program))

  return Agent.of({
    ...first,
    joined: {
      programs: named.map(({ program }) => program),
      programOf: (sessionId) =>
        Effect.map(ofSession(sessionId), (owner) => named.find(({ agent }) => agent === owner)!.program),
      only: (program) => Option.map(withProgram(program), ({ agent }) => agent),
      led: (program) =>
        Option.map(withProgram(program), (other) =>
          joinedAgents(
            other,
            named.filter((one) => one !== other)
          )
        )
    },
    sessions: Effect.map(
      Effect.forEach(all, ({ sessions }) => sessions),
      (lists) => lists.flat()
    ),
    holds: (process) =>
      Effect.map(
        Effect.forEach(all, (one) => one.holds?.(process) ?? Effect.succeedNone),
        Option.firstSomeOf
      ),
    lookWhere: (process) =>
      Effect.map(
        Effect.forEach(all, (one) => one.lookWhere?.(process) ?? Effect.succeed([])),
        (found) => found.flat()
      ),
    lookIn: (folders) => Effect.forEach(all, (one) => one.lookIn?.(folders) ?? Effect.void, { discard: true }),
    sessionFile: asked((one) => one.sessionFile),
    loginWrittenAt: asked((one) => one.loginWrittenAt ?? (() => Effect.succeed(0))),
    projectOf: asked((one) => one.projectOf),
    mark: asked((one) => one.mark),
    compactedSince: (mark) =>
      Effect.map(
        Effect.forEach(all, (one) => one.compactedSince(mark)),
        (seen) => seen.find((progress) => progress !== "not yet") ?? "not yet"
      ),
    toolResults: (sessionIds) =>
      Effect.map(
        summed(sessionIds, (one, its) => one.toolResults(its)),
        (counts) => counts.reduce((sum, count) => sum + count, 0)
      ),
    usedTools: asked((one) => one.usedTools),
    inPrintMode: (args) => first.inPrintMode(args) || others.some((one) => one.isAgent(args) && one.inPrintMode(args)),
    isAgent: (words) => all.some((one) => one.isAgent(words)),
    turnEnded: (process, sessionId, output) =>
      Effect.flatMap(ofSession(sessionId), (one) => one.turnEnded(process, sessionId, output)),
    signs: asked((one) => one.signs),
    mode: asked((one) => one.mode),
    lastAnswer: asked((one) => one.lastAnswer),
    conversation: asked((one) => one.conversation ?? (() => Effect.succeedNone)),
    past: asked((one) => one.past ?? (() => Effect.succeedNone)),
    // A pipe loses nothing: a line that only looks like another agent's record is text there.
    outputReader: (into) => {
      const readers = (into === "pipe" ? [first] : all).map((one) => one.outputReader(into))
      return (line) => Option.firstSomeOf(readers.map((read) => read(line)))
    },
    handoffTaken: asked((one) => one.handoffTaken),
    spent: (sessionIds, since) =>
      Effect.map(
        summed(sessionIds, (one, its) => one.spent(its, since)),
        sumSpent
      ),
    exportSession: asked((one) => one.exportSession),
    tags: (process) => all.flatMap((one) => one.tags(process)),
    command: (order) =>
      order.session._tag === "Resume"
        ? Effect.flatMap(ofSession(order.session.sessionId), (one) => one.command(order))
        : first.command(order)
  })
}

/** Returns the agent of a watch's newest launch. Its session tells it, else a person's choice, else the first agent. */
export const launchedAgent = (
  agent: OneAgent,
  { agent: program, sessionId }: Pick<Watch, "agent" | "sessionId">
): Effect.Effect<OneAgent> => {
  const chosen = chosenAgent(agent, program)
  return chosen.joined === undefined
    ? Effect.succeed(chosen)
    : Effect.map(chosen.joined.programOf(sessionId), (its) => chosenAgent(chosen, its))
}

/** Returns the program of the agent that has a session, by its name. Where none has, it is the agent of a launch. */
export const programOfSession = ({ joined, name }: OneAgent, sessionId: string): Effect.Effect<string> =>
  joined === undefined ? Effect.succeed(name) : joined.programOf(sessionId)

/** Returns the agent of that program, which a person chose. Where none is chosen, or none has it, it is as before. */
export const chosenAgent = (agent: OneAgent, program: string | undefined): OneAgent =>
  program === undefined ? agent : Option.getOrElse(agent.joined?.led(program) ?? Option.none(), () => agent)
