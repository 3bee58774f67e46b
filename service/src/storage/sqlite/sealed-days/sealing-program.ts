import { openForReading } from '../connection/connection.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { toError } from '../../../errors/thrown.ts'
import { Reader } from '../connection/reader.ts'
import { isSealRequest, prepareSeal } from '../../sql/sealed-days/seal-preparation.ts'
import { AsyncReader } from '../connection/async-reader.ts'
import { recordChecks } from '../integrity/record-checks.ts'
import type { SealReply } from './sealing-process.ts'

const [, , file] = process.argv
if (file === undefined) throw new Error('The first argument must be the file of a database.')
const database = openForReading(file)
const plain = new Reader(database)
// Open records are all that it reads of the guarded tables.
const reader = new AsyncReader(plain, recordChecks(plain), () => {})

process.on('message', async (request) => {
  process.send?.(await prepare(request))
})

// The service has ended, or does not need this process any more.
process.on('disconnect', () => {
  database.close()
})

// A signal to the process group is for the service, which ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)

async function prepare(request: unknown): Promise<SealReply> {
  try {
    if (!isSealRequest(request)) throw new TypeError('a message must be a request to seal')
    return { preparation: await prepareSeal(reader, request) }
  } catch (error) {
    return { error: toError(error), isDamage: error instanceof DamageError }
  }
}
