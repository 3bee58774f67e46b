import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { CitusCluster } from '../_citus.ts'
import { CONNECTIONS, emptyTables, newDistributedTables } from '../citus/_distributed.ts'
import { describeStorage } from './_conformance.ts'

let cluster: Promise<CitusCluster> | undefined
const urls = new Map<string, Promise<string>>()

after(async () => {
  await (await cluster)?.[Symbol.asyncDispose]()
})

/** The tables of a test that has ended, or others. */
async function findTables(): Promise<string> {
  for (const [folder, url] of urls)
    if (!existsSync(folder)) {
      urls.delete(folder)
      await emptyTables(await url)
      return url
    }
  return newDistributedTables(await (cluster ??= CitusCluster.start()))
}

/** What is distributed; `--deep` takes everything, some ten minutes. */
const NOUNS = ['data', 'traffic', 'marks']

describeStorage(
  'citus',
  async (folder) => openPostgres(await urls.getOrInsertComputed(folder, findTables), CONNECTIONS),
  process.env['TEST_DEEP'] === undefined ? NOUNS : undefined,
)
