import type { FixedNumbers } from '../../encodings/fixed-numbers.ts'
import { RefusedError } from '../../errors/refused-error.ts'

/** A list of numbers, or rows of them that lie one behind the other. */
export type Values = FixedNumbers | Rows

type Rows = { rows: number; columns: number; values: FixedNumbers }

/** An object whose last members are long lists. */
export type Lists = { head: object; lists: Record<string, Values> }

/** So many numbers become text at a time; other requests are answered in between. */
const AT_ONCE = 4_096

/** The JSON of an object with long lists, made in pieces when the first is asked for. */
export async function* writeLists(make: () => Promise<Lists>): AsyncGenerator<string> {
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

const numbersOf = (values: Values): FixedNumbers => ('rows' in values ? values.values : values)

/** JSON has no word for what is beyond the doubles. */
function refuseInfinite(values: FixedNumbers): void {
  if (!values.areFinite())
    throw new RefusedError('invalid', 'the samples are too large for this to be computed')
}

function* writeNumbers(values: FixedNumbers, from = 0, to = values.length): Generator<string> {
  for (let first = from; first < to; first += AT_ONCE) {
    const part = values.slice(first, Math.min(first + AT_ONCE, to))
    yield `${first === from ? '' : ','}${part.join(',')}`
  }
}

function* writeRows({ rows, columns, values }: Rows): Generator<string> {
  for (let row = 0; row < rows; row++) {
    yield row === 0 ? '[' : ',['
    yield* writeNumbers(values, row * columns, (row + 1) * columns)
    yield ']'
  }
}
