import { Numbering } from './numbering.ts'
import type { AlarmFilter, StoredAlarm } from '../stores/alarms.ts'

/** Alarms that no filter can tell apart but by window and keywords. */
type Cell = Pick<StoredAlarm, 'structure' | 'level' | 'category'> & { isOpen: boolean }

/** States 0 to 2 are `new`, 3 and 4 are `history`. */
const FIRST_CLOSED_STATE = 3

/** The cells in which there are or were alarms, by number, and how many are in each. */
export class AlarmCells {
  readonly #cells: Cell[] = []
  readonly #sizes: number[] = []
  readonly #numbers = new Numbering()

  /** Counts an alarm in its cell and gives the cell's number. */
  enter({ structure, level, category, state }: Omit<Cell, 'isOpen'> & { state: number }): number {
    const isOpen = state < FIRST_CLOSED_STATE
    const number = this.#numbers.of(`${structure} ${level} ${category} ${isOpen}`)
    if (number === this.#cells.length) {
      this.#cells.push({ structure, level, category, isOpen })
      this.#sizes.push(0)
    }
    this.#sizes[number]! += 1
    return number
  }

  leave(number: number): void {
    this.#sizes[number]! -= 1
  }

  count(filter: AlarmFilter): number {
    const wanted = this.select(filter)
    return this.#sizes.reduce((sum, size, number) => sum + size * wanted[number]!, 0)
  }

  /** 1 for each cell whose alarms match as far as a cell tells, 0 for the others. */
  select({ scope, status, levels, categories }: AlarmFilter): Uint8Array {
    const structures = scope === 'all' ? undefined : new Set(scope)
    const isWanted = (cell: Cell): boolean =>
      (structures?.has(cell.structure) ?? true) &&
      (status === undefined || cell.isOpen === (status === 'new')) &&
      (levels?.includes(cell.level) ?? true) &&
      (categories?.includes(cell.category) ?? true)
    return Uint8Array.from(this.#cells, (cell) => Number(isWanted(cell)))
  }
}
