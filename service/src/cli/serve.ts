import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { findSettingsFile, loadConfig } from '../config/load.ts'
import type { GivenSettings } from '../config/config.ts'
import { isLoaded, readState, type DemoState } from '../demo/demo-state.ts'
import { introduce } from '../demo/introduce.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { startService } from '../service.ts'
import { warnOfOpen } from '../storage/private-files.ts'
import type { Command, CommandContext } from './command.ts'
import { openLogOutput } from './log-output.ts'
import { openStorage } from './open.ts'

const STANDARD_ERROR = 2

export const serve: Command = {
  summary: 'run the service until it is told to stop',
  usage: 'plumbline serve [--host ADDRESS] [--port PORT] [--demo]',
  help: `Answers at https://<host>:<port>/api/v1. The data folder is made when it is missing, with a
self-signed certificate unless the settings name one. Prints "listening on https://..." when it
answers, and stops on SIGINT or SIGTERM once the answers under way are sent, for which it waits up to
10 seconds. A second signal stops it at once when it comes two seconds after the first or later.

  --host ADDRESS   address to listen on (default 0.0.0.0, every one)
  --port PORT      port to listen on (default 8443)
  --demo           first load the demo site with real measurements, and print how to read them`,
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    demo: { type: 'boolean' },
  },

  async run(context) {
    const { dataFolder, configFile, flags, signal, print, complain } = context
    const config = await loadConfig({ dataFolder, file: configFile, flags: readFlags(flags) })
    await using stack = new AsyncDisposableStack()
    const output = openLogOutput(STANDARD_ERROR)
    const log = pino({ level: config['log.level'] }, output)
    const synchronous = config['storage.synchronous']
    const storage = stack.use(
      await openStorage(
        { dataFolder, complain },
        {
          synchronous,
          migrating: 'allow',
          isServed: true,
          warn: (sentence) => log.warn(sentence),
          alert: (sentence) => log.error(sentence),
          inform: (sentence) => log.info(sentence),
        },
      ),
    )
    const { name: settingsFile } = findSettingsFile(dataFolder, configFile)
    const about = { name: 'The settings file', why: 'It may hold passwords' }
    await warnOfOpen(settingsFile, about, (sentence) => log.warn(sentence))
    if (synchronous === 'off')
      log.warn('storage.synchronous is off: acknowledged records may be lost at a power cut')

    const demo = flags['demo'] === true ? await ensureDemo(context) : undefined
    if (signal.aborted) return
    const service = stack.use(
      await startService({ config, dataFolder, storage, log, lostLogLines: output.lost }),
    )
    print(`listening on ${service.origin}`)
    if (demo) print(introduce(service.origin, service.certificateFile, demo.application))
    if (!signal.aborted) await once(signal, 'abort')
  },
}

const readFlags = ({ host, port }: CommandContext['flags']): GivenSettings => ({
  ...(host === undefined ? {} : { 'http.host': host }),
  ...(port === undefined ? {} : { 'http.port': port }),
})

/** Loads the demo site in a process of its own: what that needs of memory is gone when we serve. */
async function ensureDemo({ dataFolder, signal }: CommandContext): Promise<DemoState | undefined> {
  if (!(await isLoaded(await readState(dataFolder)))) {
    const program = fileURLToPath(new URL('../../bin/plumbline.js', import.meta.url))
    const loading = spawn(process.execPath, [program, 'demo', '--data', dataFolder], {
      stdio: 'inherit',
    })
    const stop = (): void => void loading.kill()
    signal.addEventListener('abort', stop)
    const [code] = (await once(loading, 'exit')) as [number | null]
    signal.removeEventListener('abort', stop)
    if (signal.aborted) return undefined
    if (code !== 0) throw new RefusedError('unavailable', 'The demo site could not be loaded.')
  }
  return readState(dataFolder)
}
