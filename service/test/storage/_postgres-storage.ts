import { after } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { copyOf, newDatabase } from '../_postgres.ts'
import { describeStorage } from './_conformance.ts'

type Database = Awaited<ReturnType<typeof newDatabase>>

const databases = new Map<string, Promise<Database>>()
let migrated: Promise<Database> | undefined

after(async () => {
  for (const database of databases.values()) await (await database)[Symbol.asyncDispose]()
  await (await migrated)?.[Symbol.asyncDispose]()
})

const open = ({ url }: Database): Promise<Storage> =>
  openPostgres(url, {
    poolSize: 10,
    statementTimeoutSeconds: 60,
    openDayBytes: 2 ** 24,
  })

async function migrate(): Promise<Database> {
  const database = await newDatabase()
  await (await open(database))[Symbol.asyncDispose]()
  return database
}

const newTables = async (): Promise<Database> => copyOf(await (migrated ??= migrate()))

/** Tries what an engine promises of some nouns, each test in tables of its own. */
export const describePostgres = (nouns: readonly string[]): void =>
  describeStorage(
    'postgres',
    async (folder) => open(await databases.getOrInsertComputed(folder, newTables)),
    nouns,
  )
