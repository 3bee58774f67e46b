import { readFile } from 'node:fs/promises'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { RecordStore, Reject } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import { readMapping, type Mapping } from '../formats/mapping.ts'
import { readRow } from '../formats/read-rows.ts'
import type { RowBatch } from '../formats/records.ts'
import type { ReplayOutcome } from '../rejects/replay.ts'
import { parseContext, type LineContext } from './line-context.ts'
import { zonesOf } from './zones-of.ts'

export type ReplayParts = {
  ingest: Pick<RecordIngest, 'raw' | 'theme' | 'ofPast' | 'catalogue'>
  data: Pick<RecordStore, 'readLists'>
}

/** Reads a rejected line by its mapping of today; only what was not stored of it is stored. */
export async function replayRow(
  { ingest, data }: ReplayParts,
  { payload, context }: Reject,
): Promise<ReplayOutcome> {
  const how = parseContext(context)
  if (how === undefined) return { problem: NOT_A_ROW }
  if (how.isCut) return { problem: 'only the beginning of the line was kept' }
  try {
    const mapping = await loadMapping(how)
    const catalogue = await ingest.catalogue()
    const line = Buffer.from(payload).toString()
    const batch = readRow(line, how.header, { mapping, zoneOf: zonesOf(catalogue) })
    const [refused] = batch.refused
    if (refused !== undefined) return { problem: refused.reason }
    if (mapping.duplicates === 'refuse' && (await hasAny(data, batch, catalogue)))
      return { problem: 'an earlier row has the same time' }
    return await store(how.isLive === true ? ingest : ingest.ofPast(), batch)
  } catch (error) {
    if (error instanceof RefusedError && error.reason === 'invalid')
      return { problem: error.message }
    throw error
  }
}

const NOT_A_ROW =
  'it is no row that can be read by itself; import the file again, or let the folder be read on'

/** The mapping of the file, without what was stored already. */
async function loadMapping({ mapping: name, stored }: LineContext): Promise<Mapping> {
  const text = await readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RefusedError('invalid', `the mapping file ${name} cannot be read: ${error.code}`)
  })
  const mapping = readMapping(text, name)
  const targets = mapping.targets.filter(({ id }) => !stored.includes(id))
  if (targets.length === 0)
    throw new RefusedError('invalid', `${name} names nothing that was not stored of the line`)
  return { ...mapping, targets }
}

async function store(
  ingest: Pick<RecordIngest, 'raw' | 'theme'>,
  { raw, theme }: RowBatch,
): Promise<ReplayOutcome> {
  // What was stored of a sensor's record stays beside what is stored now.
  const ofRaw = raw.length === 0 ? undefined : await ingest.raw(raw, { merge: true })
  const ofTheme = theme.length === 0 ? undefined : await ingest.theme(theme)
  const rejected = [...(ofRaw?.rejected ?? []), ...(ofTheme?.rejected ?? [])]
  return rejected[0] === undefined ? {} : { problem: rejected[0].message }
}

/** Whether any of the records is there already. */
async function hasAny(
  data: Pick<RecordStore, 'readLists'>,
  { raw, theme }: RowBatch,
  { sensors }: Catalogue,
): Promise<boolean> {
  const records = [
    ...raw.map(({ sensor, time }) => ({ kind: 'raw', source: sensors.get(sensor)?.key, time })),
    ...theme.map(({ station, time }) => ({ kind: 'theme', source: station, time })),
  ] as const
  for (const { kind, source, time } of records) {
    if (source === undefined) continue
    const span = { kind: kind as 'raw' | 'theme', source, from: time, to: time }
    for await (const { times } of data.readLists(span)) if (times.length > 0) return true
  }
  return false
}
