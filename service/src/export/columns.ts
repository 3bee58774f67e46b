import type { Zone } from '../domain/time/local-time.ts'
import type { RecordKind } from '../storage/storage.ts'

/** A station or sensor whose records are exported. */
export type ExportSource = {
  /** The id of a station, or the key of a sensor in storage. */
  source: number
  /** The id in the site. */
  id: string
  name: string
  zone: Zone
  items: readonly { key: string; unit: string }[]
}

/**
 * How times are written: as local time with the instant beside it, as local time with its offset, or
 * in UTC.
 */
export type TimeStyle = 'local' | 'offset' | 'utc'

/** The columns of an export. */
export type ExportLayout = {
  times: TimeStyle
  /** Headers of the columns that name the source of a row; none for a single source. */
  names: readonly string[]
  /** Headers of the items, such as `strain [µε]`. */
  items: readonly string[]
  /** Whether each item has its quality in a column behind it. */
  hasQuality: boolean
  /** The index of each item key in `items`, for each source. */
  places: ReadonlyMap<ExportSource, ReadonlyMap<string, number>>
}

type LayoutOptions = { kind: RecordKind; times: TimeStyle; hasQuality?: boolean }

const SOURCE_NAMES = { theme: 'station', raw: 'sensor' } as const

/** Lays out the columns of some sources; items with the same key and unit share a column. */
export function layOut(
  { kind, times, hasQuality = false }: LayoutOptions,
  sources: readonly ExportSource[],
): ExportLayout {
  const names = sources.length > 1 ? [SOURCE_NAMES[kind], `${SOURCE_NAMES[kind]} name`] : []
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
  return { times, names, items: [...columns.keys()], hasQuality, places }
}

/** The header of the column of qualities of an item. */
export const qualityHeader = (item: string): string => `${item} quality`

export const timeHeaders = (times: TimeStyle): readonly string[] =>
  times === 'local' ? ['time', 'instant'] : ['time']
