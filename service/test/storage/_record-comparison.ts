import assert from 'node:assert/strict'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { HourSummary } from '../../src/domain/records/hour-summary.ts'
import { localDays, localDayAt } from '../../src/domain/time/local-day.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import type { RecordList } from '../../src/domain/records/record-list.ts'
import { openPart } from '../../src/storage/sealed-days/sealed-part.ts'
import type { RecordKeys, RecordKind, Storage } from '../../src/storage/storage.ts'
import { EVER, gather, sensor, station, type Place } from './_place.ts'
import type { Change, Edge, Expire, Remove, Seal, Step, Write } from './_record-steps.ts'
import { recordText, SourceModel, type ModelChange, type Window } from './_source-model.ts'

const KINDS = ['theme', 'raw'] as const
const SENSORS = ['s0', 's1', 's2']
const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York'].map(zone)
const NEWEST = [1, 2, 100, 2_001]
const FILE = 'plumbline.db'

export type Of = { kind: RecordKind; source: 0 | 1 | 2 }
type Ask = { what: string; ask: () => Promise<string>; expected: string }

/** A source that no test writes. */
const WITHOUT_RECORDS = 987_654

/** Two storages on the same data, and a model of what they have to return. */
export class RecordComparison {
  readonly #place: Place
  readonly #storages: Storage[]
  readonly #keys: readonly number[]
  #models = newModels()
  #last: { id: number; change: ModelChange; of: Of } | undefined

  private constructor(place: Place, storages: Storage[], keys: readonly number[]) {
    this.#place = place
    this.#storages = storages
    this.#keys = keys
  }

  static async open(place: Place): Promise<RecordComparison> {
    const storages = [await place.open(), await place.open()]
    const put = SENSORS.map((id) => sensor(id))
    await storages[0]!.site.apply({ put, remove: [], withRecords: false }, 0)
    const { sensorKeys } = await storages[0]!.site.load()
    const keys = SENSORS.map((id) => sensorKeys.get(id)!)
    return new RecordComparison(place, storages, keys)
  }

  /** Applies a history to data without records, and compares every result. */
  async comparison(steps: readonly Step[]): Promise<void> {
    for (const kind of KINDS)
      for (const source of [0, 1, 2] as const) await this.#removeSource({ by: 0, kind, source })
    this.#models = newModels()
    this.#last = undefined
    for (const step of steps) await this.#do(step)
    await this.inspect(0)
    for (const kind of KINDS)
      for (const source of [0, 1, 2] as const) await this.read(0, { kind, source }, EVER)
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case 'read':
        return this.read(step.by, step, this.window(step, step))
      case 'undo':
        return this.#undo(step.by, step.limit)
      case 'removeSource':
        return this.#removeSource(step)
      case 'reopen':
        await this.#storages[step.by]![Symbol.asyncDispose]()
        this.#storages[step.by] = await this.#place.open()
        return
      case 'inspect':
        return this.inspect(step.by)
      case 'beside':
        return this.#beside(step.by, step.change)
      default:
        for (const part of this.#parts(step)) await part()
    }
  }

  model({ kind, source }: Of): SourceModel {
    return this.#models[kind][source]!
  }

  sourceOf({ kind, source }: Of): number {
    return kind === 'theme' ? source + 1 : this.#keys[source]!
  }

  /** Every read of a window returns what the model does. */
  async read(by: number, of: Of, window: Window): Promise<void> {
    for (const { what, ask, expected } of this.requests(this.#storages[by]!, of, window)) {
      const found = await ask()
      assert.ok(found === expected, `${what} ${JSON.stringify({ ...of, ...window })}: ${found}`)
    }
    await this.#readNewestInstant(by, of, window)
  }

  /** Every read of a window, with its expected result. */
  requests({ records }: Storage, of: Of, window: Window): Ask[] {
    const model = this.model(of)
    const query = { kind: of.kind, source: this.sourceOf(of), ...window }
    const texts = model.texts(window)
    const nested = texts.map((text) => text.replace(/"v":\d+/, '"values":{$&}'))
    return [
      {
        what: 'flat',
        ask: () => gather(records.read({ ...query, shape: 'flat' })),
        expected: list(texts),
      },
      {
        what: 'deflated',
        ask: () => gather(records.readDeflated({ ...query, shape: 'flat' })),
        expected: list(texts),
      },
      {
        what: 'nested',
        ask: () => gather(records.read({ ...query, shape: 'nested' })),
        expected: list(nested),
      },
      ...NEWEST.map((newest) => ({
        what: `newest ${newest}`,
        ask: () => gather(records.readDeflated({ ...query, shape: 'flat', newest })),
        expected: list(texts.toReversed().slice(0, newest)),
      })),
      {
        what: 'hours',
        ask: async () =>
          hoursText(await Array.fromAsync(records.readHours({ ...query, zone: model.zone }))),
        expected: hoursText(model.hours(window)),
      },
      {
        what: 'lists',
        ask: async () => listsText(await Array.fromAsync(records.readLists(query))),
        expected: listsText([
          { times: model.timesIn(window), texts: texts.map((text) => Buffer.from(text)) },
        ]),
      },
    ]
  }

  async #readNewestInstant(by: number, of: Of, { to }: Window): Promise<void> {
    const model = this.model(of)
    const { records } = this.#storages[by]!
    const source = this.sourceOf(of)
    const sources = [WITHOUT_RECORDS, source, WITHOUT_RECORDS, source]
    const [none, newest, ...others] = await records.findNewest(of.kind, sources, to)
    assert.deepEqual([none, ...others], [null, null, newest])
    const last = model.times.findLast((time) => time <= to) ?? null
    // Of a sealed part that reaches beyond the horizon the first instant counts.
    if (to === EVER.to || newest === null) assert.equal(newest, last)
    else assert.ok(newest! <= to && model.has(newest!))
  }

