import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { fill, workplace, type Result, type Workplace } from './_cli.ts'

type Event = Record<string, unknown>

/** The security events of a command, without what each of them has. */
const eventsOf = ({ stderr }: Result): Event[] =>
  stderr
    .split('\n')
    .filter((line) => line.includes('"security.'))
    .map((line) => JSON.parse(line) as Event)
    .map(({ level: _l, time: _t, msg: _m, account, ...event }) => {
      assert.equal(account, userInfo().username)
      return event
    })

const WRITE = 'security.command-write'
const CHANGED = 'security.command'
const SPAN = ['--from', '2026-01-01', '--to', '2026-01-02']

/** A site, and a file of two records of it with the mapping that reads them. */
async function withFile(place: Workplace): Promise<void> {
  await fill(place, () => Promise.resolve())
  await writeFile(
    join(place.folder, 'map.yaml'),
    `format: csv
time: { column: time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: t, station: 1002, item: temperature }]
`,
  )
  await writeFile(
    join(place.folder, 'rows.csv'),
    'time,t\n2026-01-01 10:00:00,1\n2026-01-01 11:00:00,2\n',
  )
}

describe('a command that changes data', () => {
  test('is a security event with its account, its change and its structures', async () => {
    await using place = await workplace()
    await withFile(place)
    const span = [...SPAN]

    const imported = await place.run(['import', 'rows.csv', '--mapping', 'map.yaml'])
    assert.equal(imported.code, 0, imported.stdout + imported.stderr)
    assert.deepEqual(eventsOf(imported), [{ event: WRITE, command: 'import', change: 1, files: 1 }])
    const steps: [args: string[], event: Event][] = [
      [['seal', '--structure', '1'], { command: 'seal', structures: [1] }],
      [['unseal', '--structure', '1', ...span], { command: 'unseal', structures: [1] }],
      [
        ['records', 'delete', '--station', '1002', ...span, '--yes'],
        { command: 'records delete', change: 2, structures: [1] },
      ],
      [['undo', '2'], { command: 'undo', change: 2 }],
      [
        ['recompute', '--structure', '1', ...span, '--commit'],
        { command: 'recompute', change: 3, structures: [1] },
      ],
      [['retention', '--confirm-clock'], { command: 'retention --confirm-clock' }],
      [['retention', '--structure', '1', '--yes'], { command: 'retention', structures: [1] }],
      [['rejects', 'replay', '--all'], { command: 'rejects replay', rejected: 0 }],
      [['rejects', 'drop', '--all'], { command: 'rejects drop', rejected: 0 }],
      [
        [
          'maintenance',
          'add',
          ...span.map((one) => one.replace(/-0(\d)$/, '-0$1T00:00')),
          '--reason',
          'x',
          '--structures',
          '1',
        ],
        { command: 'maintenance add', maintenance: 1, structures: [1] },
      ],
    ]
    for (const [args, event] of steps) {
      const result = await place.run(args)
      assert.equal(result.code, 0, result.stderr)
      assert.deepEqual(eventsOf(result), [{ event: WRITE, ...event }], args.join(' '))
    }
    const listed = await place.run(['audit', 'list', '--json'])
    const lines: { operation: string; outcome: string }[] = JSON.parse(listed.stdout)
    assert.deepEqual(
      lines.map(({ operation, outcome }) => `${operation} ${outcome}`).toReversed(),
      ['import', ...steps.map(([, { command }]) => String(command))].map((one) => `${one} begun`),
    )
  })

  test('is no security event when it only counts or shows', async () => {
    await using place = await workplace()
    await withFile(place)
    const counting = [
      ['import', 'rows.csv', '--mapping', 'map.yaml', '--dry-run'],
      ['records', 'delete', '--station', '1002', ...SPAN],
      ['recompute', '--structure', '1', ...SPAN],
      ['retention'],
      ['changes'],
      ['app', 'list'],
    ]

    for (const args of counting) {
      const result = await place.run(args)
      assert.equal(result.code, 0, result.stderr)
      assert.deepEqual(eventsOf(result), [], args.join(' '))
    }
  })
})

const apply = async (place: Workplace, site: string, ...flags: string[]): Promise<Event[]> => {
  await writeFile(join(place.folder, 'site.yaml'), site)
  const result = await place.run(['site', 'apply', 'site.yaml', ...flags])
  assert.equal(result.code, 0, result.stderr)
  return eventsOf(result)
}

describe('applying a site file', () => {
  const command = 'site apply'

  test('logs whose access changed, and a renamed station is no change of access', async () => {
    await using place = await workplace()
    const renamed = SITE.replace('name: W-01', 'name: W-1')
    const narrowed = renamed.replace('structures: all', 'structures: [1]')
    const named = narrowed.replace('name: River office', 'name: Office')
    const without = named.replace(/  - \{ id: 2, name: Office.*\n/, '')

    const [first] = await apply(place, SITE)
    assert.deepEqual([first!['event'], first!['users']], [CHANGED, [1, 2, 3]])
    assert.deepEqual(await apply(place, SITE), [])
    assert.deepEqual(await apply(place, renamed, '--dry-run'), [])
    assert.deepEqual(await apply(place, renamed), [{ event: WRITE, command, structures: [2] }])
    assert.deepEqual(await apply(place, narrowed), [
      { event: CHANGED, command, users: [1], revoked: 0, structures: [] },
    ])
    assert.deepEqual(await apply(place, named), [{ event: WRITE, command, structures: [] }])
    await place.run(['app', 'create', '--user', '2'])
    assert.deepEqual(await apply(place, without), [
      { event: CHANGED, command, users: [2], revoked: 1, structures: [] },
    ])
  })
})
