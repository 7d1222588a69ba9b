import { type Run, Souffleur } from "@souffleur/embed"
import { Console, Effect } from "effect"

/**
 * Conducts the plan of a book in its git repository, to the end of its run. `publisher`: answers a task that needs a
 * person, by its id and its problem.
 */
export const write = Effect.fn("write")(function* (
  project: string,
  publisher: (task: string, problem: string) => Effect.Effect<string>
) {
  const souffleur = yield* Souffleur
  /** Answers each task that waits for a person. The run goes on with each answer. */
  const answer = (run: Run) =>
    Effect.forEach(run.tasks, ({ escalation, id }) =>
      escalation === null
        ? Effect.void
        : publisher(id, escalation.message).pipe(
            Effect.flatMap((guidance) => souffleur.answer({ project }, { task: id, guidance })),
            Effect.orDie
          )
    )
  const run = yield* souffleur.conduct({
    project,
    plan: "plan.yaml",
    waiting: (_, run) => Effect.asVoid(answer(run))
  })
  yield* Effect.forkScoped(run.narrate(({ event }, progress) => Console.log(`${event._tag}${progress}`)))
  return yield* run.awaitEnd
}, Effect.scoped)
