import { RECORD_KINDS } from '../domain/records/record-sources.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { openPart } from '../storage/sealed-days/sealed-part.ts'
import type { RecordKind, Storage } from '../storage/storage.ts'
import type { Finding, FoundSource } from './findings.ts'
import type { Progress } from './progress.ts'

/** What the checks of the doctor read, and where they leave what they find. */
export type CheckContext = {
  storage: Storage
  catalogue: Catalogue
  findings: Finding[]
  signal: AbortSignal
}

/** Runs a check; damage that ends it is one finding, and the other checks still run. */
export async function runCheck(findings: Finding[], check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    findings.push({ damage: error.message })
  }
}

/** Counts sealed days and their intact records. */
export async function inspectSealed(
  { storage, catalogue, findings, signal }: CheckContext,
  progress: Progress,
): Promise<{ parts: number; records: number }> {
  const intact = { parts: 0, records: 0 }
  for (const kind of RECORD_KINDS)
    await runCheck(findings, async () => {
      const total = intact.parts + (await storage.sealedDays.countParts(kind))
      for await (const { source, part } of storage.sealedDays.listParts(kind)) {
        throwIfStopped(signal)
        progress.show(++intact.parts, total)
        try {
          openPart(part)
          intact.records += part.count
        } catch (error) {
          if (!(error instanceof DamageError)) throw error
          findings.push({ ...place(catalogue, kind, source, part.start), damage: error.message })
        }
      }
    })
  return intact
}

/** Counts the intact open records; each damaged day of a source is one finding. */
export async function inspectOpen({
  storage,
  catalogue,
  findings,
  signal,
}: CheckContext): Promise<number> {
  let intact = 0
  for (const kind of RECORD_KINDS)
    await runCheck(findings, async () => {
      for await (const { source, start, records, damage } of storage.records.inspect(kind)) {
        throwIfStopped(signal)
        intact += records
        if (damage !== undefined)
          findings.push({ ...place(catalogue, kind, source, start), damage })
      }
    })
  return intact
}

/** Counts waveforms and their intact samples. */
export async function inspectWaveforms({
  storage,
  catalogue,
  findings,
}: CheckContext): Promise<{ count: number; samples: number }> {
  const intact = { count: 0, samples: 0 }
  await runCheck(findings, async () => {
    for await (const { waveform, damage } of storage.waveforms.inspect()) {
      intact.count++
      if (damage === undefined) intact.samples += waveform.count
      else
        findings.push({
          ...place(catalogue, 'theme', waveform.station, waveform.collectTime),
          damage: `waveform ${waveform.id}: ${damage}`,
        })
    }
  })
  return intact
}

function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new RefusedError('unavailable', 'Stopped before all data was checked.')
}

/** The station or sensor of a record and its local day. */
function place(
  catalogue: Catalogue,
  kind: RecordKind,
  source: number,
  start: number,
): { source: FoundSource; day: string } {
  const station = catalogue.stations.get(source)
  const sensor = catalogue.sensors.values().find(({ key }) => key === source)
  const { entry, structure } = (kind === 'theme' ? station : sensor) ?? {}
  const moment = structure?.zone.toLocal(start) ?? new Date(start).toISOString()
  return {
    source: {
      kind: kind === 'theme' ? 'station' : 'sensor',
      id: entry?.id ?? source,
      name: entry?.name ?? '',
    },
    day: moment.slice(0, 10),
  }
}
