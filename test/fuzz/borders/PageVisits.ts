import { utc } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import type { FleetEvent, SaidWord, SeenJob } from "@souffleur/fleet"
import { Processes } from "@souffleur/node"
import * as LoopbackServer from "@souffleur/node/loopback"
import { servePage } from "@souffleur/page"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fleetJobs } from "../../../packages/cli/src/fleet/FleetJobs.ts"
import { examples as ofWatches } from "../../../packages/domain/test/fixtures/events/Examples.ts"
import { isListed } from "../../../packages/hub/src/fold/FoldPass.ts"
import { hostNamed, jobNamed, type Known, log, makeFleet } from "../../../packages/page/test/FleetPageStage.ts"
import { examples as ofRuns } from "../../../packages/plan/test/fixtures/events/RunExamples.ts"
import { Seed } from "../../simulation/Seed.ts"
import { border, holds, type Place } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { mangled, run, word } from "../Hostile.ts"
import { type Row, streamOf, writeLog } from "../LogFile.ts"
import { isOwnMarkup } from "../Markup.ts"
import { headerOf, type RawAnswer, sendRaw } from "../RawRequest.ts"
import { host, ran } from "../Settle.ts"

const [watches, runs] = [Object.values(ofWatches), Object.values(ofRuns)]
const opera = "opera-0001"

/** Time for a whole page, ms. */
const whole = 20_000

interface Drawn {
  readonly rows: ReadonlyArray<Row>
  /** Begins the drawing of the visits: these name secrets that each server makes anew. */
  readonly visits: number
}

/** A page with the secrets of a browser that it has let in. */
interface Door {
  readonly port: number
  readonly path: string
  readonly cookie: string
  readonly secret: string
  /** Begins the address of a job below the path. */
  readonly under: string
}

const address = (text: string) => encodeURIComponent(text.toWellFormed())

/** Draws where a visit leads, after the secret path. */
const placeOf = (seed: Seed, ids: ReadonlyArray<string>, { under }: Door): string => {
  const id = address(seed.chance(0.9) ? seed.pick(ids) : word(seed))
  const n = () => (seed.chance(0.6) ? String(seed.between(1, 20)) : address(seed.chance(0.5) ? word(seed) : run(seed)))
  const of = seed.chance(0.95) ? under : `/${address(word(seed))}`
  return seed.pick([
    "/",
    `/?q=${n()}&page=${n()}`,
    `/live?q=${n()}`,
    `/?sort=${n()}&state=${n()}&agent=${n()}&folder=${n()}`,
    `${of}/watches/${id}/conversation?session=${n()}&before=${n()}`,
    `${of}/watches/${id}/conversation/live?from=${n()}-${n()}`,
    `${of}/watches/${id}/changes`,
    "/metrics",
    `/report?since=${n()}h`,
    `${of}/watches/${id}`,
    `${of}/watches/${id}?at=${n()}&before=${n()}&events=${seed.pick(["all", n()])}`,
    `${of}/watches/${id}/then?at=${n()}&around=${n()}`,
    `${of}/watches/${id}/live?after=${n()}&at=${n()}`,
    `${of}/watches/${id}/export`,
    `${of}/runs/${id}`,
    `${of}/runs/${id}/live?after=${n()}`,
    `/${address(word(seed))}`,
    `/${word(seed)}`
  ])
}

const acts = ["retry", "stop", "release", "done", "hold", "go", "adopt", "answer"]

