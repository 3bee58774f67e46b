import fc from 'fast-check'
import type { RecordKind } from '../../src/storage/storage.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
/** Two days before clocks are put forward in New York. */
const START = Date.UTC(2026, 2, 6)

/** Some instants, one a step; in days that have none before and behind them. */
export type Run = { first: number; count: number; step: number }

/** An instant that is found when a step is played: beside a record, the edge of a day, or any. */
export type Edge =
  | { of: 'record'; at: number; by: number }
  | { of: 'checksum'; at: number; by: number }
  | { of: 'day'; at: number; by: number }
  | { of: 'any'; at: number }
  | { of: 'ever' }

/** Which of two storages on the same data does it, and to which source. */
type Place = { by: 0 | 1; kind: RecordKind; source: 0 | 1 | 2 }

export type Write = Place & {
  do: 'write'
  runs: Run[]
  order: 'ascending' | 'descending' | 'mixed'
  /** Records of one write; several are under way at once, or one after the other. */
  batch: number
  isParallel: boolean
  value: number
  isUndoable: boolean
}
export type Remove = Place & {
  do: 'remove'
  from: Edge
  to: Edge
  /** Every n-th of the records between the edges. */
  each: number
  isUndoable: boolean
}
export type Seal = Place & { do: 'seal' | 'unseal'; from: Edge; to: Edge; isWhole: boolean }
export type Expire = Place & { do: 'expire'; before: Edge; limit: number; isDay: boolean }
export type Read = Place & { do: 'read'; from: Edge; to: Edge }
export type Change = Write | Remove | Seal | Expire
export type Step =
  | Change
  | Read
  | (Place & { do: 'undo'; limit: number })
  | (Place & { do: 'removeSource' | 'reopen' | 'inspect' })
  | (Place & { do: 'beside'; change: Change })

const place = {
  by: fc.constantFrom(0 as const, 1 as const),
  // Mostly the same one, so that the steps of a history meet.
  kind: fc.constantFrom<RecordKind>('theme', 'theme', 'theme', 'raw'),
  source: fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const, 2 as const),
}

const run = fc
  .record({
    day: fc.integer({ min: 0, max: 9 }),
    clock: fc.oneof(
      fc.constantFrom(0, SECOND, DAY / 2, DAY - SECOND, DAY - 250),
      fc.nat(86_399).map((second) => second * SECOND),
    ),
    count: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
      { weight: 4, arbitrary: fc.integer({ min: 62, max: 66 }) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 200 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1_990, max: 2_060 }) },
    ),
    step: fc.constantFrom(250, SECOND, 61 * SECOND, HOUR / 4, 7 * HOUR, DAY, 3 * DAY),
  })
  .map(({ day, clock, count, step }): Run => {
    const most = step > HOUR ? 150 : count
    return { first: START + day * DAY + clock, count: Math.min(count, most), step }
  })

const by = fc.constantFrom(-1, 0, 1)
export const edge: fc.Arbitrary<Edge> = fc.oneof(
  fc.record({ of: fc.constant('record' as const), at: fc.nat(), by }),
  fc.record({ of: fc.constant('checksum' as const), at: fc.nat(), by }),
  fc.record({
    of: fc.constant('day' as const),
    at: fc.integer({ min: -1, max: 12 }).map((day) => START + day * DAY),
    by,
  }),
  fc.record({
    of: fc.constant('any' as const),
    at: fc.nat(12 * 86_400).map((second) => START + second * SECOND),
  }),
  fc.constant({ of: 'ever' as const }),
)

const write = fc.record<Write>({
  ...place,
  do: fc.constant('write'),
  runs: fc.array(run, { minLength: 1, maxLength: 3 }),
  order: fc.constantFrom('ascending', 'ascending', 'descending', 'mixed'),
  batch: fc.constantFrom(1, 7, 64, 65, 5_000),
  isParallel: fc.boolean(),
  value: fc.constantFrom(1, 2, 3, 40, 500, 6_000_000),
  isUndoable: fc.boolean(),
})
const remove = fc.record<Remove>({
  ...place,
  do: fc.constant('remove'),
  from: edge,
  to: edge,
  each: fc.constantFrom(1, 1, 2, 64),
  isUndoable: fc.boolean(),
})
const seal = fc.record<Seal>({
  ...place,
  do: fc.constantFrom('seal', 'seal', 'seal', 'unseal'),
  isWhole: fc.boolean(),
  from: edge,
  to: edge,
})
const expire = fc.record<Expire>({
  ...place,
  do: fc.constant('expire'),
  before: edge,
  limit: fc.constantFrom(1, 50, 64, 10_000),
  isDay: fc.boolean(),
})
const read = fc.record<Read>({ ...place, do: fc.constant('read'), from: edge, to: edge })
const change = fc.oneof(
  { weight: 4, arbitrary: write },
  { weight: 2, arbitrary: remove },
  { weight: 3, arbitrary: seal },
  { weight: 1, arbitrary: expire },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: change },
  { weight: 10, arbitrary: read },
  {
    weight: 1,
    arbitrary: fc.record({
      ...place,
      do: fc.constant('undo' as const),
      limit: fc.constantFrom(30, 64, 5_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ ...place, do: fc.constant('beside' as const), change }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...place,
      do: fc.constantFrom('removeSource' as const, 'reopen' as const, 'inspect' as const),
    }),
  },
)

/** Changes of one source, by one storage. */
export const recordChanges: fc.Arbitrary<Change[]> = fc
  .array(change, { minLength: 1, maxLength: 10 })
  .map((changes) => changes.map((one) => ({ ...one, kind: 'theme', source: 0 }) as const))

/** What is done to three sources of each kind, by two storages on the same data. */
export const recordSteps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 1, maxLength: 25 })
