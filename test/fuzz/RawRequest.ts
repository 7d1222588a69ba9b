import { connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type { Seed } from "../simulation/Seed.ts"
import { number, run, word } from "./Hostile.ts"

/** A request as it goes over the wire. No client of a library would send each of them. */
export interface RawRequest {
  readonly method: string
  /** The target in the first line, as it is. */
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array
}

export interface RawAnswer {
  /** 0: there was no answer. */
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Time without an answer, or without more of a feed, ms. */
const patience = 120
/** So often more of a feed is waited for. */
const looks = 3

const decoded = (parts: ReadonlyArray<Buffer>): RawAnswer => {
  const bytes = Buffer.concat(parts)
  const end = bytes.indexOf("\r\n\r\n")
  const head = bytes.subarray(0, end === -1 ? bytes.length : end).toString("latin1")
  let [rest, body] = [end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 4), Buffer.alloc(0)]
  if (/^transfer-encoding: chunked$/imu.test(head))
    while (rest.length > 0) {
      const line = rest.indexOf("\r\n")
      const length = Number.parseInt(rest.subarray(0, line).toString("latin1"), 16)
      if (line === -1 || !(length > 0)) break
      body = Buffer.concat([body, rest.subarray(line + 2, line + 2 + length)])
      rest = rest.subarray(line + 4 + length)
    }
  else body = rest
  return { status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(head)?.[1] ?? 0), head, body: body.toString("utf8") }
}

/**
 * Sends a request to a server of this machine, and returns its answer. A feed is read as far as it comes within `waits`
 * ms, and so is the answer to half a request.
 */
export const sendRaw = async (
  port: number,
  { body, headers, method, target }: RawRequest,
  waits = patience
): Promise<RawAnswer> => {
  const parts: Array<Buffer> = []
  const socket = connect(port, "127.0.0.1")
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()))
  let news = 0
  socket.on("data", (part: Buffer) => void (parts.push(part), (news += 1)))
  // A server that closes early is an answer.
  socket.on("error", () => undefined)
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}connection: close\r\n\r\n`, "utf8"))
  socket.write(body)
  for (let [left, seen] = [looks, -1]; left > 0 && seen !== news; left--) {
    seen = news
    if (await Promise.race([closed.then(() => true), pause(waits, false)])) break
  }
  socket.destroy()
  await closed
  return decoded(parts)
}

/** Draws the value of a header. Most times it is the true one. */
export const headerOf = (seed: Seed, truth: string): string | undefined =>
  seed.chance(0.8)
    ? truth
    : seed.pick<() => string | undefined>([
        () => undefined,
        () => word(seed).replaceAll(/[\r\n]/gu, ""),
        () => truth.toUpperCase(),
        () => `${truth}, ${truth}`,
        () => truth.slice(1),
        () => run(seed).replaceAll(/[\r\n]/gu, ""),
        () => String(number(seed))
      ])()
