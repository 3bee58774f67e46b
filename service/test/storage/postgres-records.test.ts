// Own process: see postgres.test.ts.
import { OF_RECORDS } from './_record-nouns.ts'
import { describePostgres } from './_postgres-storage.ts'

describePostgres([...OF_RECORDS])
