import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from './connection.ts'
import { DamageError } from '../../domain/sealed-part.ts'
import { Reader } from './reader.ts'
import { prepareSeal, type SealRequest } from './seal-preparation.ts'
import type { PreparationAnswer } from './sealing-worker.ts'

const port = parentPort!
const database = openForReading((workerData as { file: string }).file)
const reader = new Reader(database)

port.on('message', (request: SealRequest | 'close') => {
  if (request === 'close') {
    database.close()
    port.close()
    return
  }
  port.postMessage(prepare(request))
})

function prepare(request: SealRequest): PreparationAnswer {
  try {
    return { preparation: prepareSeal(reader, request) }
  } catch (error) {
    return { error: error as Error, isDamage: error instanceof DamageError }
  }
}
