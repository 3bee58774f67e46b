import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics } from 'node:v8'
import { pino, type Logger } from 'pino'
import { findSettingsFile } from '../config/load.ts'
import { environment } from '../config/env.ts'
import type { Config } from '../config/settings.ts'
import { isLoaded, readState, type DemoState } from '../demo/demo-state.ts'
import { introduce } from '../demo/introduce.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { toError } from '../errors/thrown.ts'
import { startService } from '../service.ts'
import { linkOf, makeLink } from '../site/accounts.ts'
import { storageVariables, usesPostgres } from '../startup/storage-settings.ts'
import { describeHeap, fitMemory } from '../startup/fit-memory.ts'
import { describeUrl } from '../storage/postgres/connection/storage-url.ts'
import { warnOfOpen } from '../storage/private-files.ts'
import type { Storage } from '../storage/storage.ts'
import { superviseService } from '../systemd/supervision.ts'
import { readListening, type Command, type CommandContext } from './command.ts'
import { isJournal, journalLine } from './journal-line.ts'
import { loadSettings } from './load-settings.ts'
import { openLogOutput } from './log-output.ts'
import { openStorage } from './open.ts'
import { prepareCopy } from './prepare-copy.ts'
import { readableLine } from './readable-line.ts'
import { readVersion } from '../config/version.ts'

const STANDARD_ERROR = 2

/** The camera of the demo site, and its user. */
const DEMO_CAMERA = { id: 1, user: 1 }

export const serve: Command = {
  summary: 'run the service',
  usage: 'plumbline serve [--host ADDRESS] [--port PORT] [--workers N] [--demo]',
  help: `Serves the interface at https://HOST:PORT/api/v1. Creates the data folder if it does not exist, and a
self-signed certificate unless the settings name one. Prints "listening on https://..." when it accepts
requests. SIGINT and SIGTERM stop it: it waits up to 10 seconds for responses under way. A second signal,
two seconds after the first or later, stops it immediately. SIGHUP is ignored unless it runs on a terminal.

  --host ADDRESS   address to listen on (default ::, all addresses of IPv6 and IPv4)
  --port PORT      port to listen on (default 8443)
  --workers N      processes that share the port and answer requests that read data: a number, or auto for
                   as many as there are cores (default 1)
  --demo           load the demo site with real measurements first, and print how to read them`,
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    workers: { type: 'string' },
    demo: { type: 'boolean' },
  },

  async run(context) {
    const { dataFolder, configFile, flags, signal, print } = context
    const loaded = await loadSettings(context, { flags: readListening(flags) })
    const { config, lowered } = fitMemory(loaded)
    await using stack = new AsyncDisposableStack()
    const output = openLogOutput(STANDARD_ERROR, { format: lineFormat() })
    const log = pino({ level: config['log.level'] }, output)
    stack.use(logEnd(context, log))
    const { name: settingsFile } = findSettingsFile(dataFolder, configFile)
    // Before the storage, which is closed first: the last commit is copied too.
    const copy = stack.use(prepareCopy(context, config, log))
    const storage = stack.use(await openServed(context, config, log))
    // Only now: a database that cannot be opened is one sentence.
    log.info(describeStart(dataFolder, settingsFile, config), 'Plumbline starts.')
    for (const sentence of lowered) log.info(sentence)
    const heap = describeHeap(config['memory.megabytes'], getHeapStatistics().heap_size_limit)
    if (heap !== undefined) log.warn(heap)
    const description = { name: 'The settings file', why: 'It may hold passwords' }
    await warnOfOpen(settingsFile, description, (sentence) => log.warn(sentence))

    const demo = flags['demo'] === true ? await ensureDemo(context, config) : undefined
    if (signal.aborted) return
    const hasAccounts = (await storage.accounts.list()).length > 0
    copy?.start()
    const service = stack.use(
      await startService({
        config,
        dataFolder,
        settingsFile: existsSync(settingsFile) ? settingsFile : undefined,
        storage,
        log,
        lostLogLines: output.lost,
        continuousCopy: copy === undefined ? undefined : () => copy.state,
        writeLogLine: output.write,
      }),
    )
    log.info(service.addresses, 'Plumbline listens.')
    print(`listening on ${service.origin}`)
    if (demo) {
      const camera = await service.playerPage(DEMO_CAMERA.id, DEMO_CAMERA.user)
      print(introduce(service.origin, service.certificateFile, demo, camera))
    }
    const { origin } = service
    stack.use(await superviseService({ environment, pid: process.pid, origin, storage, log }))
    if (!hasAccounts)
      await inviteFirst(storage, config['http.publicUrl'] || origin, print).catch(
        (error: unknown) =>
          log.warn(
            `No link for the first administrator can be printed: ${toError(error).message} ` +
              'Once the service can store again, run "plumbline account create".',
          ),
      )
    if (!signal.aborted) await once(signal, 'abort')
  },
}

