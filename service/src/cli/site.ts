import { readFile } from 'node:fs/promises'
import { requireKnownClock } from '../clock/clock-problem.ts'
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
import { confirm } from './confirm.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { recordAccess, recordWrite } from './record-command.ts'
import type { Storage } from '../storage/storage.ts'
import { textOfBytes } from '../yaml/yaml-bytes.ts'

export const site: Command = {
  summary: 'apply a site file: structures, stations, users, thresholds; or show the site as one',
  usage:
    'plumbline site apply FILE [--dry-run] [--relabel | --convert] [--rename OLD=NEW]... [--remove] [--remove-users] [--delete-records] [--yes] [--json] | show [--with-secrets] [--json]',
  help: `  apply FILE         change the site to what the file declares; a running service uses it immediately.
                     Applying the same file again changes nothing. A file with errors is not applied:
                     every error is printed with its place, its line and the reason.
  show               print the site as a site file that applies unchanged

  --dry-run          show the difference and the records that it touches, and change nothing
  --relabel          stored numbers are in the new unit already, only the name of the unit was wrong
  --convert          convert stored values to the new unit of their item
  --rename OLD=NEW   store the records of an item under its new key; 15.OLD=NEW only for factor 15,
                     UUID.OLD=NEW only for one device. May be repeated
  --remove           also remove structures and users that are not in the lists of the file
  --remove-users     also remove users that are not in the file but have access to structures of other
                     files
  --delete-records   also remove stations, devices and structures that have records, with these records
  --yes              do not ask before structures or records are removed
  --with-secrets     show the passwords in addresses of cameras, which are masked otherwise
  --json             print JSON: {"lines", "isDryRun", "change"}, with the lines of the difference and the
                     number of the change that rewrote records; for show the site file

A file that changes the unit or the key of items with stored records is refused unless a flag says what is
meant. Records are converted and renamed before the site is applied, while no service runs: stop it first. If the
command is interrupted, the same command continues. "plumbline undo" restores the records, and not the site.

Applications and tokens of a removed user are revoked and stay so when the user is added again; create new
ones with "plumbline app create".

The format of the file: docs/site-file.md; a JSON Schema for editors: docs/site.schema.json.`,
  options: {
    'dry-run': { type: 'boolean' },
    relabel: { type: 'boolean' },
    convert: { type: 'boolean' },
    rename: { type: 'string', multiple: true },
    remove: { type: 'boolean' },
    'remove-users': { type: 'boolean' },
    'delete-records': { type: 'boolean' },
    yes: { type: 'boolean' },
    'with-secrets': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  subcommands: ['apply', 'show'],

  async run(context) {
    await chooseSubcommand({ apply, show }, context)(context)
  },
}

async function apply(context: CommandContext): Promise<void> {
  const { positionals, flags, lists, signal, printError } = context
  const [, fileName] = positionals
  if (fileName === undefined) throw new UsageError('the site file is missing')
  if (flags['relabel'] === true && flags['convert'] === true)
    throw new UsageError(
      'Use either --relabel or --convert: apply one change of a unit after another.',
    )
  const bytes = await readFile(fileName).catch((error) => {
    throw new RefusedError('absent', `The site file ${fileName} cannot be read: ${codeOf(error)}.`)
  })
  const text = textOfBytes(bytes, fileName)
  // Loaded here, so that `serve` loads neither the YAML library nor the schema.
  const { applySite } = await import('../site/apply/apply.ts')
  const dryRun = flags['dry-run'] === true
  await using storage = await openStorage(context, { mayCreate: !dryRun, mayBeRewriting: true })
  let change: number | null = null
  using progress = new Progress('records')
  const lines = await applySite(
    storage,
    { text, fileName },
    {
      dryRun,
      deleteRecords: flags['delete-records'] === true,
      removeUsers: flags['remove-users'] === true,
      remove: flags['remove'] === true,
      meaning: { units: readUnits(flags), renames: lists['rename'] },
      onProgress: (done, total) => progress.show(done, total),
      signal,
      mayRewrite: () => requireKnownClock(storage, Date.now()),
      confirm: (losses) => confirm(context, losses),
      async onRewriting(id) {
        change = id
        await recordWrite(storage, 'site apply', { change }, printError)
      },
      onApplied: (effect) => recordEffect(storage, effect, printError),
    },
  )
  progress[Symbol.dispose]()
  const note = dryRun ? ['(dry run: nothing was changed)'] : []
  printResult(context, { lines, isDryRun: dryRun, change }, [...lines, ...note])
}

function readUnits(flags: CommandContext['flags']): 'relabel' | 'convert' | undefined {
  if (flags['relabel'] === true) return 'relabel'
  return flags['convert'] === true ? 'convert' : undefined
}

function recordEffect(
  storage: Storage,
  { users, revoked, structures }: SiteEffect,
  printError: CommandContext['printError'],
): Promise<void> {
  const isAccess = users.length > 0 || revoked > 0
  const record = isAccess ? recordAccess : recordWrite
  const details = { ...(isAccess ? { users, revoked } : {}), structures }
  return record(storage, 'site apply', details, printError)
}

async function show(context: CommandContext): Promise<void> {
  const { flags, print } = context
  const { formatSiteFile, showSite } = await import('../site/show/show-site.ts')
  await using storage = await openStorage(context, { mayBeRewriting: true })
  const { entries } = await storage.site.load()
  const file = showSite(entries, { withSecrets: flags['with-secrets'] === true })
  print(flags['json'] === true ? JSON.stringify(file) : formatSiteFile(file).trimEnd())
}
