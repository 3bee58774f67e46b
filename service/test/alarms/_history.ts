import assert from 'node:assert/strict'
import fc from 'fast-check'
import { confirmAlarm } from '../../src/alarms/confirm.ts'
import type {
  ConfirmOutcome,
  Arrival,
  Confirmation,
  Reading,
  RecordArrival,
} from '../../src/domain/alarms/_alarm-model.ts'
import { RefusedError } from '../../src/errors/refused-error.ts'
import { listAlarms, STATIONS, TOLERANCE, type Instance, type Place } from './_place.ts'

const EPOCH = Date.UTC(2026, 0, 1)
const ABSENT = 2_000_000_000

/** The measuring range of the item. */
export const RANGE = 'range: { low: -500, high: 500, level: 4 }'

/** Values for the site, their relation to its limits, and their notifications. */
const VALUES = [
  { v: 0, kind: 'normal', content: 'back to normal: Value: 0mm' },
  { v: 8, kind: 'deadband', content: '' },
  { v: 20, kind: { level: 3 }, content: 'Value: 20mm, level 3 threshold (10,50)' },
  { v: 60, kind: { level: 2 }, content: 'Value: 60mm, level 2 threshold (50,100)' },
  { v: 100, kind: { level: 1 }, content: 'Value: 100mm, level 1 threshold (100,+)' },
  { v: 999, kind: 'absent', content: '' },
] as const

/** What a value is for the measuring range. */
const rangeOf = (v: number): Reading =>
  v > 500
    ? { kind: { level: 4 }, content: `Value: ${v}mm, level 4 out of range [-500,500]` }
    : { kind: 'normal', content: `back to normal: Value: ${v}mm` }

/** A record names the value with its quality, or only another item, whose value joins the stored one. */
type SentRecord = {
  minute: number
  value: number
  quality: 'good' | 'uncertain' | 'bad' | 'other item'
}

type Records = { does: 'send'; records: SentRecord[] }

/** By a person: `back` alarms before the newest one, or one that is not there. */
type Confirm = { does: 'confirmation'; back: number; minute: number; user: string; comment: string }

/** Instances that write to one folder. */
export const INSTANCES = 4

/** What is sent, each to one of the instances, at one moment; `restarts` begins with a new one. */
type Turn = { acts: Act[]; restarts: boolean }
type Act = (Records | Confirm) & { instance: number }

const instance = fc.nat(INSTANCES - 1)

