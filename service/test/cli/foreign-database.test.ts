import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { workplace, type Workplace } from './_cli.ts'

/** A service that starts after all is ended. */
const HANG_GUARD_MILLISECONDS = 60_000

const COMMANDS = [
  ['serve', '--host', '127.0.0.1', '--port', '0'],
  ['doctor'],
  ['key', 'create', '--name', 'x'],
  ['key', 'list'],
  ['migrate'],
]

async function assertOneSentence(place: Workplace, words: RegExp): Promise<void> {
  for (const args of COMMANDS) {
    const running = place.begin(args, { PLUMBLINE_OPS_PORT: '0' })
    const guard = setTimeout(running.kill, HANG_GUARD_MILLISECONDS)
    const { code, stdout, stderr } = await running.ended
    clearTimeout(guard)

    assert.equal(code, 1, `${args.join(' ')}: ${stderr}`)
    assert.equal(stdout, '')
    const sentences = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    assert.equal(sentences.length, 1, stderr)
    assert.match(sentences[0] ?? '', words)
  }
}

async function folderOf(place: Workplace): Promise<string> {
  const folder = join(place.folder, 'data')
  await mkdir(folder, { mode: 0o700 })
  return join(folder, 'plumbline.db')
}

for (const version of [0, 1, 18, 1000])
  test(`a database of another program, of version ${version}, is refused and not changed`, async () => {
    await using place = await workplace()
    const file = await folderOf(place)
    const foreign = new Sqlite(file)
    foreign.exec(`create table notes (text); insert into notes values ('mine')`)
    foreign.pragma(`user_version = ${version}`)
    foreign.close()
    const before = await readFile(file)

    await assertOneSentence(place, /plumbline\.db is a database of another program: /)

    assert.deepEqual(await readFile(file), before)
  })

test('a file that is no database is refused and not changed', async () => {
  await using place = await workplace()
  const file = await folderOf(place)
  const text = 'not a database, but a text of some length\n'.repeat(500)
  await writeFile(file, text)

  await assertOneSentence(place, /malformed|damaged|not a database/)

  assert.equal(await readFile(file, 'utf8'), text)
})
