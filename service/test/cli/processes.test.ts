import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { SITE } from '../_site.ts'
import { wordsOf, workplace } from './_cli.ts'

const MARCH = ['--from', '2024-03-01', '--to', '2024-03-01']

/** Of each command that can end one call, in an order in which each finds something to do. */
const CALLS: readonly (readonly string[])[] = [
  ['site', 'apply', 'site.yaml'],
  ['migrate'],
  ['app', 'create', '--user', '1'],
  ['key', 'create', '--name', 'logger'],
  ['import', 'day.csv', '--mapping', 'm.yaml'],
  ['rejects', 'list'],
  ['export', '--stations', '1002', ...MARCH, '--format', 'csv', '--output', '-'],
  ['recompute', '--structure', '1', ...MARCH],
  ['seal', '--structure', '1'],
  ['doctor'],
  ['unseal', '--structure', '1', ...MARCH],
  ['records', 'delete', '--station', '1002', ...MARCH, '--yes'],
  ['changes'],
  ['undo', '1', '--keep'],
  ['retention', '--confirm-clock'],
  ['maintenance', 'list'],
  ['notifications', 'log'],
]

test('the process of every command exits with 0 when it is done', async () => {
  await using place = await workplace()
  await writeFile(join(place.folder, 'site.yaml'), SITE)
  await writeFile(join(place.folder, 'day.csv'), 'Time,S\n2024-03-01 08:00:00,1.5\n')
  const mapping = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: S, station: 1002, item: strain }]
`
  await writeFile(join(place.folder, 'm.yaml'), mapping)

  for (const call of CALLS) {
    const result = await place.runProcess(call)
    assert.deepEqual([result.code, wordsOf(result)], [0, ''], call.join(' '))
    assert.notEqual(result.stdout, '', call.join(' '))
  }
})

test('a process exits with 1 when its command fails, and with 2 when its arguments are wrong', async () => {
  await using place = await workplace()

  await place.run(['key', 'create', '--name', 'logger'])
  const failed = await place.runProcess(['app', 'create', '--user', '1'])
  const wrong = await place.runProcess(['app', 'create', '--usr', '1'])

  assert.deepEqual(
    [failed.code, failed.stdout, failed.stderr.includes('There are no users.')],
    [1, '', true],
  )
  assert.deepEqual([wrong.code, wrong.stdout, wrong.stderr.includes('--usr')], [2, '', true])
})

test('without a command, and with --help, it lists the commands', async () => {
  await using place = await workplace()

  const overview = await place.runProcess([])
  const help = await place.runProcess(['app', '--help'])
  const unknown = await place.runProcess(['constructor'])

  assert.equal(overview.code, 0)
  for (const name of ['serve', 'site', 'app', 'key', 'demo'])
    assert.match(overview.stdout, new RegExp(`^  ${name} `, 'm'))
  assert.equal(help.code, 0)
  assert.match(help.stdout, /^usage: plumbline app create --user ID/)
  assert.match(help.stdout, /--data DIR/)
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /^Unknown command "constructor"\./)
  assert.deepEqual(await readdir(place.folder), [])
})