const send: fc.Arbitrary<Act> = fc.record({
  instance,
  does: fc.constant('send'),
  records: fc.array(
    fc.record({
      minute: fc.nat(12),
      value: fc.nat(VALUES.length - 1),
      quality: fc.oneof(
        { weight: 4, arbitrary: fc.constant('good' as const) },
        { weight: 3, arbitrary: fc.constantFrom('uncertain', 'bad', 'other item') },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

const confirm: fc.Arbitrary<Act> = fc.record({
  instance,
  does: fc.constant('confirmation'),
  back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { arbitrary: fc.nat(3), weight: 1 }),
  minute: fc.nat(15),
  user: fc.constantFrom('1', '2', 'anna'),
  comment: fc.constantFrom('', 'seen on site', '起重机 "x"'),
})

const act = fc.oneof({ weight: 3, arbitrary: send }, { weight: 2, arbitrary: confirm })

/** The most orders in which the acts of all turns may have arrived: each is followed to the end. */
const ORDERS_MAXIMUM = 1000

/** Leaves one act of a turn with which there would be too many orders. */
function limitOrders(turns: readonly Turn[]): Turn[] {
  let orders = 1
  return turns.map((turn) => {
    const more = ordersOf(turn.acts).length
    if (orders * more > ORDERS_MAXIMUM) return { ...turn, acts: turn.acts.slice(0, 1) }
    orders *= more
    return turn
  })
}

/** What happens to one station, one turn after the other. */
export const turns: fc.Arbitrary<Turn[]> = fc
  .array(
    fc.record({
      acts: fc.oneof(
        { weight: 8, arbitrary: fc.tuple(act) },
        { weight: 4, arbitrary: fc.tuple(act, act) },
        { weight: 1, arbitrary: fc.tuple(act, act, act, act) },
      ),
      restarts: fc.integer({ min: 0, max: 7 }).map((one) => one === 0),
    }),
    { maxLength: 12 },
  )
  .map(limitOrders)

/** By how many minutes the clock moves after each turn of all stations; it may step back. */
export const ticks: fc.Arbitrary<number[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: -6, max: -1 }) },
  ),
  { minLength: 12, maxLength: 12 },
)

/**
 * What arrived, in an order in which it may have done so, what is stored of it, what is early and waits,
 * both by their instants, and what the persons were told.
 */
export type History = {
  arrivals: Arrival[]
  stored: ReadonlyMap<number, StoredValue>
  early: ReadonlyMap<number, RecordArrival & { v?: number }>
  confirmations: ConfirmOutcome[]
}

/** A clock that is held, at a minute from which most of the records are not early. */
export const newClock = () => ({ now: timeOf(8) })
type Clock = ReturnType<typeof newClock>

/** Takes the turns of all stations at once; gives, for each, every order that is possible. */
export async function takeTurns(
  place: Place,
  { stations, clock, ticks }: { stations: readonly Turn[][]; clock: Clock; ticks: number[] },
  isPossible: (history: History, alarms: Found) => boolean,
): Promise<History[][]> {
  await using stack = new AsyncDisposableStack()
  const open = async (): Promise<Instance> => stack.use(await place.open())
  const instances = await Promise.all(Array.from({ length: INSTANCES }, open))
  let all: History[][] = stations.map(() => [
    {
      arrivals: [],
      stored: new Map(),
      early: new Map(),
      confirmations: [],
    },
  ])
  for (let turn = 0; stations.some(({ length }) => turn < length); turn++) {
    all = await finishAll(stations.map((turns, at) => takeTurn(turns[turn], at, all[at]!)))
    clock.now += (ticks[turn] ?? 0) * 60_000
    await finishAll(instances.map((one) => one.evaluateDue()))
    all = all.map((histories) => histories.map((one) => evaluateEarly(one, clock.now + TOLERANCE)))
  }
  return all

  async function takeTurn(turn: Turn | undefined, place: number, before: History[]) {
    if (turn === undefined) return before
    const { acts, restarts } = turn
    const station = STATIONS[place]!
    const at = acts[0]!.instance
    if (restarts) instances[at] = await open()
    const { storage } = instances[at]!
    const known = await listAlarms(storage, station)
    const done = await finishAll(
      acts.map((one) => perform(instances[one.instance]!, station, one, known)),
    )
    const horizon = clock.now + TOLERANCE
    const orders = ordersOf(done)
    const histories = before.flatMap((one) => orders.map((order) => follow(one, order, horizon)))
    if (acts.length === 1) return histories
    const now = await listAlarms(storage, station)
    const possible = histories.filter((history) => isPossible(history, now))
    // None of them will be at the end either, where the difference is shown.
    return possible.length === 0 ? histories : possible
  }
}

/** All orders of some items. */
function ordersOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item, at) =>
    ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]),
  )
}

/** What is under way when one has failed must end before the instances are closed. */
async function finishAll<Result>(tasks: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(tasks)
  return Promise.all(tasks)
}

/** The served values that a history leaves, by instant. Those out of range wait until they are evaluated. */
export const servedOf = ({ stored }: History): [time: number, v: number | undefined][] =>
  Array.from(stored, ([time, { v }]): [number, number | undefined] => [time, v])
    .filter(([, v]) => v === undefined || v <= 500)
    .toSorted(([one], [other]) => one - other)

type Found = Awaited<ReturnType<typeof listAlarms>>

const timeOf = (minute: number): number => EPOCH + minute * 60_000

