import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Clock, Effect, Schedule } from "effect"
import { type AgentProcess, swept } from "../claude/AgentProcesses.ts"
import { rowsOf } from "../torture/LogFromOutside.ts"
import { agentLab, type RealAgent } from "./AgentLab.ts"
import type { Answer, Asked } from "./ModelTalk.ts"
import { type Fault, type Plan, sentence, type Session, type Strike, type Trouble } from "./NightFaults.ts"
import { lookAt, sessionsIn } from "./NightProcesses.ts"
import { answerOf, nextOf, recall, tool } from "./NightScript.ts"
import { realClaude } from "./RealClaude.ts"
import { realCodex } from "./RealCodex.ts"

/** They give up a failed call after three tries, in place of minutes. A subscriber's limit ends Claude Code at once. */
const agents: Readonly<Record<Plan["agent"], RealAgent>> = {
  claude: {
    ...realClaude,
    environment: (url) => {
      const { ANTHROPIC_API_KEY: _, ...rest } = realClaude.environment(url)
      return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-test", CLAUDE_CODE_MAX_RETRIES: "3" }
    }
  },
  codex: {
    ...realCodex,
    files: (url) =>
      Object.fromEntries(
        Object.entries(realCodex.files(url)).map(([file, text]) => [
          file,
          text.replace(/^wire_api.*$/mu, "$&\nrequest_max_retries = 3\nstream_max_retries = 3")
        ])
      )
  }
}

/** What a night waits for is over in seconds. */
const settings = {
  SOUFFLEUR_STALL_AFTER: "5 seconds",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "3 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "2 seconds",
  SOUFFLEUR_MONITOR_STALE_AFTER: "8 seconds",
  SOUFFLEUR_RESTART_PAUSE: "200 millis",
  SOUFFLEUR_COMPACT_TIMEOUT: "20 seconds"
}

/** A night that is not over then is stuck. */
const limit = "5 minutes"

const ends = ["ConductorCompleted", "RetriesExhausted", "ValidationExhausted", "WatchReleased", "WatchStopped"]

const quietly = (act: () => void): void => {
  try {
    act()
  } catch {
    // It has ended meanwhile.
  }
}

export interface Outcome {
  readonly sentence: string
  readonly seconds: number
  /** How many agents were launched, one after the other. */
  readonly launches: number
  readonly violations: ReadonlyArray<string>
  /** What souffleur's log has, and what it said: for a person who looks for the cause. */
  readonly told: string
}

