import { RefusedError } from '../errors/refused-error.ts'
import { describeTargets, type KeyTargets } from '../domain/access/key-targets.ts'
import { createIngestKey } from '../site/ingest-keys.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import {
  chooseSubcommand,
  printResult,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { openStorage } from './open.ts'
import { readIds, readTextIds } from './read-ids.ts'
import { recordAccess } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const key: Command = {
  summary: 'manage the ingest keys that devices write with',
  usage:
    'plumbline key create --name NAME [--structures IDS] [--stations IDS] [--sensors IDS] | list | revoke --name NAME  [--json]',
  help: `With an ingest key a device sends records to /ingest/v1. A key cannot read.

  create --name NAME   create a key; it is shown only once
  list                 list all keys by name
  revoke --name NAME   revoke a key; its requests and MQTT sessions end immediately

  --structures IDS     the key may write to everything of these structures only, and to
  --stations IDS       these stations and
  --sensors IDS        these sensors or other devices; ids are joined by commas. Records of others
                       are rejected. Without these flags a key may write to everything.
  --json               print JSON; {"key"} for create`,
  options: {
    name: { type: 'string' },
    structures: { type: 'string' },
    stations: { type: 'string' },
    sensors: { type: 'string' },
    json: { type: 'boolean' },
  },
  subcommands: ['create', 'list', 'revoke'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    await using storage = await openStorage(context, { mayCreate: run === ACTIONS.create })
    await run(storage, context)
  },
}

const ACTIONS: Record<string, (storage: Storage, context: CommandContext) => Promise<void>> = {
  async create(storage, context) {
    const name = needName(context)
    const targets = await readTargets(storage, context)
    const secret = await createIngestKey(storage, name, targets)
    const details = { key: name, targets: describeTargets(targets) }
    await recordAccess(storage, 'key create', details, context.printError)
    if (context.flags['json'] === true) return context.print(JSON.stringify({ key: secret }))
    context.print(`ingest key: ${secret}`)
    context.print('The key is not shown again. Send it as "Authorization: Bearer KEY".')
  },

  async list(storage, { flags, print }) {
    const keys = await storage.ingestKeys.list()
    if (flags['json'] === true) return print(JSON.stringify(keys))
    if (keys.length === 0) return print('There are no keys.')
    const rows = keys.map(({ name, targets, createdAt, revokedAt }) => [
      name,
      describeTargets(targets ?? undefined),
      showMoment(createdAt),
      revokedAt === null ? '' : showMoment(revokedAt),
    ])
    for (const line of formatTable(['name', 'writes to', 'created', 'revoked'], rows)) print(line)
  },

  async revoke(storage, context) {
    const name = needName(context)
    if (!(await storage.ingestKeys.revoke(name, Date.now())))
      throw new RefusedError('absent', `There is no active key ${name}; see "plumbline key list".`)
    await recordAccess(storage, 'key revoke', { key: name }, context.printError)
    printResult(context, { name, isRevoked: true }, [`Key ${name} was revoked.`])
  },
}

/** The targets that the flags name; undefined without any: the key may write to everything. */
async function readTargets(
  storage: Storage,
  { flags }: CommandContext,
): Promise<KeyTargets | undefined> {
  const { structures, stations, sensors } = flags
  if (structures === undefined && stations === undefined && sensors === undefined) return undefined
  const site = await openCatalogue(storage.site)()
  return {
    structures: readIds('structures', structures, site.structures),
    stations: readIds('stations', stations, site.stations),
    sensors: readTextIds('sensors', sensors, site.devices),
  }
}

function needName({ flags }: CommandContext): string {
  const name = flags['name']
  if (typeof name !== 'string' || name === '') throw new UsageError('--name is missing')
  return name
}
