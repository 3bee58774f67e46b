import { RefusedError } from '../domain/refused-error.ts'

/** A list of numbers, or rows of them that lie one behind the other. */
export type Values = Float64Array | { rows: number; columns: number; values: Float64Array }

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
    yield* values instanceof Float64Array ? writeNumbers(values) : writeRows(values)
    before = ']'
  }
  yield `${before}}`
}

const numbersOf = (values: Values): Float64Array =>
  values instanceof Float64Array ? values : values.values

/** JSON has no word for what is beyond the doubles. */
function refuseInfinite(values: Float64Array): void {
  if (!values.every(Number.isFinite))
    throw new RefusedError('invalid', 'the samples are too large for this to be computed')
}

function* writeNumbers(values: Float64Array): Generator<string> {
  for (let first = 0; first < values.length; first += AT_ONCE) {
    const part = values.subarray(first, first + AT_ONCE)
    yield `${first === 0 ? '' : ','}${part.join(',')}`
  }
}

function* writeRows({ rows, columns, values }: Exclude<Values, Float64Array>): Generator<string> {
  for (let row = 0; row < rows; row++) {
    yield row === 0 ? '[' : ',['
    yield* writeNumbers(values.subarray(row * columns, (row + 1) * columns))
    yield ']'
  }
}
