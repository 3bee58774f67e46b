import { readFile } from 'node:fs/promises'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import type { SiteEffect } from '../site/apply/site-effect.ts'
import {
  chooseSubcommand,
  printResult,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { openStorage } from './open.ts'
import { recordAccess, recordWrite } from './record-command.ts'

export const site: Command = {
  summary: 'apply a site file: structures, stations, users, thresholds',
  usage: 'plumbline site apply FILE [--dry-run] [--delete-records] [--remove-users] [--json]',
  help: `  apply FILE         change the site to what the file declares; a running service uses it immediately.
                     Applying the same file again changes nothing. A file with errors is not applied:
                     every error is printed with its place, its line and the reason.

  --dry-run          show the difference and change nothing
  --delete-records   also remove stations and devices that have records, with these records
  --remove-users     also remove users that are not in the file but have access to structures of other
                     files
  --json             print JSON: {"lines", "isDryRun"}, with the lines of the difference

Applications and tokens of a removed user are revoked and stay so when the user is added again; create new
ones with "plumbline app create".

The format of the file: docs/site-file.md; a JSON Schema for editors: docs/site.schema.json.`,
  options: {
    'dry-run': { type: 'boolean' },
    'delete-records': { type: 'boolean' },
    'remove-users': { type: 'boolean' },
    'with-secrets': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  subcommands: ['apply', 'show'],

  async run(context) {
    await chooseSubcommand({ apply, show }, context)(context)
  },
}

async function apply(context: CommandContext): Promise<void> {
  const { dataFolder, positionals, flags, printError } = context
  const [, fileName] = positionals
  if (fileName === undefined) throw new UsageError('the site file is missing')
  const text = await readFile(fileName, 'utf8').catch((error) => {
    throw new RefusedError('absent', `The site file ${fileName} cannot be read: ${codeOf(error)}.`)
  })
  // Loaded here, so that `serve` loads neither the YAML library nor the schema.
  const { applySite } = await import('../site/apply/apply.ts')
  const dryRun = flags['dry-run'] === true
  await using storage = await openStorage({ dataFolder, printError }, { mayCreate: !dryRun })
  const deleteRecords = flags['delete-records'] === true
  const removeUsers = flags['remove-users'] === true
  const onApplied = ({ users, revoked, structures }: SiteEffect): void => {
    const isAccess = users.length > 0 || revoked > 0
    const record = isAccess ? recordAccess : recordWrite
    const details = { ...(isAccess ? { users, revoked } : {}), structures }
    record('site apply', details, printError)
  }
  const options = { dryRun, deleteRecords, removeUsers, onApplied }
  const lines = await applySite(storage, { text, fileName }, options)
  const note = dryRun ? ['(dry run: nothing was changed)'] : []
  printResult(context, { lines, isDryRun: dryRun }, [...lines, ...note])
}

async function show(context: CommandContext): Promise<void> {
  const { dataFolder, flags, print, printError } = context
  const { formatSiteFile, showSite } = await import('../site/show/show-site.ts')
  await using storage = await openStorage({ dataFolder, printError })
  const { entries } = await storage.site.load()
  const file = showSite(entries, { withSecrets: flags['with-secrets'] === true })
  print(flags['json'] === true ? JSON.stringify(file) : formatSiteFile(file).trimEnd())
}
