import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const NOBODY = 65_534

/** Uses both kinds of servers, and prints the user of one. */
const PROGRAM = `
import { newDatabase, startServer } from ${JSON.stringify(new URL('../_postgres.ts', import.meta.url).href)}
import { withClient } from ${JSON.stringify(new URL('_client.ts', import.meta.url).href)}
await using database = await newDatabase()
await using server = await startServer()
await server.kill()
await server.start()
for (const { url } of [database, server])
  await withClient({ connectionString: url }, (client) => client.query('create table t ()'))
const { readFileSync, statSync } = await import('node:fs')
console.log(statSync('/proc/' + server.pid).uid)`

test('an ordinary user has servers of his own', async () => {
  const isRoot = process.getuid?.() === 0
  const folder = await mkdtemp('/tmp/plumbline-user-')
  try {
    await chmod(folder, 0o777)
    const node = [process.execPath, '--input-type=module', '--eval', PROGRAM]
    const user = isRoot
      ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
      : []
    const [program, ...args] = [...user, ...node]

    const { stdout } = await promisify(execFile)(program!, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: join(folder, 'home') },
    })

    assert.equal(Number(stdout), isRoot ? NOBODY : process.getuid?.())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
