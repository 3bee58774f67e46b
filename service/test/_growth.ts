import assert from 'node:assert/strict'

/** How much more input the second measurement has, and how much more it may cost. */
const TIMES = 8
const MOST_GROWTH = 32

const ROUNDS = 3
/** What took as long needs no second round. */
const LONG_MICROSECONDS = 150_000
const ATTEMPTS = 6
/** A shorter stretch is repeated until it is as long: some kernels count processor time in ticks of 4 ms. */
const MEASURABLE_MICROSECONDS = 8_000

/** Inputs of a grammar that grow with a number, by what is hostile about them. */
export type HostileInputs<Input> = Readonly<Record<string, (size: number) => Input>>

/**
 * Asserts that eight times the input costs at most 32 times the processor time of this thread.
 *
 * Quadratic work costs 64 times as much. The least of several rounds counts, and only what is too
 * much six times over fails: other threads and processes do not.
 */
export function assertLinear<Input>(
  inputs: HostileInputs<Input>,
  work: (input: Input) => unknown,
  options: Size = {},
): void {
  for (const input of inputsToWorkOn(inputs, options)) attempt(() => work(input))
}

/** The same of work that gives others their turn. */
export async function assertLinearInSlices<Input>(
  inputs: HostileInputs<Input>,
  work: (input: Input) => Promise<unknown>,
  options: Size = {},
): Promise<void> {
  for (const input of inputsToWorkOn(inputs, options)) {
    const [outcome] = await Promise.allSettled([work(input)])
    attempt(() => {
      if (outcome.status === 'rejected') throw outcome.reason
    })
  }
}

type Size = { size?: number }

/** Measures what the work on each input costs that it gives out. */
function* inputsToWorkOn<Input>(
  inputs: HostileInputs<Input>,
  { size = 4_000 }: Size,
): Generator<Input, void> {
  for (const [name, inputOf] of Object.entries(inputs)) {
    const [small, large] = [inputOf(size), inputOf(TIMES * size)]
    let growth = Infinity
    for (let attempt = 0; attempt < ATTEMPTS && growth > MOST_GROWTH; attempt++)
      growth = Math.min(growth, (yield* costOf(large)) / (yield* costOf(small)))
    assert.ok(
      growth <= MOST_GROWTH,
      `${name}: ${TIMES} times the input of size ${size} costs ${growth.toFixed(0)} times as much`,
    )
  }
}

/** Microseconds of one run, the least of some rounds. */
function* costOf<Input>(input: Input): Generator<Input, number> {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    let runs = 0
    let spent = 0
    const start = process.threadCpuUsage()
    do {
      yield input
      runs++
      const { user, system } = process.threadCpuUsage(start)
      spent = user + system
    } while (spent < MEASURABLE_MICROSECONDS)
    least = Math.min(least, spent / runs)
    if (spent > LONG_MICROSECONDS) break
  }
  return least
}

/** An error is a response too. */
function attempt(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof assert.AssertionError) throw error
  }
}
