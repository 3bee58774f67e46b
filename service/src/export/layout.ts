import type { Zone } from '../domain/time/local-time.ts'
import type { RecordKind } from '../storage/storage.ts'

/** A station or sensor whose records are exported. */
export type ExportSource = {
  /** By which storage knows it. */
  source: number
  /** By which the site knows it. */
  id: string
  name: string
  zone: Zone
  items: readonly { key: string; unit: string }[]
}

/**
 * How times are written: by the structure's clock with the instant beside it, by this clock with
 * its offset, or in UTC.
 */
export type TimeStyle = 'local' | 'offset' | 'utc'

/** What the columns of an export are. */
export type Layout = {
  times: TimeStyle
  /** Headers of the columns that say of which source a row is; none where there is one source. */
  names: readonly string[]
  /** Headers of the items, `strain [µε]`. */
  items: readonly string[]
  /** Places among the items by key, for each source. */
  places: ReadonlyMap<ExportSource, ReadonlyMap<string, number>>
}

const WHAT = { theme: 'station', raw: 'sensor' } as const

/** Items of the same key and unit share a column, of whichever source they are. */
export function layOut(
  kind: RecordKind,
  times: TimeStyle,
  sources: readonly ExportSource[],
): Layout {
  const names = sources.length > 1 ? [WHAT[kind], `${WHAT[kind]} name`] : []
  const taken = new Set([...names, ...timeHeaders(times)])
  const columns = new Map<string, number>()
  const place = (key: string, unit: string): number => {
    const header = unit === '' && !taken.has(key) ? key : `${key} [${unit}]`
    const known = columns.get(header) ?? columns.size
    columns.set(header, known)
    return known
  }
  const places = new Map(
    sources.map((source) => [
      source,
      new Map(source.items.map(({ key, unit }) => [key, place(key, unit)])),
    ]),
  )
  return { times, names, items: [...columns.keys()], places }
}

export const timeHeaders = (times: TimeStyle): readonly string[] =>
  times === 'local' ? ['time', 'instant'] : ['time']
