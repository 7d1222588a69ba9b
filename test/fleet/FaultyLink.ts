import * as net from "node:net"
import { Effect } from "effect"

/**
 * The way in which a link fails its bytes. `slow`: each piece comes late. `cut`: a connection ends in the middle of an
 * answer. `deaf`: requests arrive, and answers are lost without an end. `dead`: nothing arrives, and nothing ends.
 */
export type Fault = "none" | "slow" | "cut" | "deaf" | "dead"

/** A link to a port of this machine, with the fault that is set last. A fault holds for open connections too. */
export const faultyLink = (to: number) =>
  Effect.gen(function* () {
    const link = { fault: "none" as Fault, hits: 0 }
    const sockets = new Set<net.Socket>()
    const late = (act: () => void) => Effect.runFork(Effect.delay(Effect.sync(act), "50 millis"))
    const carry = (from: net.Socket, other: net.Socket, isAnswer: boolean) => {
      from.on("data", (piece: Buffer) => {
        if (link.fault !== "none") link.hits++
        if (link.fault === "dead" || (link.fault === "deaf" && isAnswer)) return
        if (link.fault === "slow") {
          from.pause()
          late(() => (other.write(piece), from.resume()))
        } else if (link.fault === "cut" && isAnswer) {
          other.write(piece.subarray(0, piece.length / 2), () => (from.destroy(), other.resetAndDestroy()))
        } else other.write(piece)
      })
      from.on("close", () => {
        sockets.delete(from)
        if (link.fault !== "dead" && link.fault !== "deaf") other.destroy()
      })
      from.on("error", () => {})
      sockets.add(from)
    }
    const server = yield* Effect.acquireRelease(
      Effect.callback<net.Server>((resume) => {
        const one = net.createServer((host) => {
          const hub = net.connect(to, "127.0.0.1")
          carry(host, hub, false)
          carry(hub, host, true)
        })
        one.listen(0, "127.0.0.1", () => resume(Effect.succeed(one)))
      }),
      (one) =>
        Effect.sync(() => {
          one.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    const { port } = server.address() as net.AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      hits: Effect.sync(() => link.hits),
      set: (fault: Fault) => Effect.sync(() => void Object.assign(link, { fault, hits: 0 }))
    }
  })
