import { Catalogue } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { DamageError } from '../errors/damage-error.ts'
import { openPart } from '../storage/sealed-days/sealed-part.ts'
import { RECORD_KINDS } from '../domain/records/record-sources.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { isMalformed } from '../storage/sqlite/connection/reader.ts'
import type { RecordKind, Storage } from '../storage/storage.ts'
import type { Command, CommandContext } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'

export const doctor: Command = {
  summary: 'look through everything that is stored for damage',
  usage: 'plumbline doctor [--rebuild-indexes]',
  help: `Checks the database file, every sealed day, its checksums, its count, its bounds, the checksums of
open records and of every waveform, and the rows of all other tables that matter. Each finding names the station or sensor and the day; without findings it ends
with 0, otherwise with 1. Nothing is changed, and the service may run meanwhile.

  --rebuild-indexes   first makes indexes and counts again that do not agree with their rows; stop
                      the service before`,
  options: { 'rebuild-indexes': { type: 'boolean' } },

  async run(context) {
    const { flags, signal, print } = context
    await using storage = await openSurely(context)
    if (flags['rebuild-indexes'] === true)
      print(`Indexes and counts that were rebuilt: ${await storage.rebuildIndexes()}.`)
    const { damaged: findings, stale } = await storage.inspect()
    const catalogue = await readCatalogue(storage, findings)
    let parts = 0
    let records = 0
    using progress = new Progress('sealed days')
    for (const kind of RECORD_KINDS)
      await checkAnyway(findings, async () => {
        const total = parts + (await storage.sealedDays.countParts(kind))
        for await (const { source, part } of storage.sealedDays.listParts(kind)) {
          if (signal.aborted) throw new RefusedError('unavailable', 'Stopped before the end.')
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
    const waves = await inspectWaveforms(storage, catalogue, findings)
    for (const finding of [...findings, ...stale]) print(finding)
    print(`${parts} sealed days with ${records} sound records were looked through.`)
    if (open > 0) print(`${open} sound records of open days were looked through.`)
    if (waves.batches > 0)
      print(`${waves.batches} waveforms with ${waves.samples} sound samples were looked through.`)
    const places = findings.length === 1 ? 'place is' : 'places are'
    const remedies = [
      ...(findings.length === 0
        ? []
        : [`${findings.length} ${places} damaged; restore them from a backup.`]),
      ...(stale.length === 0
        ? []
        : ['Stop the service and run "plumbline doctor --rebuild-indexes".']),
    ]
    if (remedies.length > 0) throw new RefusedError('unavailable', remedies.join(' '))
  },
}

/** Of what cannot even be opened no place can be named. */
async function openSurely(context: CommandContext): Promise<Storage> {
  try {
    return await openStorage(context)
  } catch (error) {
    if (!(error instanceof DamageError) && !isMalformed(error)) throw error
    const { message } = error as Error
    throw new DamageError(
      `${message} SQLite cannot open it, so nothing of it could be looked through. Stop the service and move the file away with its -wal and -shm before you restore.`,
    )
  }
}

/** Without the site stations and sensors have their numbers only. */
async function readCatalogue(storage: Storage, findings: string[]): Promise<Catalogue> {
  let catalogue = NO_SITE
  await checkAnyway(findings, async () => {
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

/** A table that cannot be read at all is one finding; the others are checked. */
async function checkAnyway(findings: string[], check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    findings.push(error.message)
  }
}

/** How many open records are sound; each day of a source with damage is one finding. */
async function inspectOpen(
  storage: Storage,
  catalogue: Catalogue,
  findings: string[],
  signal: AbortSignal,
): Promise<number> {
  let sound = 0
  const found = new Set<string>()
  for (const kind of RECORD_KINDS)
    await checkAnyway(findings, async () => {
      for await (const { source, start, records, damage } of storage.records.inspect(kind)) {
        if (signal.aborted) throw new RefusedError('unavailable', 'Stopped before the end.')
        sound += records
        if (damage !== undefined)
          found.add(`${describe(catalogue, kind, source, start)}: ${damage}`)
      }
    })
  findings.push(...found)
  return sound
}

async function inspectWaveforms(
  storage: Storage,
  catalogue: Catalogue,
  findings: string[],
): Promise<{ batches: number; samples: number }> {
  const looked = { batches: 0, samples: 0 }
  await checkAnyway(findings, async () => {
    for await (const { waveform, damage } of storage.waveforms.inspect()) {
      looked.batches++
      if (damage === undefined) looked.samples += waveform.count
      else {
        const place = describe(catalogue, 'theme', waveform.station, waveform.collectTime)
        findings.push(`${place}, waveform ${waveform.id}: ${damage}`)
      }
    }
  })
  return looked
}

/** `Station 44132 "…", 2026-03-01`, as the operator knows it. */
function describe(catalogue: Catalogue, kind: RecordKind, source: number, start: number): string {
  const station = catalogue.stations.get(source)
  const sensor = catalogue.sensors.values().find(({ key }) => key === source)
  const { entry, structure } = (kind === 'theme' ? station : sensor) ?? {}
  const moment = structure?.zone.toLocal(start) ?? new Date(start).toISOString()
  const what = kind === 'theme' ? 'Station' : 'Sensor'
  return `${what} ${entry?.id ?? source} "${entry?.name ?? ''}", ${moment.slice(0, 10)}`
}
