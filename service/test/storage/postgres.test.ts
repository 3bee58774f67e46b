import { after } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { newDatabase } from '../_postgres.ts'
import { describeStorage } from './_conformance.ts'

const databases = new Map<string, ReturnType<typeof newDatabase>>()

after(async () => {
  for (const database of databases.values()) await (await database)[Symbol.asyncDispose]()
})

describeStorage('postgres', async (folder) => {
  const { url } = await databases.getOrInsertComputed(folder, newDatabase)
  return openPostgres(url, {
    poolSize: 10,
    statementTimeoutSeconds: 60,
    openDayBytes: 2 ** 24,
  })
})
