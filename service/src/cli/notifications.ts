import type { DeliveryState } from '@plumbline/contract'
import { randomUUID } from 'node:crypto'
import { openChannels } from '../startup/notification-channels.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { StoredDelivery } from '../storage/storage.ts'
import { sendTest } from '../notifications/send-test.ts'
import {
  chooseSubcommand,
  readText,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { formatTable, showMoment } from './table.ts'

export const notifications: Command = {
  summary: 'send a test notification, or list deliveries',
  usage: 'plumbline notifications test CHANNEL | log  [--channel NAME] [--state STATE] [--json]',
  help: `Notification channels and rules are configured in the settings file, under "notifications:".

  test CHANNEL     send a test notification and print the result
  log              list deliveries, newest first

  --channel NAME   list only deliveries of this channel
  --state STATE    list only waiting, delivered, suppressed or givenUp deliveries
  --alarm ID       list only deliveries about this alarm
  --limit N        list at most N deliveries (default 50)
  --json           print JSON`,
  options: {
    channel: { type: 'string' },
    state: { type: 'string' },
    alarm: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
  },
  subcommands: ['test', 'log'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    await run(context)
  },
}

const ACTIONS: Record<string, (context: CommandContext) => Promise<void>> = {
  async test(context) {
    const {
      positionals: [, name],
      flags,
      signal,
      print,
    } = context
    if (name === undefined) throw new UsageError('the name of the channel is missing')
    const config = await loadSettings(context)
    await using channels = await openChannels(config, Date.now)
    const id = `test-${randomUUID()}`
    const { delivered, message } = await sendTest(channels.byName, { name, id, signal })
    if (flags['json'] === true) return print(JSON.stringify({ delivered, message }))
    if (!delivered) throw new RefusedError('unavailable', message)
    print(message)
  },

  async log(context) {
    const { flags, print } = context
    await using storage = await openStorage(context)
    const found = await storage.deliveries.list({
      channel: readText(flags, 'channel'),
      state: readState(flags['state']),
      alarm: readNumber('alarm', flags['alarm']),
      limit: readNumber('limit', flags['limit']) ?? 50,
    })
    if (flags['json'] === true) return print(JSON.stringify(found))
    if (found.length === 0) return print('There are no deliveries.')
    const head = ['id', 'created', 'channel', 'about', 'state', 'attempts', 'reason']
    for (const line of formatTable(head, found.map(toRow))) print(line)
  },
}

const toRow = (one: StoredDelivery): string[] => [
  String(one.id),
  showMoment(one.createdAt),
  one.channel,
  one.alarm === null
    ? one.kind
    : `alarm ${one.alarm}${one.step === null ? `, ${one.kind}` : `, transition ${one.step}`}`,
  one.state,
  String(one.attempts),
  [one.reason, one.lastError].filter((text) => text !== null).join(': '),
]

const STATES: readonly DeliveryState[] = ['waiting', 'delivered', 'suppressed', 'givenUp']

function readState(flag: CommandContext['flags'][string]): DeliveryState | undefined {
  if (flag === undefined) return undefined
  const state = STATES.find((one) => one === flag)
  if (state === undefined) throw new UsageError(`--state must be one of ${STATES.join(', ')}`)
  return state
}

function readNumber(name: string, flag: CommandContext['flags'][string]): number | undefined {
  if (flag === undefined) return undefined
  if (typeof flag !== 'string' || !/^[1-9]\d{0,9}$/.test(flag))
    throw new UsageError(`--${name} must be a whole number of at least 1`)
  return Number(flag)
}
