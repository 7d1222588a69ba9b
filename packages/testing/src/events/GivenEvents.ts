import type { Decision } from "@souffleur/eventlog"
import { Equal, Formatter, Result } from "effect"

/** A decider as a test sees it: what it decides on a state, and how events change that state. */
export interface TestedDecider<State, Event, Command> {
  readonly decide: (state: State, command: Command) => Decision<Event>
  readonly evolve: (state: State, event: Event) => State
  readonly initial: State
}

/** Something else was decided than a test expects. A test runner shows both sides. */
class DecidedOtherwise extends Error {
  override readonly name = "DecidedOtherwise"
  readonly showDiff = true
  readonly expected: unknown
  readonly actual: unknown
  constructor(expected: unknown, actual: unknown) {
    super(`expected ${Formatter.format(expected)}, and it decided ${Formatter.format(actual)}`)
    this.expected = expected
    this.actual = actual
  }
}

/**
 * Tests a decider by its events alone: given these, when that is asked, then those come, or a refusal. Anything else is
 * thrown.
 *
 * @example
 * ```ts
 * import { decide, Event, evolve, initial } from "@souffleur/domain"
 * import { givenBy } from "@souffleur/testing"
 *
 * const given = givenBy({ decide, evolve, initial })
 * const by = { _tag: "Operator" } as const
 * const named = { project: "/p", comms: null, pid: 4711, sessionId: "s1" }
 * const opened = Event.WatchOpened.make({ at: 0, observe: false, ...named })
 *
 * given().when({ _tag: "Release", now: 1, by }).thenRefused("no such watch")
 * given(opened).when({ _tag: "Release", now: 1, by }).thenTags("WatchReleased")
 * ```
 */
export const givenBy =
  <State, Event extends { readonly _tag: string }, Command>({
    decide,
    evolve,
    initial
  }: TestedDecider<State, Event, Command>) =>
  (...events: ReadonlyArray<Event>) => {
    const state = events.reduce(evolve, initial)
    const same = (expected: unknown, actual: unknown) => {
      if (!Equal.equals(expected, actual)) throw new DecidedOtherwise(expected, actual)
    }
    return {
      /** The state after these events. */
      state,
      when: (command: Command) => {
        const decided = decide(state, command)
        const granted = () => {
          if (Result.isFailure(decided)) throw new DecidedOtherwise("events", decided.failure)
          return decided.success
        }
        return {
          /** The decision itself. */
          decided,
          /** Exactly these events come, in this order. */
          then: (...expected: ReadonlyArray<Event>): void => same(expected, granted()),
          /** Events with these tags come. Returns them. */
          thenTags: (...expected: ReadonlyArray<Event["_tag"]>): ReadonlyArray<Event> => {
            const came = granted()
            same(
              expected,
              came.map(({ _tag }) => _tag)
            )
            return came
          },
          /** It is refused for that reason. Returns the sentence. */
          thenRefused: (reason: string): string => {
            if (Result.isSuccess(decided)) throw new DecidedOtherwise(reason, decided.success)
            same(reason, decided.failure.reason)
            return decided.failure.message
          }
        }
      }
    }
  }