/** Prints a link that creates the first administrator. */
async function inviteFirst(
  storage: Storage,
  origin: string,
  print: (line: string) => void,
): Promise<void> {
  const plan = { purpose: 'first', accountId: null, now: Date.now() } as const
  const link = linkOf(origin.replace(/\/+$/, ''), await makeLink(storage, plan))
  print(`There is no account yet. Create the first administrator at: ${link}`)
}

/** What the log says first: the version and where the data is. */
const describeStart = (dataFolder: string, settingsFile: string, config: Config) => ({
  version: readVersion(),
  node: process.versions.node,
  dataFolder: resolve(dataFolder),
  ...(usesPostgres(config) ? { storage: describeUrl(config['storage.url']) } : {}),
  settingsFile: existsSync(settingsFile) ? resolve(settingsFile) : 'none',
})

/** Opens the storage for a service, which may create or migrate the database. */
async function openServed(context: CommandContext, config: Config, log: Logger): Promise<Storage> {
  const synchronous = config['storage.synchronous']
  const storage = await openStorage(context, {
    config,
    synchronous,
    migrating: 'allow',
    isServed: true,
    isFollowed: config['backup.continuous.to'] !== '',
    mayCreate: true,
    warn: (sentence) => log.warn(sentence),
    alert: (sentence) => log.error(sentence),
    inform: (sentence) => log.info(sentence),
  })
  if (synchronous === 'off')
    log.warn('storage.synchronous is off: acknowledged records may be lost in a power failure')
  return storage
}

/** How a line of the log is written: for people, for the journal, or as it is. */
function lineFormat(): ((line: string) => string) | undefined {
  if (process.stderr.isTTY) return readableLine
  return isJournal(STANDARD_ERROR) ? journalLine : undefined
}

/** Says in the log why the service stops, and that it has stopped once all else is closed. */
function logEnd({ signal, onHangUp }: CommandContext, log: Logger): Disposable {
  signal.addEventListener('abort', () =>
    log.info({ signal: toError(signal.reason).message }, 'Plumbline stops.'),
  )
  // A terminal that is closed takes the service along.
  if (!process.stderr.isTTY)
    onHangUp?.(() =>
      log.info(
        'SIGHUP is ignored: settings are read at the start. Restart the service to use changed ones.',
      ),
    )
  return {
    [Symbol.dispose]() {
      if (signal.aborted) log.info('Plumbline stopped.')
    },
  }
}

/** Loads the demo site in a child process, whose memory is free when the service starts. */
async function ensureDemo(
  { dataFolder, signal }: CommandContext,
  config: Config,
): Promise<DemoState | undefined> {
  if (!(await isLoaded(await readState(dataFolder)))) {
    const program = fileURLToPath(new URL('../../bin/plumbline.js', import.meta.url))
    const loading = spawn(process.execPath, [program, 'demo', '--data', dataFolder], {
      stdio: 'inherit',
      // Not as a flag: the URL may hold a password, and every user can list the arguments of a process.
      env: { ...environment, ...storageVariables(config) },
    })
    const stop = (): void => void loading.kill()
    signal.addEventListener('abort', stop)
    const [code]: unknown[] = await once(loading, 'exit')
    signal.removeEventListener('abort', stop)
    if (signal.aborted) return undefined
    if (code !== 0) throw new RefusedError('unavailable', 'The demo site could not be loaded.')
  }
  return readState(dataFolder)
}