/** What the value of an instant is for thresholds and range; `v`: the number, also of a value out of range. */
type StoredValue = Pick<RecordArrival, 'kind' | 'content' | 'range'> & { v?: number }

const NO_VALUE: StoredValue = { kind: 'absent', range: { kind: 'absent' } }

/** An arrival that names another item counts with the value that is stored at its instant. */
type Named = (RecordArrival & { v?: number; namesOtherItem?: boolean }) | Confirmation

type Done = { arrivals: readonly Named[]; confirmations: History['confirmations'] }

/** Records beyond the horizon wait; one that is sent again counts as it was sent last. */
function follow(before: History, order: readonly Done[], horizon: number): History {
  const early = new Map(before.early)
  const stored = new Map(before.stored)
  const arrivals = [...before.arrivals]
  for (const given of order.flatMap((one) => one.arrivals)) {
    if (given.kind === 'confirmation') {
      arrivals.push({ ...given, horizon })
      continue
    }
    const isOther = given.namesOtherItem === true
    const value: StoredValue = isOther ? (stored.get(given.time) ?? NO_VALUE) : given
    const { kind, content, range } = value
    const arrival: RecordArrival = {
      time: given.time,
      kind,
      ...(content !== undefined && { content }),
      ...(range && { range }),
    }
    stored.set(arrival.time, value)
    if (arrival.time > horizon) early.set(arrival.time, { ...arrival, ...value, time: given.time })
    else {
      early.delete(arrival.time)
      arrivals.push({ ...arrival, horizon, waiting: [...early.keys()] })
    }
  }
  return {
    arrivals,
    stored,
    early,
    confirmations: [before, ...order].flatMap(({ confirmations }) => confirmations),
  }
}

/** Those whose time has come arrive, in the order of their times. */
function evaluateEarly(before: History, horizon: number): History {
  const due = [...before.early.values()].toSorted((a, b) => a.time - b.time)
  const sent = due.filter(({ time }) => time <= horizon)
  return sent.reduce(
    (history, one) => follow(history, [{ arrivals: [one], confirmations: [] }], horizon),
    before,
  )
}

async function perform(
  { ingest, commits, storage }: Instance,
  station: number,
  act: Act,
  known: Found,
): Promise<Done> {
  if (act.does === 'send') {
    const records = act.records.map(({ minute, value, quality }) =>
      quality === 'other item'
        ? { station, time: timeOf(minute), values: { w: 1 } }
        : { station, time: timeOf(minute), values: { v: VALUES[value]!.v }, quality },
    )
    const report = await ingest.theme(records)
    assert.deepEqual(report.rejected, [])
    const arrivals = act.records.map(({ minute, value, quality }): Named => {
      const time = timeOf(minute)
      const { v, kind, content } = VALUES[value]!
      if (quality === 'other item') return { time, ...NO_VALUE, namesOtherItem: true }
      if (quality === 'bad') return { time, ...NO_VALUE }
      return { time, kind, content, range: rangeOf(v), v }
    })
    return { arrivals, confirmations: [] }
  }

  const { back, minute, user, comment } = act
  const alarm = known.length - 1 - back
  const id = known[alarm]?.id ?? ABSENT
  const time = timeOf(minute)
  const confirmation = { id, user, comment, now: time }
  const outcome = await confirmAlarm(
    { commits, storage },
    await ingest.catalogue(),
    confirmation,
  ).then(
    (confirmed): ConfirmOutcome => {
      assert.deepEqual([confirmed.id, confirmed.state], [id, 4])
      return 'confirmed'
    },
    (error: unknown): ConfirmOutcome => {
      if (!(error instanceof RefusedError)) throw error
      if (error.reason === 'absent') return 'absent'
      assert.equal(error.message, `alarm ${id} is closed already`)
      return 'closed'
    },
  )
  return {
    arrivals: [{ time, kind: 'confirmation', alarm, user, comment }],
    confirmations: [outcome],
  }
}
