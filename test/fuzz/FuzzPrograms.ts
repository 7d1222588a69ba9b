import { Effect, Layer, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"

/** Answers every start of a program with the next of these outputs, and with this exit code. No program runs. */
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
