import type { MarkList, RecordSpan, RecordStore, StoredPlace } from './stores/records.ts'
import { eachOf, type RecordList } from '../domain/records/record-list.ts'

/** What is stored at an instant of a source: a record, marks of its values, or both. */
export type TimedPlace = StoredPlace & Readonly<{ time: number }>

/**
 * Yields what is stored in a span, oldest first, some thousand places at a time: records with their
 * marks, and the marks of places where every value is bad.
 */
export async function* readPlaces(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  span: RecordSpan,
): AsyncGenerator<TimedPlace[]> {
  await using records = new Pages(data.readLists(span), recordsOf)
  await using marks = new Pages(data.readMarks(span), marksOf)
  for (;;) {
    await records.fill()
    await marks.fill()
    const until = Math.min(records.last, marks.last)
    if (until === Infinity) return
    yield join(records.take(until), marks.take(until))
  }
}

const recordsOf = (list: RecordList): TimedPlace[] =>
  Array.from(eachOf(list), ([time, text]) => ({
    time,
    record: Buffer.from(text).toString(),
    marks: null,
  }))

const marksOf = ({ times, marks }: MarkList): TimedPlace[] =>
  times.map((time, at) => ({ time, record: null, marks: marks[at] ?? null }))

function join(records: TimedPlace[], marked: TimedPlace[]): TimedPlace[] {
  if (marked.length === 0) return records
  const places = new Map(records.map((place) => [place.time, place]))
  for (const place of marked) {
    const { record = null } = places.get(place.time) ?? {}
    places.set(place.time, { ...place, record })
  }
  return [...places.values()].toSorted((one, other) => one.time - other.time)
}

/** Pages of rows, of which some are taken at a time. */
class Pages<Page> implements AsyncDisposable {
  readonly #pages: AsyncIterator<Page>
  readonly #rowsOf: (page: Page) => TimedPlace[]
  #rows: TimedPlace[] = []

  constructor(pages: AsyncIterable<Page>, rowsOf: (page: Page) => TimedPlace[]) {
    this.#pages = pages[Symbol.asyncIterator]()
    this.#rowsOf = rowsOf
  }

  /** The instant of the last row that was read and not taken; Infinity after the end. */
  get last(): number {
    return this.#rows.at(-1)?.time ?? Infinity
  }

  /** Reads on where every row is taken. */
  async fill(): Promise<void> {
    while (this.#rows.length === 0) {
      const { value, done = false } = await this.#pages.next()
      if (done) return
      this.#rows = this.#rowsOf(value)
    }
  }

  take(until: number): TimedPlace[] {
    const after = this.#rows.findIndex(({ time }) => time > until)
    return this.#rows.splice(0, after === -1 ? this.#rows.length : after)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pages.return?.()
  }
}
