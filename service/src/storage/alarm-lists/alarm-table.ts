import type { AlarmOrder } from '@plumbline/contract'
import { AlarmCells } from './alarm-cells.ts'
import { Contents } from './contents.ts'
import { grow } from './grow.ts'
import { Numbering } from './numbering.ts'
import { selectRange } from './select-range.ts'
import { SortedPlaces } from './sorted-places.ts'
import type { AlarmFilter, AlarmPage, StoredAlarm } from '../stores/alarms.ts'

/** What lists are narrowed and ordered by. */
export type ListedAlarm = Omit<StoredAlarm, 'sourceType' | 'alarmTypeCode'>

/** Whether an alarm is listed, by its place, and how many are. */
type Matches = { count: number; isMatch(place: number): boolean }

/** A smaller part than this of all alarms is rather sorted than looked for in the order of all. */
const FEW = 1 / 32

/**
 * Every alarm in columns, about a hundred bytes each, in the order of their ids.
 *
 * A list may look at all of them, whatever it is narrowed by: a million take some milliseconds,
 * where no index would serve every filter in every order on every page.
 */
export class AlarmTable {
  #size = 0
  #ids = new Float64Array(0)
  #cellOf = new Uint32Array(0)
  #nameOf = new Uint32Array(0)
  /** Room for what a window and keywords leave: not 0 for each place that matches. */
  #marks = new Uint8Array(0)
  readonly #cells = new AlarmCells()
  readonly #names = new Numbering()
  readonly #contents = new Contents()
  readonly #columns = {
    level: new SortedPlaces(),
    count: new SortedPlaces(),
    startTime: new SortedPlaces(),
    endTime: new SortedPlaces(),
  } as const satisfies Record<AlarmOrder, SortedPlaces>

  /** The greatest id; before every other where there is no alarm. */
  get lastId(): number {
    return this.#size === 0 ? Number.MIN_SAFE_INTEGER : this.#ids[this.#size - 1]!
  }

  /** Adds an alarm or changes it; `false` where a new one is older than others that are here. */
  put(alarm: ListedAlarm): boolean {
    let place = this.#size
    if (place > 0 && alarm.id <= this.#ids[place - 1]!) {
      place = this.#placeOf(alarm.id)
      if (this.#ids[place] !== alarm.id) return false
      this.#cells.leave(this.#cellOf[place]!)
    } else this.#makeRoom()

    this.#ids[place] = alarm.id
    this.#cellOf[place] = this.#cells.enter(alarm)
    this.#nameOf[place] = this.#names.of(alarm.source.name.toLowerCase())
    this.#contents.put(place, alarm.content.toLowerCase())
    this.#columns.level.set(place, alarm.level)
    this.#columns.count.set(place, alarm.count)
    this.#columns.startTime.set(place, toNumber(alarm.startTime))
    this.#columns.endTime.set(place, toNumber(alarm.endTime))
    return true
  }

  /** Makes an order ready, which the first page of it would otherwise wait for. */
  sort(by: AlarmOrder): void {
    this.#columns[by].inOrder()
  }

  count(filter: AlarmFilter): number {
    return this.#match(filter).count
  }

  /** The ids of a page, and how many alarms match. */
  page(filter: AlarmFilter, { orderBy, orderDirection, limit, offset }: AlarmPage) {
    const matches = this.#match(filter)
    const { count } = matches
    const first = Math.min(offset, count)
    const end = Math.min(first + limit, count)
    const isUp = orderDirection === 'asc'
    const places = this.#rank(
      matches,
      orderBy,
      isUp ? first : count - end,
      isUp ? end : count - first,
    )
    const ids = places.map((place) => this.#ids[place]!)
    return { count, ids: isUp ? ids : ids.toReversed() }
  }

  #match(filter: AlarmFilter): Matches {
    const { startTime, endTime, keywords } = filter
    const wanted = this.#cells.select(filter)
    const cells = this.#cellOf
    const isMatch = (place: number) => wanted[cells[place]!] === 1
    if (startTime === undefined && endTime === undefined && keywords === undefined)
      return { count: this.#cells.count(filter), isMatch }

    const marks = this.#marks
    for (let place = 0; place < this.#size; place++) marks[place] = wanted[cells[place]!]!
    if (startTime !== undefined || endTime !== undefined) this.#markWindow(startTime, endTime)
    if (keywords !== undefined) this.#markKeywords(keywords.toLowerCase())
    let count = 0
    for (let place = 0; place < this.#size; place++) if (marks[place] !== 0) count++
    return { count, isMatch: (place) => marks[place] !== 0 }
  }

  #markWindow(startTime?: string, endTime?: string): void {
    const from = startTime === undefined ? -Infinity : toNumber(startTime)
    const to = endTime === undefined ? Infinity : toNumber(endTime)
    const starts = this.#columns.startTime.column
    const ends = this.#columns.endTime.column
    const marks = this.#marks
    for (let place = 0; place < this.#size; place++)
      if (ends[place]! < from || starts[place]! > to) marks[place] = 0
  }

  /** Leaves those whose source's name or content contains a keyword. */
  #markKeywords(keyword: string): void {
    const named = Uint8Array.from(this.#names.texts, (name) => Number(name.includes(keyword)))
    const [names, marks] = [this.#nameOf, this.#marks]
    for (let place = 0; place < this.#size; place++)
      if (marks[place] === 1) marks[place] = 1 + named[names[place]!]!
    this.#contents.unmark(marks, keyword)
  }

  /** The places from one rank to another among those that match, in ascending order. */
  #rank(matches: Matches, by: AlarmOrder, first: number, end: number): number[] {
    const { count, isMatch } = matches
    if (first >= end) return []
    if (count < this.#size * FEW) {
      const places = this.#placesOf(matches)
      const { column } = this.#columns[by]
      const numbers = new Float64Array(count)
      for (let at = 0; at < count; at++) numbers[at] = column[places[at]!]!
      return selectRange(numbers, first, end).map((at) => places[at]!)
    }
    const order = this.#columns[by].inOrder()
    if (count === this.#size) return [...order.subarray(first, end)]
    // A page beyond the middle is nearer to the other end.
    const wanted = end - first
    return first < count - end
      ? take(order, isMatch, { end: 'first', passed: first, wanted })
      : take(order, isMatch, { end: 'last', passed: count - end, wanted }).toReversed()
  }

  #placesOf({ count, isMatch }: Matches): Uint32Array {
    const places = new Uint32Array(count)
    let next = 0
    for (let place = 0; place < this.#size; place++) if (isMatch(place)) places[next++] = place
    return places
  }

  /** The place of an id, or of the next greater one. */
  #placeOf(id: number): number {
    let [low, high] = [0, this.#size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#ids[middle]! < id) low = middle + 1
      else high = middle
    }
    return low
  }

  #makeRoom(): void {
    const size = ++this.#size
    this.#ids = grow(this.#ids, size)
    this.#cellOf = grow(this.#cellOf, size)
    this.#nameOf = grow(this.#nameOf, size)
    this.#marks = grow(this.#marks, size)
  }
}

/** Some of the places that match, after so many that are passed over, from the first or the last. */
function take(
  order: Uint32Array,
  isMatch: Matches['isMatch'],
  { end, passed, wanted }: { end: 'first' | 'last'; passed: number; wanted: number },
): number[] {
  const step = end === 'first' ? 1 : -1
  const places: number[] = []
  let met = 0
  for (let at = end === 'first' ? 0 : order.length - 1; places.length < wanted; at += step)
    if (isMatch(order[at]!) && ++met > passed) places.push(order[at]!)
  return places
}

/** A local date-time string as a number of the same order: its fourteen digits. */
function toNumber(time: string): number {
  let number = 0
  for (let at = 0; at < time.length; at++) {
    const digit = time.charCodeAt(at) - ZERO
    if (digit >= 0 && digit <= 9) number = number * 10 + digit
  }
  return number
}

const ZERO = '0'.charCodeAt(0)
