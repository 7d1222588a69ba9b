import { spawn } from "node:child_process"
import { border, holds } from "./Border.ts"

/** Makes a border that goes wrong in its own way. The fuzzer itself is tried on these. */
const wrong = (name: string, run: (input: number) => unknown, share = 1) =>
  border(name, {
    share,
    draw: (seed) => seed.between(0, 9),
    within: 100,
    checks: { "goes wrong": run, "goes well": () => undefined }
  })

const burn = (until: () => boolean) => {
  while (!until());
}

export const borders = [
  wrong("throws", () => {
    throw new TypeError("nobody caught it")
  }),
  wrong("strays", () => void Promise.reject(new Error("nobody awaits it")).finally(() => undefined)),
  wrong("breaks", (input) => holds(input > 9, "it is more than nine", String(input))),
  wrong("starts", () => void spawn("/bin/sh", ["-c", "true"]).on("error", () => undefined)),
  wrong("loops", () => burn(() => false), 2),
  wrong("is-slow", () => {
    const start = process.cpuUsage()
    const spent = () => process.cpuUsage(start)
    burn(() => spent().user + spent().system > 150_000)
  }),
  wrong("ends-it", () => process.exit(7)),
  wrong("waits", () => new Promise(() => undefined)),
  border("is-well", { draw: (seed) => seed.next(), checks: { "goes well": () => undefined } })
]
