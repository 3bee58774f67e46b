import assert from 'node:assert/strict'
import fc from 'fast-check'
import { confirmAlarm } from '../../src/alarms/confirm.ts'
import type { Answer, Arrival } from '../../src/domain/alarms/_alarm-model.ts'
import { RefusedError } from '../../src/domain/refused-error.ts'
import { ingestTheme } from '../../src/ingest/theme.ts'
import { listAlarms, STATIONS, type Instance, type World } from './_world.ts'

const EPOCH = Date.UTC(2026, 0, 1)
const ABSENT = 2_000_000_000

/** Values for the site of the world, what they are to its limits, and what is told of them. */
const VALUES = [
  { v: 0, kind: 'calm', content: 'back to normal: Value: 0mm' },
  { v: 8, kind: 'near', content: '' },
  { v: 20, kind: { level: 3 }, content: 'Value: 20mm, level 3 threshold (10,50)' },
  { v: 60, kind: { level: 2 }, content: 'Value: 60mm, level 2 threshold (50,100)' },
  { v: 100, kind: { level: 1 }, content: 'Value: 100mm, level 1 threshold (100,+)' },
] as const

type Records = { does: 'send'; records: { minute: number; value: number }[] }

/** By a person: `back` alarms before the newest one, or one that is not there. */
type Confirm = { does: 'confirm'; back: number; minute: number; user: number; comment: string }

/** What is sent, each to one of two instances, at one moment; `restarts` begins with a new one. */
type Turn = { acts: Act[]; restarts: boolean }
type Act = (Records | Confirm) & { instance: number }

const instance = fc.nat(1)

const send: fc.Arbitrary<Act> = fc.record({
  instance,
  does: fc.constant('send'),
  records: fc.array(fc.record({ minute: fc.nat(12), value: fc.nat(VALUES.length - 1) }), {
    minLength: 1,
    maxLength: 4,
  }),
})

const confirm: fc.Arbitrary<Act> = fc.record({
  instance,
  does: fc.constant('confirm'),
  back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { arbitrary: fc.nat(3), weight: 1 }),
  minute: fc.nat(15),
  user: fc.integer({ min: 1, max: 3 }),
  comment: fc.constantFrom('', 'seen on site', '起重机 "x"'),
})

const act = fc.oneof({ weight: 3, arbitrary: send }, { weight: 2, arbitrary: confirm })

/** What happens to one station, one turn after the other. */
export const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    acts: fc.oneof(
      { weight: 2, arbitrary: fc.tuple(act) },
      { weight: 1, arbitrary: fc.tuple(act, act) },
    ),
    restarts: fc.integer({ min: 0, max: 7 }).map((one) => one === 0),
  }),
  { maxLength: 12 },
)

/** What arrived, in an order in which it may have done so, and what the persons were told. */
export type History = { arrivals: Arrival[]; answers: Answer[] }

/** Takes the turns of all stations at once; gives, for each, every order that is possible. */
export async function takeTurns(
  world: World,
  stations: readonly (readonly Turn[])[],
  isPossible: (history: History, alarms: Found) => boolean,
): Promise<History[][]> {
  await using stack = new AsyncDisposableStack()
  const open = async (): Promise<Instance> => stack.use(await world.open())
  const instances = [await open(), await open()]
  return await finishAll(
    stations.map(async (turns, at) => {
      const station = STATIONS[at]!
      let histories: History[] = [{ arrivals: [], answers: [] }]
      for (const { acts, restarts } of turns) {
        const at = acts[0]!.instance
        if (restarts) instances[at] = await open()
        const { storage } = instances[at]!
        const known = await listAlarms(storage, station)
        const done = await finishAll(
          acts.map((one) => perform(instances[one.instance]!, station, one, known)),
        )
        const orders = acts.length === 1 ? [done] : [done, done.toReversed()]
        histories = histories.flatMap((before) => orders.map((order) => follow(before, order)))
        if (acts.length === 1) continue
        const now = await listAlarms(storage, station)
        const possible = histories.filter((history) => isPossible(history, now))
        // None of them will be at the end either, where the difference is shown.
        if (possible.length === 0) return histories
        histories = possible
      }
      return histories
    }),
  )
}

/** What is under way when one has failed must end before the instances are closed. */
async function finishAll<Result>(tasks: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(tasks)
  return Promise.all(tasks)
}

type Found = Awaited<ReturnType<typeof listAlarms>>

const timeOf = (minute: number): number => EPOCH + minute * 60_000

const follow = (before: History, order: readonly History[]): History => ({
  arrivals: [before, ...order].flatMap(({ arrivals }) => arrivals),
  answers: [before, ...order].flatMap(({ answers }) => answers),
})

async function perform(
  { door, engine, storage }: Instance,
  station: number,
  act: Act,
  known: Found,
): Promise<History> {
  if (act.does === 'send') {
    const records = act.records.map(({ minute, value }) => {
      return { station, time: timeOf(minute), values: { v: VALUES[value]!.v } }
    })
    const report = await ingestTheme(door, records)
    assert.deepEqual(report.rejected, [])
    const arrivals = act.records.map(({ minute, value }): Arrival => {
      const { kind, content } = VALUES[value]!
      return { time: timeOf(minute), kind, content }
    })
    return { arrivals, answers: [] }
  }

  const { back, minute, user, comment } = act
  const alarm = known.length - 1 - back
  const id = known[alarm]?.id ?? ABSENT
  const time = timeOf(minute)
  const confirmation = { id, user, comment, now: time }
  const answer = await confirmAlarm(
    { alarms: engine, storage },
    await door.catalogue(),
    confirmation,
  ).then(
    (confirmed): Answer => {
      assert.deepEqual([confirmed.id, confirmed.state], [id, 4])
      return 'confirmed'
    },
    (error: unknown): Answer => {
      if (!(error instanceof RefusedError)) throw error
      if (error.refusal === 'absent') return 'absent'
      assert.equal(error.message, `alarm ${id} is closed already`)
      return 'closed'
    },
  )
  return {
    arrivals: [{ time, kind: 'confirm', alarm, user: String(user), comment }],
    answers: [answer],
  }
}