/** Plays a night, and judges it by what happened in the world. `program`: the agent's, a link in `.bin`. */
export const night = Effect.fnUntraced(function* (plan: Plan, program: string) {
  const { faults, tasks } = plan
  const began = performance.now()
  const violations: Array<string> = []
  const struck = new Set<number>()
  const asked = new Set<number>()
  const left = new Map<Fault, number>()
  const refusedTo = new Map<Fault, string>()
  const mended = new Set<Fault>()
  const troubled = { person: false }

  const troubleAt = (task: number | undefined) =>
    faults.find((fault): fault is Fault & { readonly one: Trouble } => fault.task === task && "count" in fault.one)

  /** The model's answer where a fault has it fail; `undefined`: it answers as it should. */
  const failing = Effect.fnUntraced(function* (fault: Fault & { readonly one: Trouble }, said: string) {
    const { count, what } = fault.one
    const again = left.get(fault) ?? count
    const isFirst = !left.has(fault)
    left.set(fault, again - 1)
    if (isFirst) refusedTo.set(fault, said)
    switch (what) {
      case "errors":
        return again > 0 ? { fails: again % 2 === 0 ? 529 : 500 } : undefined
      case "torn answers":
        return again > 0 ? ({ torn: true } as const) : undefined
      case "outage":
        // It is over once the agent was brought back.
        return refusedTo.get(fault) === said ? { fails: 503 } : undefined
      case "full context":
        return refusedTo.get(fault) === said ? { full: true } : undefined
      case "usage limit":
        return isFirst ? { limitedUntil: Math.ceil((yield* Clock.currentTimeMillis) / 1000) + count } : undefined
      case "login":
        troubled.person = troubled.person || !mended.has(fault)
        return mended.has(fault) ? undefined : { fails: 401 }
      case "slow":
        if (isFirst) yield* Effect.sleep(`${2 * count} seconds`)
        return undefined
      case "server stops":
      case "log held":
        return undefined
    }
  })

  const part = (request: Asked): Effect.Effect<Answer> =>
    Effect.gen(function* () {
      const task = nextOf(request, tasks)
      const isFirst = task !== undefined && !asked.has(task)
      if (isFirst) asked.add(task)
      const fault = troubleAt(task)
      const answer = answerOf(request, tasks)
      const failed = fault === undefined ? undefined : yield* failing(fault, request.said)
      // A strike comes while the model thinks.
      if (isFirst && faults.some((one) => one.task === task && one.moment === "asked" && "signal" in one.one))
        yield* Effect.sleep("1 second")
      return failed === undefined ? answer : { ...answer, ...failed }
    })

  const lab = yield* agentLab(
    { ...agents[plan.agent], config: plan.gate ? "RECOVERY=export\nFORCE_COMPACT=1\n" : "" },
    program,
    part,
    [],
    settings
  )
  const { home, project } = lab
  const state = lab.options.env.SOUFFLEUR_STATE_DIR
  for (const [name, text] of Object.entries({ work: tool(plan.pace), recall }))
    fs.writeFileSync(join(project, name), text, { mode: 0o755 })
  const place = fs.realpathSync(dirname(dirname(dirname(program))))
  const look = () => lookAt(home, place)
  const diary = () => {
    const file = join(project, "diary")
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").filter(Boolean) : []
  }

  let most: ReadonlyArray<string | undefined> = []
  const seen = new Set<string | undefined>()
  yield* Effect.forkScoped(
    Effect.repeat(
      Effect.sync(() => {
        const now = look()
        for (const launch of now.launches) seen.add(launch)
        if (now.launches.length <= most.length) return
        // What ends between two reads is no second agent.
        const again = look().launches
        if (again.length > most.length) most = again
      }),
      Schedule.spaced("100 millis")
    )
  )

  const send = (signal: NodeJS.Signals, all: ReadonlyArray<AgentProcess>) => {
    for (const { pid } of all) {
      struck.add(pid)
      quietly(() => process.kill(pid, signal))
    }
  }
  const strike = Effect.fnUntraced(function* ({ signal, stopped, who }: Strike) {
    const now = look()
    const all = who === "both" ? [...now.guardian, ...now.souffleur] : now[who]
    if (signal === "SIGCONT") {
      send("SIGSTOP", all)
      yield* Effect.sleep(stopped)
    }
    send(signal, all)
  })
  /** Another program writes the log, and takes its time. */
  const held = Effect.acquireUseRelease(
    Effect.sync(() => new DatabaseSync(join(state, "souffleur.db"), { timeout: 5000 })),
    (db) =>
      Effect.andThen(
        Effect.sync(() => db.exec("BEGIN IMMEDIATE")),
        Effect.sleep("4 seconds")
      ),
    (db) => Effect.sync(() => db.close())
  )
  const spoil = ({ bytes, what }: Session) => {
    const [newest, ...older] = sessionsIn(home)
    send("SIGKILL", look().agent)
    if (newest === undefined) return
    if (what === "session torn") fs.truncateSync(newest, Math.max(0, fs.statSync(newest).size - bytes))
    else for (const file of [newest, ...older]) fs.rmSync(file)
  }
  const striking = Effect.fnUntraced(function* ({ after, moment, one, task, then }: Fault) {
    const here = Effect.sync(() =>
      moment === "asked" || "count" in one ? asked.has(task) : diary().some((line) => line.startsWith(`begin ${task} `))
    )
    yield* Effect.repeat(here, { until: (yes) => yes, schedule: Schedule.spaced("20 millis") })
    yield* Effect.sleep(after)
    if (one.what === "strike") yield* strike(one)
    else if ("bytes" in one) spoil(one)
    else if (one.what === "server stops") yield* lab.rests(`${2 * one.count} seconds`)
    else if (one.what === "log held") yield* held
    if (then === undefined) return
    yield* Effect.sleep(then.after)
    yield* strike(then.one)
  })

  const prompt = `Do the tasks 1 to ${tasks}, each once and in this order: ./work N does the task N.`
  const said: Array<Effect.Effect<string>> = []
  const codes: Array<number> = []
  const begin = Effect.gen(function* () {
    const souffleur = yield* lab.run(prompt)
    said.push(souffleur.said)
    // One that SIGKILL ended has no code.
    yield* Effect.forkScoped(Effect.ignoreCause(Effect.map(souffleur.exitCode, (code) => codes.push(code))))
  })
  yield* begin
  for (const fault of faults) yield* Effect.forkScoped(striking(fault))

  let [alone, retried] = [0, 0]
  /** One look at the run, and what a person would do about it; true once it is over. */
  const turn = Effect.gen(function* () {
    const rows = rowsOf(state)
    const { guardian, souffleur } = look()
    const both = [...souffleur, ...guardian]
    const tagOf = (...tags: ReadonlyArray<string>) => rows.findLast(({ tag }) => tags.includes(tag))
    const isAlone = both.every(({ stopped }) => stopped)
    // What was stopped in that moment stays until somebody ends it.
    if (tagOf(...ends) !== undefined && isAlone) return true
    alone = isAlone ? alone + 1 : 0
    // Only a service, or a person, brings both back.
    if (alone > 4) {
      if (struck.size === 0) violations.push("souffleur left its watch, and nobody had struck it")
      alone = 0
      send("SIGKILL", both)
      yield* begin
      return violations.length > 0
    }
    const standing = tagOf(
      "RecoveryWithheld",
      "RecoveryFailedClosed",
      "RecoveryStarted",
      "PersonAwaited",
      "ConductorAdopted"
    )
    const isAsking = standing !== undefined && !["RecoveryStarted", "ConductorAdopted"].includes(standing.tag)
    // An agent that was only stopped for a while comes back by itself.
    const isPatient =
      standing?.tag === "RecoveryFailedClosed" && standing.at + 10_000 > (yield* Clock.currentTimeMillis)
    if (isAsking && !isPatient && standing.revision > retried) {
      retried = standing.revision
      // Claude Code compacts no conversation of a single exchange.
      const isTooShort = plan.gate && standing.tag === "RecoveryFailedClosed"
      if (!troubled.person && !isTooShort)
        violations.push(`asks for a person, whom no fault needs: ${standing.tag} ${standing.data}`)
      else if (!(yield* lab.said("status", "--json")).includes('"needs you"'))
        violations.push("a person is needed, and status does not say so")
      for (const fault of faults) if ("count" in fault.one && fault.one.what === "login") mended.add(fault)
      troubled.person = false
      yield* lab.said("retry")
    }
    const wait = tagOf("WaitStarted", "WaitEnded")
    // A person who sees that the service is back does not wait a minute.
    const soon = (yield* Clock.currentTimeMillis) + 20_000
    if (wait?.tag === "WaitStarted" && (JSON.parse(wait.data) as { until: number }).until > soon) yield* lab.said("go")
    return violations.length > 0
  })
  const isOver = yield* Effect.repeat(turn, { until: (yes) => yes, schedule: Schedule.spaced("500 millis") }).pipe(
    Effect.timeoutOption(limit)
  )
  if (isOver._tag === "None") violations.push("it is stuck: not over within five minutes")

  const rows = rowsOf(state)
  const end = rows.findLast(({ tag }) => ends.includes(tag))
  if (violations.length === 0) {
    if (end?.tag !== "ConductorCompleted") violations.push(`it ended by ${end?.tag}`)
    for (const code of codes) if (code !== 0 && !(code === 143 && struck.size > 0)) violations.push(`exit code ${code}`)
    for (let task = 1; task <= tasks; task++) {
      const times = diary().filter((line) => line.startsWith(`end ${task} `)).length
      if (times !== 1) violations.push(`task ${task} was done ${times} times`)
    }
    const { agent } = look()
    if (agent.length > 0) violations.push(`${agent.length} agents live on`)
  }
  if (most.length > 1) violations.push(`${most.length} agents lived at once: ${most.join(" ")}`)
  const mayEnd = faults.some(
    ({ one, then }) =>
      [one, then?.one].some((each) => each !== undefined && "signal" in each && ["agent", "all"].includes(each.who)) ||
      !("signal" in one || ["slow", "log held"].includes(one.what))
  )
  if (!mayEnd && seen.size > 1) violations.push(`${seen.size} agents were launched, and no fault ends one`)
  // What is stopped does not end by itself.
  yield* swept(home)
  const spoken = yield* Effect.forEach(said, (one) => one)
  return {
    sentence: sentence(plan),
    launches: seen.size,
    seconds: Math.round((performance.now() - began) / 1000),
    violations,
    told: [
      ...rows.map(({ at, data, tag }) => `${new Date(at).toISOString().slice(11, 23)} ${tag} ${data.slice(0, 300)}`),
      ...diary(),
      ...spoken.map((text) => text.slice(-1500))
    ].join("\n")
  } satisfies Outcome
}, Effect.scoped)
