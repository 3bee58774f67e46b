import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { initial } from '../../src/storage/sqlite/migrations/001-initial/initial-schema.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'

const VERSION_WITHOUT_SCOPES = 18

/** A data folder as the version before scopes left it, with an application, its token and a key. */
async function makeOldFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-scopes-'))
  const database = new Sqlite(join(folder, 'plumbline.db'))
  for (const statement of initial.statements) database.exec(statement)
  database
    .prepare('insert into applications values (?, ?, ?, ?, ?, null)')
    .run('app', 1, 'console', hashSecret('secret'), 1000)
  database
    .prepare('insert into tokens values (?, ?, ?, ?, null, null)')
    .run(hashSecret('token'), 'app', 1000, 4_102_444_800_000)
  database
    .prepare('insert into ingest_keys (name, hash, created_at) values (?, ?, ?)')
    .run('logger', hashSecret('key'), 1000)
  database.pragma(`user_version = ${VERSION_WITHOUT_SCOPES}`)
  database.close()
  return folder
}

test('applications and keys of a folder without scopes keep what they could do: everything', async () => {
  const folder = await makeOldFolder()
  try {
    await using storage = await openSqlite(folder)

    assert.deepEqual(await storage.applications.list(), [
      { id: 'app', userId: 1, name: 'console', scope: 'admin', createdAt: 1000, revokedAt: null },
    ])
    assert.equal((await storage.tokens.find(hashSecret('token')))?.scope, 'admin')
    assert.equal((await storage.ingestKeys.find(hashSecret('key')))?.targets, null)

    await storage.applications.changeScope('app', 'read')
    assert.equal((await storage.tokens.find(hashSecret('token')))?.scope, 'read')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
