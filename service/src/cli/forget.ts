import { countPast, forgetPast, type PastTerm } from '../sealing/retention.ts'
import { giveSpaceBack } from '../sealing/give-space-back.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Command } from './command.ts'
import { openStorage } from './open.ts'
import { readStructure } from './read-structure.ts'
import { formatTable } from './table.ts'

export const forget: Command = {
  summary: 'delete records that are past the retention of their structure',
  usage: 'plumbline forget [--structure ID] [--dry-run]',
  help: `A running service does this by itself. The site file says how long a structure keeps its records;
where it says nothing, nothing is deleted. What is deleted cannot be brought back.

  --structure ID   only the records of this structure
  --dry-run        show how many records would go, and change nothing`,
  options: { structure: { type: 'string' }, 'dry-run': { type: 'boolean' } },

  async run({ dataFolder, flags, signal, print }) {
    await using storage = await openStorage(dataFolder)
    const catalogue = await openCatalogue(storage.sites)()
    const structure = readStructure(flags['structure'], catalogue)
    const options = { storage, catalogue, structure, now: Date.now(), signal }
    const isDry = flags['dry-run'] === true
    const counts = await (isDry ? countPast(options) : forgetPast(options))
    for (const line of describe(counts)) print(line)
    if (isDry) return print('(dry run: nothing was changed)')
    if (counts.length > 0) print('These records were deleted.')
    await giveSpaceBack({ storage, signal })
    if (signal.aborted) print('Stopped; what is left goes the next time.')
  },
}

function describe(counts: readonly PastTerm[]): string[] {
  if (counts.length === 0) return ['No records are past their term.']
  const rows = counts.map(({ structure, theme, raw, vibration, traffic }) =>
    [structure, theme, raw, vibration, traffic].map(String),
  )
  return formatTable(['structure', 'theme', 'raw', 'vibration', 'traffic'], rows)
}
