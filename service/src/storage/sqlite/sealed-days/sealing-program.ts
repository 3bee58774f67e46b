import { openForReading } from '../connection/connection.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { Reader } from '../connection/reader.ts'
import { prepareSeal, type SealRequest } from './seal-preparation.ts'
import type { SealReply } from './sealing-process.ts'

const database = openForReading(process.argv[2]!)
const reader = new Reader(database)

process.on('message', (request) => {
  process.send!(prepare(request as SealRequest))
})

// Nobody asks any more: the service has ended, in whatever way, or has no use for it now.
process.on('disconnect', () => {
  database.close()
})

// A signal to the group is for the service, which ends this when it is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)

function prepare(request: SealRequest): SealReply {
  try {
    return { preparation: prepareSeal(reader, request) }
  } catch (error) {
    return { error: error as Error, isDamage: error instanceof DamageError }
  }
}
