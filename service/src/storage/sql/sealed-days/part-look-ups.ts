import { SharedLookUps } from '../../../concurrency/shared-look-ups.ts'
import type { RecordKind } from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
import {
  deflatedColumns,
  findPart,
  toCheckedPart,
  type DeflatedPart,
  type DeflatedRow,
} from './sealed-parts.ts'

type Place = { source: number; instant: number }

/** The numbers of places that one statement looks up: few texts, so that they stay prepared. */
const SIZES = [1, 2, 4, 8, 16] as const

/** Sealed parts of 16 days take some 100 KB; a database that reads them from its disk has more at once. */
const LOOK_UPS = { atOnce: 2, keys: 16, patienceMilliseconds: 4 }

/** No source has it. */
const NOWHERE = { source: -1, instant: 0 }

/** Finds sealed parts, those of several requests together where the database is on a network. */
export class PartLookUps {
  readonly #reader: SqlReader
  readonly #shared: Readonly<Record<RecordKind, SharedLookUps<Place, DeflatedRow>>>

  constructor(reader: SqlReader) {
    this.#reader = reader
    const of = (kind: RecordKind) =>
      new SharedLookUps<Place, DeflatedRow>((places) => findRows(reader, kind, places), LOOK_UPS)
    this.#shared = { theme: of('theme'), raw: of('raw') }
  }

  /** The part of a source that covers an instant, or the first part after it. */
  async find(kind: RecordKind, source: number, instant: number): Promise<DeflatedPart | undefined> {
    const { isRemote, isSpread } = this.#reader.dialect
    // A cluster answers a statement over one source only without asking several workers.
    if (!isRemote || isSpread) return findPart(this.#reader, kind, source, instant)
    const row = await this.#shared[kind].find({ source, instant })
    return row && toCheckedPart({ kind, source }, row)
  }
}

async function findRows(
  reader: SqlReader,
  kind: RecordKind,
  places: readonly Place[],
): Promise<(DeflatedRow | undefined)[]> {
  const size = SIZES.find((size) => size >= places.length) ?? tooMany()
  const columns = deflatedColumns(reader.dialect, kind)
  const sql = Array.from(
    { length: size },
    (_, at) => `(select ${at}, ${columns} from ${kind}_sealed_parts
      where source = ? and until > ? order by until limit 1)`,
  )
  const values = Array.from({ length: size }, (_, at) => {
    const { source, instant } = places[at] ?? NOWHERE
    return [instant, source, source, instant]
  })
  const rows = await reader.rows<[at: number, ...DeflatedRow]>(
    sql.join(' union all '),
    ...values.flat(),
  )
  const found = new Map(rows.map(([at, ...row]) => [at, row]))
  return places.map((_, at) => found.get(at))
}

function tooMany(): never {
  throw new Error(`more than ${SIZES.at(-1)} places at once`)
}
