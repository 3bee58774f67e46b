import { once } from 'node:events'
import { pino } from 'pino'
import { loadConfig } from '../config/load.ts'
import type { GivenSettings } from '../config/config.ts'
import { startService } from '../service.ts'
import type { Command, Context } from './command.ts'
import { openStorage } from './open.ts'
import type { Storage } from '../storage/storage.ts'

export const serve: Command = {
  summary: 'run the service until it is told to stop',
  usage: 'plumbline serve [--host ADDRESS] [--port PORT] [--demo]',
  help: `Answers at https://<host>:<port>/api/v1. The data folder is made when it is missing, with a
self-signed certificate unless the settings name one. Prints "listening on https://..." when it
answers, and stops on SIGINT or SIGTERM once the answers under way are sent.

  --host ADDRESS   address to listen on (default 0.0.0.0, every one)
  --port PORT      port to listen on (default 8443)
  --demo           first load the demo site with real measurements, and print how to read them`,
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    demo: { type: 'boolean' },
  },

  async run(context) {
    const { dataFolder, configFile, flags, signal, print } = context
    const config = await loadConfig({ dataFolder, file: configFile, flags: readFlags(flags) })
    await using stack = new AsyncDisposableStack()
    const storage = stack.use(await openStorage(dataFolder, config['storage.synchronous']))
    const log = pino({ level: config['log.level'] }, pino.destination({ fd: 2, sync: true }))
    if (config['storage.synchronous'] === 'off')
      log.warn('storage.synchronous is off: acknowledged records may be lost at a power cut')

    const demo = flags['demo'] === true ? await loadDemo(storage, context) : undefined
    const service = stack.use(await startService({ config, dataFolder, storage, log }))
    print(`listening on ${service.origin}`)
    demo?.introduce(service)
    if (!signal.aborted) await once(signal, 'abort')
  },
}

const readFlags = ({ host, port }: Context['flags']): GivenSettings => ({
  ...(host === undefined ? {} : { 'http.host': host }),
  ...(port === undefined ? {} : { 'http.port': port }),
})

async function loadDemo(storage: Storage, context: Context) {
  const { prepareDemo } = await import('../demo/prepare.ts')
  return prepareDemo({ storage, ...context })
}
