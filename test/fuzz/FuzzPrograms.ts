import { Effect, Layer, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"

/** Every program that is started prints the next of these, and ends with this code; none runs. */
export const printing = (outputs: ReadonlyArray<Uint8Array>, code: number) => {
  let next = 0
  return Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() =>
      Effect.sync(() => {
        const stdout = Stream.make(outputs[next++ % Math.max(1, outputs.length)] ?? new Uint8Array())
        return ChildProcessSpawner.makeHandle({
          pid: ChildProcessSpawner.ProcessId(4242),
          exitCode: Effect.succeed(ChildProcessSpawner.ExitCode(code)),
          isRunning: Effect.succeed(false),
          kill: () => Effect.void,
          stdin: Sink.drain,
          stdout,
          stderr: Stream.empty,
          all: stdout,
          getInputFd: () => Sink.drain,
          getOutputFd: () => Stream.empty,
          unref: Effect.succeed(Effect.void)
        })
      })
    )
  )
}
