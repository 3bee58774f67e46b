import { Catalogue } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { DamageError } from '../errors/damage-error.ts'
import { codeOf, toError } from '../errors/thrown.ts'
import { openPart } from '../storage/sealed-days/sealed-part.ts'
import { RECORD_KINDS } from '../domain/records/record-sources.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { isMalformed } from '../storage/sqlite/connection/sqlite-errors.ts'
import type { RecordKind, Storage } from '../storage/storage.ts'
import type { Command, CommandContext } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { countOf } from '../errors/show.ts'

export const doctor: Command = {
  summary: 'check all stored data for damage',
  usage: 'plumbline doctor [--rebuild-indexes]',
  help: `Checks the database file, the checksums, counts and bounds of all sealed days, and the checksums of open
records, waveforms and all other tables that hold data. Prints one line for each place that is damaged, with the
station or sensor and the day. Exits with 0 if there is no damage, otherwise with 1. Without a flag nothing is
changed, and the service may be running.

  --rebuild-indexes   rebuild indexes and counts that do not match their rows. Stop the
                      service first.`,
  options: { 'rebuild-indexes': { type: 'boolean' } },

  async run(context) {
    const { flags, signal, print } = context
    await using storage = await openForChecks(context)
    if (flags['rebuild-indexes'] === true)
      print(`Rebuilt indexes and counts: ${await storage.rebuildIndexes()}.`)
    const { damaged: findings, stale } = await storage.inspect()
    const catalogue = await readCatalogue(storage, findings)
    let parts = 0
    let records = 0
    using progress = new Progress('sealed days')
    for (const kind of RECORD_KINDS)
      await runCheck(findings, async () => {
        const total = parts + (await storage.sealedDays.countParts(kind))
        for await (const { source, part } of storage.sealedDays.listParts(kind)) {
          if (signal.aborted)
            throw new RefusedError('unavailable', 'Stopped before all data was checked.')
          progress.show(++parts, total)
          try {
            openPart(part)
            records += part.count
          } catch (error) {
            if (!(error instanceof DamageError)) throw error
            findings.push(`${describe(catalogue, kind, source, part.start)}: ${error.message}`)
          }
        }
      })
    progress[Symbol.dispose]()
    const open = await inspectOpen(storage, catalogue, findings, signal)
    const waveforms = await inspectWaveforms(storage, catalogue, findings)
    for (const finding of [...findings, ...stale]) print(finding)
    print(`Checked ${countOf(parts, 'sealed day')} with ${countOf(records, 'intact record')}.`)
    if (open > 0) print(`Checked ${countOf(open, 'intact record')} of open days.`)
    if (waveforms.count > 0)
      print(
        `Checked ${countOf(waveforms.count, 'waveform')} with ${countOf(waveforms.samples, 'intact sample')}.`,
      )
    const remedies = [
      ...(findings.length === 0
        ? []
        : [
            `Found damage in ${countOf(findings.length, 'place')}. Restore the data folder from a backup.`,
          ]),
      ...(stale.length === 0
        ? []
        : ['Stop the service and run "plumbline doctor --rebuild-indexes".']),
    ]
    if (remedies.length > 0) throw new RefusedError('unavailable', remedies.join(' '))
  },
}

/** Opens the storage; a database that cannot be opened is damage. */
async function openForChecks(context: CommandContext): Promise<Storage> {
  try {
    return await openStorage(context)
  } catch (error) {
    if (!(error instanceof DamageError) && !isMalformed(codeOf(error))) throw error
    const { message } = toError(error)
    throw new DamageError(
      `${message} SQLite cannot open it, so nothing could be checked. Stop the service and move the file away together with its -wal and -shm files before you restore a backup.`,
    )
  }
}

/** The site, for the names of stations and sensors; an empty one where it is damaged. */
async function readCatalogue(storage: Storage, findings: string[]): Promise<Catalogue> {
  let catalogue = NO_SITE
  await runCheck(findings, async () => {
    catalogue = await openCatalogue(storage.site)()
  })
  return catalogue
}

const NO_SITE = new Catalogue({
  version: 0,
  entries: [],
  defaultGroups: [],
  sensorKeys: new Map(),
})

/** Runs a check; damage that ends it is one finding, and the other checks still run. */
async function runCheck(findings: string[], check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    findings.push(error.message)
  }
}

/** Counts the intact open records; each damaged day of a source is one finding. */
async function inspectOpen(
  storage: Storage,
  catalogue: Catalogue,
  findings: string[],
  signal: AbortSignal,
): Promise<number> {
  let intact = 0
  const found = new Set<string>()
  for (const kind of RECORD_KINDS)
    await runCheck(findings, async () => {
      for await (const { source, start, records, damage } of storage.records.inspect(kind)) {
        if (signal.aborted)
          throw new RefusedError('unavailable', 'Stopped before all data was checked.')
        intact += records
        if (damage !== undefined)
          found.add(`${describe(catalogue, kind, source, start)}: ${damage}`)
      }
    })
  findings.push(...found)
  return intact
}

async function inspectWaveforms(
  storage: Storage,
  catalogue: Catalogue,
  findings: string[],
): Promise<{ count: number; samples: number }> {
  const intact = { count: 0, samples: 0 }
  await runCheck(findings, async () => {
    for await (const { waveform, damage } of storage.waveforms.inspect()) {
      intact.count++
      if (damage === undefined) intact.samples += waveform.count
      else {
        const place = describe(catalogue, 'theme', waveform.station, waveform.collectTime)
        findings.push(`${place}, waveform ${waveform.id}: ${damage}`)
      }
    }
  })
  return intact
}

/** `Station 44132 "…", 2026-03-01`. */
function describe(catalogue: Catalogue, kind: RecordKind, source: number, start: number): string {
  const station = catalogue.stations.get(source)
  const sensor = catalogue.sensors.values().find(({ key }) => key === source)
  const { entry, structure } = (kind === 'theme' ? station : sensor) ?? {}
  const moment = structure?.zone.toLocal(start) ?? new Date(start).toISOString()
  const noun = kind === 'theme' ? 'Station' : 'Sensor'
  return `${noun} ${entry?.id ?? source} "${entry?.name ?? ''}", ${moment.slice(0, 10)}`
}
