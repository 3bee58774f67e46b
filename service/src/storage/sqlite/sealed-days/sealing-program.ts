import { openForReading } from '../connection/connection.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { toError } from '../../../errors/thrown.ts'
import { Reader } from '../connection/reader.ts'
import { isSealRequest, prepareSeal } from './seal-preparation.ts'
import type { SealReply } from './sealing-process.ts'

const [, , file] = process.argv
if (file === undefined) throw new Error('The first argument must be the file of a database.')
const database = openForReading(file)
const reader = new Reader(database)

process.on('message', (request) => {
  process.send?.(prepare(request))
})

// The service has ended, or does not need this process any more.
process.on('disconnect', () => {
  database.close()
})

// A signal to the process group is for the service, which ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)

function prepare(request: unknown): SealReply {
  try {
    if (!isSealRequest(request)) throw new TypeError('a message must be a request to seal')
    return { preparation: prepareSeal(reader, request) }
  } catch (error) {
    return { error: toError(error), isDamage: error instanceof DamageError }
  }
}
