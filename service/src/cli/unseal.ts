import { parseInstant, type Zone } from '../domain/time/local-time.ts'
import { localDayAt } from '../domain/time/local-day.ts'
import { RECORD_KINDS, structuresOf } from '../domain/records/record-sources.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import { printResult, UsageError, type Command } from './command.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { readStructure } from './read-structure.ts'
import { countOf } from '../errors/show.ts'

export const unseal: Command = {
  summary: 'turn sealed days into open days',
  usage: 'plumbline unseal --structure ID --from DATE --to DATE [--json]',
  help: `Rarely needed, since records of sealed days can be corrected. Clients read the same data as before. A
running service seals the days again unless its setting seal.everyMinutes is 0.

  --structure ID        unseal the days of this structure
  --from, --to DATE     first and last day, such as 2026-03-01, in the structure's time zone
  --json                print JSON: {"records"}`,
  options: {
    structure: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const { flags, signal, printError } = context
    await using storage = await openStorage(context)
    const catalogue = await openCatalogue(storage.site)()
    const structure = readStructure(flags['structure'], catalogue)
    if (structure === undefined)
      throw new UsageError('unseal needs --structure with a structure id')
    const { zone, entry } = structure
    const { start } = readDay('--from', flags['from'], zone)
    const { until } = readDay('--to', flags['to'], zone)
    if (start >= until) throw new UsageError('--from must not be after --to')

    const sources = RECORD_KINDS.flatMap((kind) =>
      Array.from(structuresOf(catalogue, kind))
        .filter(([, home]) => home.entry.id === entry.id)
        .map(([source]) => ({ kind, source })),
    )
    await recordWrite(storage, 'unseal', { structures: [entry.id] }, printError)
    using progress = new Progress('sources')
    let records = 0
    for (const [at, source] of sources.entries()) {
      if (signal.aborted) break
      progress.show(at, sources.length)
      records += (await storage.sealedDays.unseal({ ...source, start, until })).records
    }
    progress[Symbol.dispose]()
    printResult(context, { records }, [
      records === 0
        ? 'There are no sealed days in this range.'
        : `Unsealed ${countOf(records, 'record')}.`,
    ])
  },
}

function readDay(name: string, flag: string | boolean | undefined, zone: Zone) {
  const isDate = typeof flag === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(flag)
  const instant = isDate ? parseInstant(`${flag} 00:00`, zone) : undefined
  if (instant === undefined) throw new UsageError(`${name} must be a day such as 2026-03-01`)
  return localDayAt(instant, zone)
}
