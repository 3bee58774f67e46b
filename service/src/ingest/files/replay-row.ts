import { readFile } from 'node:fs/promises'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { codeOf } from '../../errors/thrown.ts'
import type { RecordKind, RecordStore, Reject } from '../../storage/storage.ts'
import type { RecordIngest } from '../record-ingest.ts'
import { readMapping, type Mapping } from '../formats/mapping.ts'
import { readRow } from '../formats/read-rows.ts'
import type { RowBatch } from '../formats/records.ts'
import type { RecordOptions } from '../records/record-options.ts'
import type { ReplayOutcome } from '../rejects/replay.ts'
import { parseContext, type LineContext } from './line-context.ts'
import { unitsOf, zonesOf } from './site-of-targets.ts'
import { textOfBytes } from '../../yaml/yaml-bytes.ts'

export type ReplayParts = {
  ingest: Pick<RecordIngest, 'raw' | 'theme' | 'ofPast' | 'catalogue'>
  data: Pick<RecordStore, 'findStored'>
}

/** Reads a rejected line with its current mapping, and stores the values that were not stored. */
export async function replayRow(
  { ingest, data }: ReplayParts,
  { payload, context }: Reject,
): Promise<ReplayOutcome> {
  const kept = parseContext(context)
  if (kept === undefined) return { problem: NOT_A_ROW }
  if (kept.isCut) return { problem: 'only the beginning of the line was kept' }
  try {
    const mapping = await loadMapping(kept)
    const catalogue = await ingest.catalogue()
    const line = Buffer.from(payload).toString()
    const { header, isSecondPass } = kept
    const batch = readRow(line, header, {
      mapping,
      zoneOf: zonesOf(catalogue),
      unitOf: unitsOf(catalogue),
      isSecondPass,
    })
    const [rejected] = batch.rejected
    if (rejected !== undefined) return { problem: rejected.reason }
    if (mapping.duplicates === 'refuse' && (await hasAny(data, batch, catalogue)))
      return { problem: 'an earlier row has the same time' }
    const replace = kept.replace ?? mapping.replace
    return await store(kept.isLive === true ? ingest : ingest.ofPast(), batch, { replace })
  } catch (error) {
    if (error instanceof RefusedError && error.reason === 'invalid')
      return { problem: error.message }
    throw error
  }
}

const NOT_A_ROW =
  'it is no row that can be read by itself; import the file again, or let the folder be read on'

/** The mapping of the file, without the targets that are stored already. */
async function loadMapping({ mapping: name, stored }: LineContext): Promise<Mapping> {
  const bytes = await readFile(name).catch((error: unknown) => {
    throw new RefusedError('invalid', `the mapping file ${name} cannot be read: ${codeOf(error)}`)
  })
  const mapping = readMapping(textOfBytes(bytes, name), name)
  const targets = mapping.targets.filter(({ id }) => !stored.includes(id))
  if (targets.length === 0)
    throw new RefusedError('invalid', `${name} names nothing that was not stored of the line`)
  return { ...mapping, targets }
}

async function store(
  ingest: Pick<RecordIngest, 'raw' | 'theme'>,
  { raw, theme }: RowBatch,
  options: RecordOptions,
): Promise<ReplayOutcome> {
  const rawReport = raw.length === 0 ? undefined : await ingest.raw(raw, options)
  const themeReport = theme.length === 0 ? undefined : await ingest.theme(theme, options)
  const [first] = [...(rawReport?.rejected ?? []), ...(themeReport?.rejected ?? [])]
  return first === undefined ? {} : { problem: first.message }
}

/** Whether any of the records is stored already. */
async function hasAny(
  data: Pick<RecordStore, 'findStored'>,
  { raw, theme }: RowBatch,
  { sensors }: Catalogue,
): Promise<boolean> {
  const has = async (kind: RecordKind, source: number | undefined, time: number) => {
    if (source === undefined) return false
    const [stored] = await data.findStored(kind, { sources: [source], times: [time] })
    return stored !== undefined && (stored.record !== null || stored.marks !== null)
  }
  for (const { sensor, time } of raw)
    if (await has('raw', sensors.get(sensor)?.key, time)) return true
  for (const { station, time } of theme) if (await has('theme', station, time)) return true
  return false
}
