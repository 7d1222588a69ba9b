import type { Played } from "../Played.ts"
import { Seed } from "../Seed.ts"
import { type Deed, deedOf, plainDeed } from "./Deed.ts"
import { hostileRunAgent } from "./HostileRunAgent.ts"
import { Person, RunKeeper } from "./RunKeeper.ts"
import { converged } from "./RunVerdict.ts"
import { runWeather } from "./RunWeather.ts"
import { RunWorld } from "./RunWorld.ts"
import { planOf } from "./SimPlan.ts"
import { minute } from "../Timeline.ts"

/** Turns words into a number. Other words give another number (FNV-1a, public domain). */
const hash = (words: string, from: number): number => {
  let mixed = 0x811c9dc5 ^ from
  for (const character of words) mixed = Math.imul(mixed ^ character.codePointAt(0)!, 0x01000193)
  return mixed >>> 0
}

/**
 * Makes one world in which a plan is conducted until it is done. The question alone decides each act of agents and of
 * the person.
 */
const conducted = (number: number, quiet: boolean, struck: boolean, story: boolean) => {
  const choices = new Seed(number)
  const { agents, keepsGoing, parallel, ...drawn } = planOf(choices, "t", quiet ? 4 : 5)
  // What lands first depends on when a person answers and on who is faster, and who is asked on when a refusal ends. A
  // twin may differ in that.
  const first = {
    ...drawn,
    ...(quiet || keepsGoing === undefined ? {} : { keepsGoing }),
    ...(quiet || agents === undefined ? {} : { agents }),
    ...(quiet || parallel === undefined ? {} : { parallel })
  }
  const plans = !quiet && choices.chance(0.2) ? [first, planOf(choices, "u", 2)] : [first]
  const world = new RunWorld(number, number % 3 !== 0, plans)
  world.silent = !story
  world.chooses = choices.chance(0.3)
  if (choices.chance(0.9)) world.repository.commit(["README"])
  const [moods, weather, late] = [choices.fork(), choices.fork(), choices.fork()]
  world.deeds = (role, position): Deed => {
    const deed = world.calm ? plainDeed(role) : deedOf(new Seed(hash(position, number)), role)
    // The rest of the work then depends on the number of commits of a lost agent. A twin may differ in that.
    return quiet && deed.kind === "takes a commit away" ? { ...deed, kind: "completes" } : deed
  }
  world.gates = (position) => !world.calm && new Seed(hash(`gate ${position}`, number)).chance(0.3)
  const person = new Person(world, late, (position) =>
    new Seed(hash(position, number + 1)).pick(["guidance", "guidance", "retry", "skip"])
  )
  person.meddles = !quiet && choices.chance(0.5)
  person.care()
  if (!quiet) runWeather(world, weather)
  // The fence belongs to one run. Two plans have no fence between them.
  world.zombies = !quiet && plans.length === 1 && choices.chance(0.2)
  if (!quiet && choices.chance(0.2)) world.plans[0]!.begin(choices)
  const keeper = new RunKeeper(world, moods)
  if (!struck) keeper.spare()
  const done = () => world.plans.every(({ isDone }) => isDone)
  keeper.keep(done)
  const against = new Seed(hash("a hostile agent", number))
  if (!quiet && plans.length === 1 && against.chance(0.3)) hostileRunAgent(world, keeper, against)
  return { world, keeper, person, done, choices }
}

/**
 * Plays one world, fixed by its seed. Everything goes wrong for a while, then nothing more. At every act it looks for
 * states that must never be. In a third of the worlds, only agents and strikes at conductors make trouble. Such a run
 * ends as its twin without strikes.
 */
export const simulateRun = (number: number, options: { readonly story?: boolean } = {}): Played => {
  const quiet = number % 3 === 1
  const { choices, done, keeper, person, world } = conducted(number, quiet, true, options.story !== false)
  const { faults, timeline } = world
  const storm = (quiet ? 14 * 24 * 60 : 90) * minute
  world.run(storm, done)
  for (let more = quiet ? 0 : 2; timeline.monotonic < storm && more > 0; more--) {
    choices.pick(world.plans).grow(choices)
    world.run(storm, done)
  }
  world.calmDown()
  keeper.wake()
  if (!quiet) world.run(timeline.monotonic + 12 * 60 * minute, done)
  world.run(timeline.monotonic + minute, () => !keeper.isRunning)
  // A conductor that was struck in its last words is followed by another. The successor tells the rest. It may find that
  // the plan of a finished run was edited: a person answers for that, and only a second successor tells of the answer.
  for (const plan of [...world.plans, ...world.plans]) {
    keeper.start(plan)
    world.run(timeline.monotonic + minute, () => !keeper.isRunning)
    world.run(timeline.monotonic + 12 * 60 * minute, done)
    world.run(timeline.monotonic + minute, () => !keeper.isRunning)
  }
  converged(world, keeper, person)
  if (quiet) {
    const twin = conducted(number, true, false, false)
    twin.world.run(storm, twin.done)
    // What came to nothing while its conductor was gone counts as no failure, so the ladder goes on from another rung.
    const lost = new Set(
      world.ledger.events.map(({ event }) =>
        "reason" in event && event.reason === "lost" && "taskId" in event ? event.taskId : undefined
      )
    )
    // One that hangs is seen to hang, or its time goes by while no conductor looks: the one counts as a failure.
    for (const { deed, taskId } of [...world.agents, ...twin.world.agents])
      if (deed.kind === "hangs" && taskId !== null) lost.add(taskId)
    const outcome = ({ ledger }: RunWorld) =>
      JSON.stringify(
        ledger.run.tasks
          .filter(({ id }) => !lost.has(id))
          .map(({ feedback, guidance, id, skipped, status }) => [id, status, skipped, feedback.length, guidance.length])
      )
    if (outcome(world) !== outcome(twin.world))
      world.violated(`the twin that nobody struck came to ${outcome(twin.world)}, and this to ${outcome(world)}`)
  }
  const { finishing, phase } = world.ledger.run
  return {
    seed: number,
    violations: world.violations,
    story: world.story,
    cycles: faults.cycles,
    faulted: faults.faulted,
    table: faults.table,
    end: phase === "finished" ? `finished, ${finishing}` : phase
  }
}
