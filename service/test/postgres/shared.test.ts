import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../_eventually.ts'

/** Prints the port of the server that answers. */
const PROGRAM = `
import { newDatabase } from ${JSON.stringify(new URL('../_postgres.ts', import.meta.url).href)}
await using database = await newDatabase()
console.log(new URL(database.url).port)`

test('the processes of a run share one server, which ends with the run', async (t) => {
  const run = spawn('sleep', ['120'])
  t.after(() => run.kill('SIGKILL'))
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-run-'))
  const env = { ...process.env, TEST_RUN_PID: String(run.pid), TMPDIR: scratch }
  const ask = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], { env })

  const ports = await Promise.all([ask(), ask(), ask()])
  const { folder } = JSON.parse(await readFile(join(scratch, 'postgres.json'), 'utf8'))
  assert.equal(new Set(ports.map(({ stdout }) => stdout)).size, 1)
  assert.equal(existsSync(join(folder, 'data')), true)
  run.kill('SIGKILL')

  await eventually(() => assert.equal(existsSync(folder), false))
})
