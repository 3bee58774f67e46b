// Own process: together with the rest of its nouns it would take longer than a file may.
import { NOUNS } from './_conformance.ts'
import { OF_RECORDS } from './_record-nouns.ts'
import { describePostgres } from './_postgres-storage.ts'

describePostgres(NOUNS.filter((noun) => !OF_RECORDS.has(noun)))