  /** What `doctor` looks at has to be sound. */
  async inspect(by: number): Promise<void> {
    assert.deepEqual(await findDamage(this.#storages[by]!), [])
  }

  /** A copy of the data that a test may damage. */
  copyTo(folder: string): void {
    const database = new Sqlite(join(this.#place.folder, FILE), { readonly: true })
    database.prepare('vacuum into ?').run(join(folder, FILE))
    database.close()
  }

  /** A change in parts, between which others look at everything. */
  async #beside(by: number, change: Change): Promise<void> {
    const parts = this.#parts(change)
    const storage = this.#storages[by]!
    const { kind } = change
    const query = { kind, source: this.sourceOf(change), ...EVER }
    const { zone } = this.model(change)
    const looks: AsyncIterable<unknown>[] = [
      storage.records.inspect(kind),
      storage.records.readHours({ ...query, zone }),
      storage.records.read({ ...query, shape: 'flat' }),
      storage.records.readDeflated({ ...query, shape: 'flat', newest: 100 }),
      storage.records.readLists(query),
    ]
    const iterators = looks.map((look) => look[Symbol.asyncIterator]())
    const next = async () => {
      const found = await Promise.all(iterators.map((iterator) => iterator.next()))
      const { damage } = (found[0]!.value ?? {}) as { damage?: string }
      assert.equal(damage, undefined)
      return found.every(({ done }) => done === true)
    }
    await next()
    for (const part of parts) await Promise.all([part(), next()])
    while (!(await next()));
  }

  /** What has to be done for a change, one after the other. */
  #parts(change: Change): (() => Promise<void>)[] {
    switch (change.do) {
      case 'write':
        return this.#write(change)
      case 'remove':
        return [() => this.#remove(change)]
      case 'expire':
        return [() => this.#expire(change)]
      default:
        return this.#seal(change)
    }
  }

  #write(step: Write): (() => Promise<void>)[] {
    const { kind, value } = step
    const { zone } = this.model(step)
    const source = this.sourceOf(step)
    const times = step.runs.flatMap(({ first, count, step: by }) =>
      Array.from({ length: count }, (_, at) => first + at * by),
    )
    if (step.order === 'ascending') times.sort((a, b) => a - b)
    if (step.order === 'descending') times.sort((a, b) => b - a)
    // One after the other, a thousand would take the whole time.
    const batch = Math.max(step.batch, Math.ceil(times.length / 100))
    const { records: data, changes } = this.#storages[step.by]!
    let id: Promise<number> | undefined
    const parts = Array.from({ length: Math.ceil(times.length / batch) }, (_, at) => async () => {
      const part = times.slice(at * batch, (at + 1) * batch)
      const records = part.map((time) => recordText(zone, time, value))
      if (step.isUndoable) id ??= changes.begin({ kind: 'import', description: '', startedAt: 0 })
      const change = await id
      const rows = { sources: part.map(() => source), times: part, records }
      await data.write({ [kind]: rows }, { change })
    })
    const note = async () => {
      const change = this.model(step).write(times, value)
      if (id !== undefined) this.#last = { id: await id, change, of: step }
    }
    if (!step.isParallel) return [...parts, note]
    return [async () => void (await Promise.all(parts.map((part) => part()))), note]
  }

  async #remove(step: Remove): Promise<void> {
    const times = this.model(step)
      .timesIn(this.window(step, step))
      .filter((_, at) => at % step.each === 0)
    // Some that are not there.
    if (times.length > 0) times.push(times[0]! + 1)
    const { records, changes } = this.#storages[step.by]!
    const id = step.isUndoable
      ? await changes.begin({ kind: 'deletion', description: '', startedAt: 0 })
      : undefined
    const keys: RecordKeys = { sources: times.map(() => this.sourceOf(step)), times }
    await records.write({}, { deletions: { [step.kind]: keys }, change: id })
    const change = this.model(step).remove(times)
    if (id !== undefined) this.#last = { id, change, of: step }
  }

  /** Local days are sealed, and parts of them; any span is opened. */
  #seal(step: Seal): (() => Promise<void>)[] {
    const { sealedDays } = this.#storages[step.by]!
    const { zone, times } = this.model(step)
    const window = this.window(step, step)
    const from = Math.max(window.from, times[0] ?? 0)
    const until = Math.min(window.to, times.at(-1) ?? 0) + 1
    const what = { kind: step.kind, source: this.sourceOf(step) }
    if (step.do === 'unseal')
      return [async () => void (await sealedDays.unseal({ ...what, start: from, until }))]
    const days = localDays(from, until, zone).toArray().slice(0, 20)
    return days.map((day) => async () => {
      const start = Math.max(day.start, from)
      const end = step.isWhole ? day.until : Math.min(day.until, until)
      await sealedDays.seal({ ...what, start: step.isWhole ? day.start : start, until: end, zone })
    })
  }

  /** Parts of days stay whole, so that records go by days, or all of them are open. */
  async #expire(step: Expire): Promise<void> {
    const { sealedDays, retention } = this.#storages[step.by]!
    const model = this.model(step)
    const instant = this.#instant(step, step.before)
    const at = Math.min(Math.max(instant, 0), model.times.at(-1) ?? 0)
    const before = step.isDay ? localDayAt(at, model.zone).start : at
    const what = { kind: step.kind, source: this.sourceOf(step) }
    if (!step.isDay) await sealedDays.unseal({ ...what, start: EVER.from, until: EVER.to })
    for (let isDone = false; !isDone;)
      ({ isDone } = await retention.expire({ ...what, before, limit: step.limit }))
    model.remove(model.timesIn({ from: EVER.from, to: before - 1 }))
  }

