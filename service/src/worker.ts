/** The program of a worker; the first process starts it and tells it what to serve. */
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { pino } from 'pino'
import { explainFailure } from './cli/command-line.ts'
import { openStorage } from './cli/open.ts'
import type { FromWorker, ToWorker, WorkerStart } from './workers/messages.ts'
import { runWorker } from './workers/run-worker.ts'

type Worker = Awaited<ReturnType<typeof serveAs>>

let worker: Promise<Worker> | undefined
let channelFolder: string | undefined

const send = (message: FromWorker): void => void process.send?.(message, undefined, {}, () => {})

/** Ends this process, but not the channel of the others. */
function end(): void {
  channelFolder = undefined
  process.disconnect?.()
}

process.on('message', async (message: ToWorker, socket?: Socket) => {
  if (message.kind === 'start') worker = serveAs(message.start)
  else if (message.kind === 'stop') await stop()
  else await (await worker)?.hear(message, socket)
})

// The first process has ended: nothing may keep its port.
process.on('disconnect', () => {
  if (channelFolder !== undefined) rmSync(channelFolder, { recursive: true, force: true })
  process.exit()
})

// A signal to the process group is for the first process, which ends this one when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

async function serveAs(start: WorkerStart) {
  const { config, dataFolder, channel, worker: number } = start
  if (process.platform !== 'win32') channelFolder = dirname(channel.path)
  const base = { pid: process.pid, hostname: hostname(), worker: number }
  const log = pino(
    { level: config['log.level'], base },
    { write: (line: string) => send({ kind: 'log', line }) },
  )
  try {
    const printError = (sentence: string): void => log.warn(sentence)
    const storage = await openStorage(
      { dataFolder, printError, flags: {}, configFile: undefined },
      { config, isWorker: true, mayBeRewriting: true },
    )
    const running = await runWorker({ start, storage, log, send })
    send({ kind: 'ready' })
    return { hear: running.hear, storage, running }
  } catch (error) {
    log.error(`Worker ${number} could not start: ${explainFailure(error)}`)
    process.exitCode = 1
    end()
    return undefined
  }
}

async function stop(): Promise<void> {
  const { running, storage } = (await worker) ?? {}
  await running?.[Symbol.asyncDispose]()
  await storage?.[Symbol.asyncDispose]()
  end()
}
