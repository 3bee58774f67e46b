/** Rows that are written once: none changes, and no id of theirs is used for others. */
export type FixedRows = {
  /** What the rows of an id are: a sealed part, a waveform, a picture. */
  kind: 'theme' | 'raw' | 'waveforms' | 'pictures'
  /** A query of all ids of a schema. */
  list(schema: string): string
  /** The number of records of a row `placed`, as an expression. */
  records: string
  tables: readonly FixedTable[]
}

/** A table with rows of an id: those whose column lies between the id and the next, times the factor. */
export type FixedTable = { name: string; column: string; factor: number }

const sealed = (kind: 'theme' | 'raw'): FixedRows => ({
  kind,
  // From an index: the rows themselves are long.
  list: (schema) =>
    `select id from ${schema}.${kind}_sealed_parts indexed by ${kind}_sealed_parts_by_end`,
  records: `(select count from live.${kind}_sealed_parts as part where part.id = placed.id)`,
  tables: [
    { name: `${kind}_sealed_parts`, column: 'id', factor: 1 },
    { name: `${kind}_sealed_chunks`, column: 'part_id', factor: 1 },
  ],
})

/** The id of a chunk is this times that of its waveform, plus its index. */
const CHUNKS_OF_WAVEFORM = 2 ** 21

/** From the chunks: those of a deleted waveform stay for `plumbline undo`. */
function listWaveforms(schema: string): string {
  const next = (after: string): string =>
    `(select min(id) / ${CHUNKS_OF_WAVEFORM} from ${schema}.waveform_chunks where id >= ${after})`
  return `with recursive found (id) as (
      select ${next('0')}
      union all select ${next(`(found.id + 1) * ${CHUNKS_OF_WAVEFORM}`)} from found where id is not null)
    select id from found where id is not null`
}

/** The rows that a backup copies once. */
export const FIXED_ROWS: readonly FixedRows[] = [
  sealed('theme'),
  sealed('raw'),
  {
    kind: 'waveforms',
    list: listWaveforms,
    records: '0',
    tables: [{ name: 'waveform_chunks', column: 'id', factor: CHUNKS_OF_WAVEFORM }],
  },
  {
    kind: 'pictures',
    list: (schema) => `select id from ${schema}.pictures`,
    records: '0',
    tables: [{ name: 'pictures', column: 'id', factor: 1 }],
  },
]

export const FIXED_TABLES: ReadonlySet<string> = new Set(
  FIXED_ROWS.flatMap(({ tables }) => tables.map(({ name }) => name)),
)