  async #undo(by: number, limit: number): Promise<void> {
    if (this.#last === undefined) return
    const { id, change, of } = this.#last
    this.#last = undefined
    for (let isDone = false; !isDone;)
      ({ isDone } = await this.#storages[by]!.changes.undo(id, { limit, now: 0 }))
    this.model(of).undo(change)
  }

  async #removeSource({ by, kind, source }: Of & { by: number }): Promise<void> {
    const { site } = this.#storages[by]!
    const entry = kind === 'theme' ? station(source + 1) : sensor(SENSORS[source]!)
    const changes = { put: [], remove: [entry], withRecords: true }
    assert.ok(await site.apply(changes, await site.version()))
    const model = this.model({ kind, source })
    model.remove(model.times)
  }

  window(of: Of, { from, to }: { from: Edge; to: Edge }): Window {
    const [one, other] = [this.#instant(of, from), this.#instant(of, to)]
    if (from.of === 'ever' && to.of === 'ever') return EVER
    if (from.of === 'ever') return { from: EVER.from, to: other }
    if (to.of === 'ever') return { from: one, to: EVER.to }
    return { from: Math.min(one, other), to: Math.max(one, other) }
  }

  #instant(of: Of, edge: Edge): number {
    const { times } = this.model(of)
    if (edge.of === 'ever') return EVER.to
    if (edge.of === 'any') return edge.at
    if (edge.of === 'day' || times.length === 0) return edge.at + edge.by
    const index = edge.of === 'record' ? edge.at : (edge.at % 40) * 64
    return times[index % times.length]! + edge.by
  }
}

const newModels = () => ({
  theme: ZONES.map((clock) => new SourceModel(clock)),
  raw: ZONES.map((clock) => new SourceModel(clock)),
})

/** What `doctor` finds. */
export async function findDamage(storage: Storage): Promise<unknown[]> {
  const found: unknown[] = Object.values(await storage.inspect()).flat()
  for (const kind of KINDS) {
    for await (const { damage } of storage.records.inspect(kind)) if (damage) found.push(damage)
    for await (const { part } of storage.sealedDays.listParts(kind))
      try {
        openPart(part)
      } catch (error) {
        found.push(error)
      }
  }
  return found
}

const list = (texts: readonly string[]): string => `[${texts.join()}]`

const hoursText = (hours: readonly HourSummary[]): string =>
  JSON.stringify(hours.map(({ start, items }) => [start, [...items]]))

const listsText = (lists: readonly RecordList[]): string =>
  lists
    .flatMap(({ times, texts }) =>
      texts.map((text, at) => `${times[at]} ${Buffer.from(text).toString()}`),
    )
    .join('\n')
