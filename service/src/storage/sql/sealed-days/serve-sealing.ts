import type { SqlReader } from '../engine.ts'
import { prepareSeal } from './seal-preparation.ts'
import { replyOf, type SealReply, type ToSealing } from './sealing-messages.ts'

/** A connection closes within this time, or with the process. */
const CLOSING_MILLISECONDS = 1_000

type OpenedReader = AsyncDisposable & { reader: SqlReader }

/** Runs the sealing process of an engine: replies to the requests of the process that has started it. */
export function serveSealing<Database>(open: (database: Database) => Promise<OpenedReader>): void {
  let opening: Promise<OpenedReader> | undefined

  const prepare = async (message: ToSealing<Database>): Promise<void> => {
    if ('database' in message) {
      opening = open(message.database)
      // The requests report it.
      opening.catch(() => undefined)
      return
    }
    const reply = await replyTo(opening, message.request)
    // The service may have ended meanwhile.
    process.send?.(reply, undefined, {}, () => {})
  }
  process.on('message', (message: ToSealing<Database>) => void prepare(message))

  // The service has ended, or does not need this process any more.
  process.on('disconnect', async () => {
    setTimeout(() => process.exit(), CLOSING_MILLISECONDS).unref()
    const opened = await opening?.catch(() => undefined)
    await opened?.[Symbol.asyncDispose]()
  })

  // A signal to the process group is for the service, which ends this process when it is done.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
}

async function replyTo(
  opening: Promise<OpenedReader> | undefined,
  request: Parameters<typeof prepareSeal>[1],
): Promise<SealReply> {
  try {
    if (opening === undefined) throw new TypeError('the database to seal was not named')
    return { preparation: await prepareSeal((await opening).reader, request) }
  } catch (error) {
    return replyOf(error)
  }
}