/** Draws a visit of a browser, and says whether it is let in and whether its form is the page's own. */
const visit = (seed: Seed, ids: ReadonlyArray<string>, door: Door) => {
  const { cookie, path, port, secret, under } = door
  const posts = seed.chance(0.3)
  const fields = {
    secret: seed.chance(0.7) ? secret : seed.pick(["", word(seed), secret.slice(1)]),
    seen: seed.chance(0.7) ? "1" : word(seed),
    task: word(seed),
    answer: seed.pick(["guidance", "retry", word(seed)]),
    text: seed.chance(0.9) ? word(seed) : run(seed)
  }
  const form = new URLSearchParams(fields).toString()
  const body = Buffer.from(posts ? (seed.chance(0.9) ? form : mangled(seed, form)) : "", "utf8")
  const truths = {
    host: `127.0.0.1:${port}`,
    cookie,
    ...(posts
      ? {
          origin: `http://127.0.0.1:${port}`,
          "content-type": "application/x-www-form-urlencoded",
          "content-length": String(body.length)
        }
      : {})
  }
  const headers = Object.entries(truths).map(([name, truth]) => ({ name, truth, value: headerOf(seed, truth) }))
  const isTrue = (...names: ReadonlyArray<string>) =>
    headers.every(({ name, truth, value }) => !names.includes(name) || value === truth)
  const id = address(seed.pick(ids))
  const to = posts ? `${under}/${seed.pick(["watches", "runs"])}/${id}/${seed.pick(acts)}` : placeOf(seed, ids, door)
  const [below, beyond] = [`${path}${to}`, seed.chance(0.5) ? to : `/${"0".repeat(20)}${to}`]
  const target = (seed.chance(0.9) ? below : beyond).replaceAll(/[\r\n ]/gu, "")
  return {
    letIn: isTrue("host", "cookie"),
    speaks: posts && isTrue("origin") && fields.secret === secret,
    sent: {
      method: seed.chance(0.97) ? (posts ? "POST" : "GET") : seed.pick(["HEAD", "PUT", "OPTIONS", "GET", "POST"]),
      target,
      headers: headers.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
      body
    }
  }
}

const statuses = new Set([0, 200, 204, 303, 400, 401, 403, 404, 405, 408, 409, 413, 421, 431, 500, 501, 503])

