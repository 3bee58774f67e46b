import type { AlarmOrder } from '@plumbline/contract'
import { Contents } from './contents.ts'
import { grow } from './grow.ts'
import { selectRange } from './select-range.ts'
import type { AlarmFilter, AlarmPage, StoredAlarm } from '../stores/alarms.ts'

/** What lists are narrowed and ordered by. */
export type ListedAlarm = Pick<
  StoredAlarm,
  | 'id'
  | 'structure'
  | 'source'
  | 'category'
  | 'level'
  | 'content'
  | 'count'
  | 'state'
  | 'startTime'
  | 'endTime'
>

/** States 0 to 2 are `new`, 3 and 4 are `history`. */
const FIRST_CLOSED_STATE = 3

/** Alarms that a filter without window and keywords cannot tell apart. */
type Cell = {
  structure: number
  level: number
  category: number
  isOpen: boolean
  /** How many alarms there are of it. */
  size: number
}

/**
 * Every alarm in columns, some sixty bytes each, in the order of their ids.
 *
 * A list looks at all of them, whatever it is narrowed by: a million take some milliseconds, where
 * no index would serve every filter in every order on every page.
 */
export class AlarmTable {
  #size = 0
  #ids = new Float64Array(0)
  #cellOf = new Uint32Array(0)
  #counts = new Float64Array(0)
  #starts = new Float64Array(0)
  #ends = new Float64Array(0)
  #nameOf = new Uint32Array(0)
  readonly #contents = new Contents()
  readonly #cells: Cell[] = []
  readonly #cellNumbers = new Map<string, number>()
  readonly #names: string[] = []
  readonly #nameNumbers = new Map<string, number>()
  /** Room for the places that match, and for what they are ordered by. */
  #places = new Uint32Array(0)
  #keys = new Float64Array(0)

  /** Adds an alarm or changes it; `false` where a new one is older than others that are here. */
  put(alarm: ListedAlarm): boolean {
    let place = this.#size
    if (place > 0 && alarm.id <= this.#ids[place - 1]!) {
      place = this.#find(alarm.id)
      if (this.#ids[place] !== alarm.id) return false
      this.#cells[this.#cellOf[place]!]!.size--
    } else this.#makeRoom()

    const cell = this.#cellNumber(alarm)
    this.#cells[cell]!.size++
    this.#ids[place] = alarm.id
    this.#cellOf[place] = cell
    this.#counts[place] = alarm.count
    this.#starts[place] = toNumber(alarm.startTime)
    this.#ends[place] = toNumber(alarm.endTime)
    this.#nameOf[place] = this.#nameNumber(alarm.source.name.toLowerCase())
    this.#contents.put(place, alarm.content.toLowerCase())
    return true
  }

  count(filter: AlarmFilter): number {
    if (!isByCell(filter)) return this.#match(filter)
    const isWanted = cellTest(filter)
    return this.#cells.reduce((sum, cell) => (isWanted(cell) ? sum + cell.size : sum), 0)
  }

  /** The ids of a page, and how many alarms match. */
  page(filter: AlarmFilter, { orderBy, orderDirection, limit, offset }: AlarmPage) {
    const count = this.#match(filter)
    const first = Math.min(offset, count)
    const end = Math.min(first + limit, count)
    const keys = this.#keysBy(orderBy, count)
    const isUp = orderDirection === 'asc'
    const ranks = isUp ? ([first, end] as const) : ([count - end, count - first] as const)
    const ids = selectRange(keys, ...ranks).map((at) => this.#ids[this.#places[at]!]!)
    return { count, ids: isUp ? ids : ids.toReversed() }
  }

  /** Puts the places of matching alarms in order of id, and returns how many they are. */
  #match(filter: AlarmFilter): number {
    const wanted = Uint8Array.from(this.#cells, (cell) => Number(cellTest(filter)(cell)))
    const from = filter.startTime === undefined ? -Infinity : toNumber(filter.startTime)
    const to = filter.endTime === undefined ? Infinity : toNumber(filter.endTime)
    const [cells, starts, ends, places] = [this.#cellOf, this.#starts, this.#ends, this.#places]
    const isAnyTime = from === -Infinity && to === Infinity
    let count = 0
    for (let place = 0; place < this.#size; place++) {
      if (wanted[cells[place]!] === 0) continue
      if (isAnyTime || (ends[place]! >= from && starts[place]! <= to)) places[count++] = place
    }
    return filter.keywords === undefined ? count : this.#narrow(count, filter.keywords)
  }

  /** Keeps of the matching places those whose source's name or content contains the keywords. */
  #narrow(count: number, keywords: string): number {
    const keyword = keywords.toLowerCase()
    const named = Uint8Array.from(this.#names, (name) => Number(name.includes(keyword)))
    const isSaid = this.#contents.search(keyword)
    const [names, places] = [this.#nameOf, this.#places]
    let kept = 0
    for (let at = 0; at < count; at++) {
      const place = places[at]!
      if (named[names[place]!] === 1 || isSaid(place)) places[kept++] = place
    }
    return kept
  }

  #keysBy(order: AlarmOrder, count: number): Float64Array {
    const keys = this.#keys.subarray(0, count)
    const places = this.#places
    if (order === 'level') {
      const levels = Float64Array.from(this.#cells, ({ level }) => level)
      for (let at = 0; at < count; at++) keys[at] = levels[this.#cellOf[places[at]!]!]!
    } else {
      const columns = { count: this.#counts, startTime: this.#starts, endTime: this.#ends }
      const column = columns[order]
      for (let at = 0; at < count; at++) keys[at] = column[places[at]!]!
    }
    return keys
  }

  /** The place of an id, or of the next greater one. */
  #find(id: number): number {
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
    this.#counts = grow(this.#counts, size)
    this.#starts = grow(this.#starts, size)
    this.#ends = grow(this.#ends, size)
    this.#nameOf = grow(this.#nameOf, size)
    this.#places = grow(this.#places, size)
    this.#keys = grow(this.#keys, size)
  }

  #cellNumber({ structure, level, category, state }: ListedAlarm): number {
    const isOpen = state < FIRST_CLOSED_STATE
    return numberOf(this.#cellNumbers, `${structure} ${level} ${category} ${isOpen}`, () =>
      this.#cells.push({ structure, level, category, isOpen, size: 0 }),
    )
  }

  #nameNumber(name: string): number {
    return numberOf(this.#nameNumbers, name, () => this.#names.push(name))
  }
}

function numberOf(numbers: Map<string, number>, key: string, add: () => void): number {
  const known = numbers.get(key)
  if (known !== undefined) return known
  add()
  numbers.set(key, numbers.size)
  return numbers.size - 1
}

const isByCell = ({ startTime, endTime, keywords }: AlarmFilter): boolean =>
  startTime === undefined && endTime === undefined && keywords === undefined

function cellTest({ scope, status, levels, categories }: AlarmFilter) {
  const structures = scope === 'all' ? undefined : new Set(scope)
  const isWanted = (cell: Cell): boolean =>
    (structures?.has(cell.structure) ?? true) &&
    (status === undefined || cell.isOpen === (status === 'new')) &&
    (levels?.includes(cell.level) ?? true) &&
    (categories?.includes(cell.category) ?? true)
  return isWanted
}

/** A local date-time string as a number of the same order: its fourteen digits. */
const toNumber = (time: string): number => Number(time.replaceAll(/\D/g, ''))
