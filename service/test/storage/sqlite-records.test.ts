// Own process: see sqlite.test.ts.
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { describeStorage } from './_conformance.ts'
import { OF_RECORDS } from './_record-nouns.ts'

describeStorage('sqlite', (folder) => openSqlite(folder, { openDayBytes: 2 ** 24 }), [
  ...OF_RECORDS,
])
