import type { FixedNumbers } from '../../encodings/fixed-numbers.ts'
import { RefusedError } from '../../errors/refused-error.ts'

/** A list of numbers, or a matrix. */
type NumberList = FixedNumbers | NumberMatrix

/** A matrix with its rows one after another in `values`. */
type NumberMatrix = { rows: number; columns: number; values: FixedNumbers }

/** The members of an object: short ones in `head`, then long lists. */
export type NumberLists = { head: object; lists: Record<string, NumberList> }

/** Numbers that are formatted before other requests are processed. */
const CHUNK_NUMBERS = 4_096

/** Writes an object with long lists as JSON in chunks; `make` is called before the first chunk. */
export async function* writeLists(make: () => Promise<NumberLists>): AsyncGenerator<string> {
  const { head, lists } = await make()
  for (const values of Object.values(lists)) refuseInfinite(numbersOf(values))
  let before = JSON.stringify(head).slice(0, -1)
  for (const [name, values] of Object.entries(lists)) {
    yield `${before},${JSON.stringify(name)}:[`
    yield* 'rows' in values ? writeRows(values) : writeNumbers(values)
    before = ']'
  }
  yield `${before}}`
}

const numbersOf = (values: NumberList): FixedNumbers => ('rows' in values ? values.values : values)

/** JSON has no number for infinity. */
function refuseInfinite(values: FixedNumbers): void {
  if (!values.areFinite())
    throw new RefusedError('invalid', 'the samples are too large for this analysis')
}

function* writeNumbers(values: FixedNumbers, from = 0, to = values.length): Generator<string> {
  for (let first = from; first < to; first += CHUNK_NUMBERS) {
    const part = values.slice(first, Math.min(first + CHUNK_NUMBERS, to))
    yield `${first === from ? '' : ','}${part.join(',')}`
  }
}

function* writeRows({ rows, columns, values }: NumberMatrix): Generator<string> {
  for (let row = 0; row < rows; row++) {
    yield row === 0 ? '[' : ',['
    yield* writeNumbers(values, row * columns, (row + 1) * columns)
    yield ']'
  }
}
