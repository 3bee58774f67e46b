import { serveSealing } from '../../sql/sealed-days/serve-sealing.ts'
import { AsyncReader } from '../connection/async-reader.ts'
import { openForReading } from '../connection/connection.ts'
import { Reader } from '../connection/reader.ts'
import { recordChecks } from '../integrity/record-checks.ts'

/** The database that it reads. */
export type SealedDatabase = { file: string }

serveSealing(async ({ file }: SealedDatabase) => {
  const database = openForReading(file)
  const plain = new Reader(database)
  return {
    // Open records are all that it reads of the guarded tables.
    reader: new AsyncReader(plain, recordChecks(plain), () => {}),
    [Symbol.asyncDispose]: async () => void database.close(),
  }
})
