import type { Config } from '../config/settings.ts'
import { shorten } from '../errors/show.ts'
import { BehindSources } from '../ingest/records/behind-sources.ts'
import { replayRejects } from '../ingest/rejects/replay.ts'
import { collectReplays } from '../startup/collect-replays.ts'
import { requireKnownClock } from '../clock/clock-problem.ts'
import { RecordIngest } from '../ingest/record-ingest.ts'
import { IngestClock } from '../ingest/records/ingest-clock.ts'
import type { ListedReject, RejectStore, Storage } from '../storage/storage.ts'
import {
  chooseSubcommand,
  readText,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { loadSettings } from './load-settings.ts'
import { openStorage } from './open.ts'
import { recordWrite } from './record-command.ts'
import { formatTable, showMoment } from './table.ts'

export const rejects: Command = {
  summary: 'list, replay or drop rejected records',
  usage: 'plumbline rejects list | replay | drop  [ID ...] [--origin ORIGIN] [--all] [--json]',
  help: `Messages, lines of files and points of line protocol that cannot be stored are kept with the reason.

  list            list rejects, newest first, and their number for each origin
  replay          try to store rejects again, with the current settings and site; those that are stored
                  are removed from the list
  drop            delete rejects

  ID ...          the rejects with these numbers
  --origin NAME   the rejects of one origin, such as "mqtt site"
  --all           all rejects
  --json          print JSON; the payload is Base64`,
  options: { origin: { type: 'string' }, all: { type: 'boolean' }, json: { type: 'boolean' } },
  subcommands: ['list', 'replay', 'drop'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    const config = await loadSettings(context)
    await using storage = await openStorage(context, { config })
    await run(storage, context, config)
  },
}

const PAGE = 500
const PAYLOAD_CHARACTERS = 60

type Action = (storage: Storage, context: CommandContext, config: Config) => Promise<void>

const ACTIONS: Record<string, Action> = {
  async list({ rejects: store }, { flags, print }) {
    const found = await Array.fromAsync(listAll(store, readText(flags, 'origin')))
    if (flags['json'] === true) return print(JSON.stringify(found.map(toJson)))
    if (found.length === 0) return print('There are no rejects.')
    const rows = found.map(({ id, origin, place, receivedAt, reason, payload }) => [
      String(id),
      showMoment(receivedAt),
      origin,
      place,
      reason,
      showPayload(payload),
    ])
    const head = ['id', 'received', 'origin', 'place', 'reason', 'payload']
    for (const line of formatTable(head, rows)) print(line)
    for (const { origin, kept, dropped } of await store.count())
      print(`${origin}: ${kept} kept, ${dropped} older ones dropped`)
  },

  async replay(storage, context, config) {
    const { print, printError } = context
    await requireKnownClock(storage, Date.now())
    const behind = new BehindSources(Date.parse(config['ingest.earliestTime']))
    const clock = new IngestClock({ now: Date.now, behind })
    await using ingest = RecordIngest.open({ storage, clock })
    const replays = collectReplays(config, { ingest, data: storage.records })
    const ids = await choose(storage.rejects, context)
    await recordWrite(storage, 'rejects replay', { rejected: ids.length }, printError)
    const report = await replayRejects(storage.rejects, replays, ids)
    if (context.flags['json'] === true) return print(JSON.stringify(report))
    for (const { id, message } of report.rejected)
      print(`Reject ${id} was rejected again: ${message}`)
    print(`${report.replayed} replayed, ${report.rejected.length} rejected again`)
  },

  async drop(storage, context) {
    const ids = await choose(storage.rejects, context)
    await recordWrite(storage, 'rejects drop', { rejected: ids.length }, context.printError)
    const { removed } = await storage.rejects.remove(ids)
    if (context.flags['json'] === true) return context.print(JSON.stringify({ removed }))
    context.print(`${removed} dropped`)
  },
}

async function choose(
  store: RejectStore,
  { positionals: [, ...ids], flags }: CommandContext,
): Promise<number[]> {
  const origin = readText(flags, 'origin')
  const isAll = flags['all'] === true
  if (ids.length > 0) {
    if (origin !== undefined || isAll)
      throw new UsageError('Use only one of ids, --origin and --all.')
    return ids.map(readId)
  }
  if (origin === undefined && !isAll)
    throw new UsageError('give the ids of rejects, --origin or --all')
  const found = await Array.fromAsync(listAll(store, origin))
  return found.map(({ id }) => id)
}

async function* listAll(
  store: RejectStore,
  origin: string | undefined,
): AsyncGenerator<ListedReject> {
  let before: number | undefined
  for (;;) {
    const page = await store.list({ origin, before, limit: PAGE })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    before = last.id
  }
}

function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`"${text}" is not the number of a reject`)
  return Number(text)
}

const toJson = (reject: ListedReject) => ({
  ...reject,
  payload: Buffer.from(reject.payload).toString('base64'),
})

/** The start of a payload, without control characters. */
function showPayload(payload: Uint8Array): string {
  const text = Buffer.from(payload)
    .toString()
    .replaceAll(/[^\P{C}]/gu, '·')
  return shorten(text, PAYLOAD_CHARACTERS)
}