/** Checks an answer of a page. `letIn`: to a browser that it knows. */
const answersWell = ({ body, head, status }: RawAnswer, letIn: boolean, sent: unknown): void => {
  const hardened =
    /^content-security-policy: default-src 'none';/imu.test(head) && /^x-frame-options: DENY/imu.test(head)
  holds(statuses.has(status), `it answers with ${status}`, sent)
  holds(status !== 500 || body === "" || body.includes("<h1>It failed</h1>"), "it fails in other words", sent)
  holds(status !== 500 || hardened, "it fails as no page does", sent)
  holds(!/\n\s+at \S+ \(|node_modules/u.test(body), "an answer holds a stack", body)
  holds(letIn || !body.includes(opera), "a browser that is not let in sees a job", body)
  holds(hardened || body === "", "an answer without the headers of the page", head)
  if (/^content-type: text\/html/imu.test(head)) isOwnMarkup(body)
  if (/^content-type: text\/event-stream/imu.test(head))
    isOwnMarkup(
      body
        .split("\n")
        .filter((line) => line.startsWith("data: <"))
        .map((line) => line.slice("data: ".length))
        .join("\n")
    )
}

/** Visits the page in some ways, and returns whether one visit was a person's own form. */
const visited = Effect.fnUntraced(function* (drawn: Drawn, ids: ReadonlyArray<string>, door: Door) {
  const seed = new Seed(drawn.visits)
  let spoke = false
  for (let left = 8; left > 0; left--) {
    const { letIn, sent, speaks } = visit(seed, ids, door)
    const answer = yield* Effect.promise(() => sendRaw(door.port, sent))
    answersWell(answer, letIn, { ...sent, body: sent.body.toString("utf8") })
    spoke ||= letIn && speaks
  }
  return spoke
})

/** Goes in as a browser does, and looks for the secret of a form. */
const entered = Effect.fnUntraced(function* (
  port: number,
  first: Parameters<typeof sendRaw>[1],
  under: string,
  ids: ReadonlyArray<string>
) {
  const { head } = yield* Effect.promise(() => sendRaw(port, first, whole))
  const [, path = ""] = /^location: (\S*)\/$/imu.exec(head) ?? []
  const [, cookie = ""] = /^set-cookie: ([^;]*)/imu.exec(head) ?? []
  let secret = ""
  for (const id of ids) {
    for (const kind of ["watches", "runs"]) {
      const headers = [["host", `127.0.0.1:${port}`] as const, ["cookie", cookie] as const]
      const target = `${path}${under}/${kind}/${address(id)}`
      const sent = { method: "GET", target, headers, body: new Uint8Array() }
      const answer = yield* Effect.promise(() => sendRaw(port, sent, whole))
      answersWell(answer, true, target)
      secret = /name="secret" value="([0-9a-f]+)"/u.exec(answer.body)?.[1] ?? secret
    }
  }
  return { port, path, cookie, secret: secret || "0".repeat(64), under } satisfies Door
})

const countOf = (state: string): number => {
  const db = new DatabaseSync(join(state, "souffleur.db"), { readOnly: true })
  const row = db.prepare("SELECT count(*) AS count FROM events").get()
  db.close()
  return Number(row?.["count"])
}

const idsOf = (rows: ReadonlyArray<Row>) => [...new Set(rows.map(({ stream }) => stream.replace(/^run\//u, "")))]

/** Visits the page of a host on a log that strangers wrote. */
const ofHost = (drawn: Drawn, { folder }: Place) =>
  Effect.gen(function* () {
    const { state } = homeIn(folder)
    writeLog(state, drawn.rows)
    const souffleur = Souffleur.layerNode({
      stateDir: state,
      environment: { HOME: folder, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: folder }
    })
    const context = yield* Layer.build(Layer.mergeAll(souffleur, LoopbackServer.layer({ port: 0, patience: 2000 })))
    const link = yield* Effect.provideContext(servePage({ stateDir: state, acts: true, zone: utc }), context)
    const { pathname, port, search } = new URL(link)
    const headers = [["host", `127.0.0.1:${port}`] as const]
    const first = { method: "GET", target: `${pathname}${search}`, headers, body: new Uint8Array() }
    const ids = idsOf(drawn.rows)
    const door = yield* entered(Number(port), first, "", ids)
    const before = countOf(state)
    const spoke = yield* visited(drawn, ids, door)
    holds(spoke || countOf(state) === before, "something is said that no form of the page said")
  })

/** Visits the page of a fleet whose hosts ship what strangers wrote. */
const ofFleet = (drawn: Drawn) =>
  Effect.gen(function* () {
    const rows = drawn.rows.filter(({ stream }) => isListed({ stream }))
    const streams = Map.groupBy(
      rows.map(({ at, data, revision, stream, tag, version }, n): FleetEvent => [
        n + 1,
        stream,
        revision,
        tag,
        version,
        at,
        data
      ]),
      ([, stream]) => stream
    )
    const jobs = [...streams].map(([stream, events]): SeenJob => ({
      ...jobNamed(stream),
      ...fleetJobs.fold(stream, undefined, events).job
    }))
    const said: Array<SaidWord & { readonly by: string }> = []
    const known: Known = {
      jobs,
      hosts: [hostNamed("build1")],
      revoked: false,
      events: Object.fromEntries(streams),
      said
    }
    const stage = yield* makeFleet(known)
    const { cookie, list } = yield* stage.entered
    const { port, pathname } = new URL(list)
    const ids = idsOf(rows)
    if (ids.length === 0) return
    const path = pathname.slice(0, -1)
    const headers = [["host", `127.0.0.1:${port}`] as const, ["cookie", cookie] as const]
    const get = (target: string) =>
      Effect.promise(() => sendRaw(Number(port), { method: "GET", target, headers, body: new Uint8Array() }, whole))
    let secret = "0".repeat(64)
    const { body } = yield* get(`${path}/`)
    for (const [, link = ""] of body.matchAll(/href="([^"]*\/(?:watches|runs)\/[^"]*)"/gu)) {
      const page = yield* get(new URL(link.replaceAll("&#39;", "'").replaceAll("&amp;", "&"), list).pathname)
      answersWell(page, true, link)
      // Its events may be unreadable from the first on. It is listed then, and the page says so.
      holds([200, 404].includes(page.status), "a job of the list has no page", link)
      secret = /name="secret" value="([0-9a-f]+)"/u.exec(page.body)?.[1] ?? secret
    }
    const spoke = yield* visited(drawn, ids, { port: Number(port), path, cookie, secret, under: `/${log}` })
    holds(spoke || said.length === 0, "a word is said that no form of the page said", said)
  })

/** Checks the page of a host, and that of a fleet, under hostile visits and over hostile logs. */
export const pages = border("pages", {
  share: 2,
  within: 5000,
  draw: (seed): Drawn => ({
    rows: [
      ...streamOf(seed, opera, ofWatches.WatchOpened, watches, 14),
      ...(seed.chance(0.5) ? streamOf(seed, word(seed), ofWatches.WatchOpened, watches, 6) : []),
      ...(seed.chance(0.5) ? streamOf(seed, `run/${opera}`, ofRuns.RunOpened, runs, 14) : [])
    ],
    visits: seed.between(0, 0xffff_ffff)
  }),
  checks: {
    "of a host": (drawn, place) =>
      ran(Effect.scoped(ofHost(drawn, place)).pipe(Effect.provide([host, Processes.layer]))),
    "of a fleet": (drawn) => ran(Effect.scoped(ofFleet(drawn)))
  }
})
