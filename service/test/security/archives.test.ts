import assert from 'node:assert/strict'
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fill, workplace, type Workplace, wordsOf } from '../cli/_cli.ts'
import { zip, type ZipPart } from './_zip.ts'

const MEGABYTE = 2 ** 20
const MAPPING = `format: csv
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: S, station: 1002, item: strain }]
`
const GOOD: ZipPart = { name: 'good.csv', content: Buffer.from('Time,S\n2024-03-01 00:00:00,1\n') }
const STORED = /good\.csv: 1 row read/

/** A place to import at, with a folder for temporary files of its own. */
async function place(): Promise<Workplace> {
  const made = await workplace()
  await fill(made, () => Promise.resolve())
  await mkdir(join(made.folder, 'tmp'))
  await writeFile(join(made.folder, 'm.yaml'), MAPPING)
  return made
}

async function importZip(at: Workplace, archive: Uint8Array, ...flags: string[]) {
  await writeFile(join(at.folder, 'a.zip'), archive)
  const result = await at.runProcess(['import', 'a.zip', '--mapping', 'm.yaml', ...flags], {
    TMPDIR: join(at.folder, 'tmp'),
  })
  assert.equal(wordsOf(result).replace('Not all data was stored.\n', ''), '')
  assert.deepEqual(await readdir(join(at.folder, 'tmp')), [])
  return result
}

/** Sixteen archives in one, each with as many zeros. */
function nested(megabytes: number): Buffer {
  const zeros = Buffer.alloc(megabytes * MEGABYTE)
  const inner = zip([{ name: 'zeros', content: zeros }])
  const middle = zip(
    Array.from({ length: 16 }, (_, at) => ({ name: `${at}.zip`, content: inner, isStored: true })),
  )
  return zip([{ name: 'middle.zip', content: middle }])
}

describe('an archive beyond its limits', () => {
  test('nested to inflate far ends at the ratio, and what was read before is stored', async () => {
    await using at = await place()
    const bomb = zip([GOOD, { name: 'b.zip', content: nested(16), isStored: true }])

    const { code, stdout } = await importZip(at, bomb)

    assert.equal(code, 1)
    assert.match(stdout, STORED)
    assert.match(stdout, /inflates to more than 200 times its size \(--max-ratio, ingest\.archives/)
    assert.equal(stdout.match(/the rest of it is not read/g)?.length, 1)
  })

  test('ends at the inflated size that the command allows, with one message', async () => {
    await using at = await place()
    const lines = Buffer.from('Time,S\n' + '2024-03-01 00:00:00,1\n'.repeat(100_000))
    const parts = Array.from({ length: 5 }, (_, at) => ({ name: `${at}.csv`, content: lines }))

    const { code, stdout } = await importZip(at, zip(parts), '--max-inflated', '3')

    assert.equal(code, 1)
    assert.match(stdout, /a\.zip > 1\.csv: the archive inflates to more than 3 MB \(--max-inflated/)
    assert.equal(stdout.match(/the rest of it is not read/g)?.length, 1)
    assert.doesNotMatch(stdout, /a\.zip > [234]\.csv/)
  })

  test('with too many members is refused before any is read, for any number in its header', async () => {
    await using at = await place()
    const many = Array.from({ length: 12 }, (_, at) => ({ ...GOOD, name: `${at}.csv` }))

    const counted = await importZip(at, zip(many), '--max-members', '11')
    const claimed = await importZip(at, zip([GOOD], { count: 2n ** 40n }))
    const impossible = await importZip(at, zip([GOOD], { count: 50_000n }))

    assert.match(
      counted.stdout,
      /more than 11 members \(--max-members, ingest\.archives\.maxMembers/,
    )
    assert.match(claimed.stdout, /more than 100,000 members/)
    assert.match(impossible.stdout, /the archive is damaged/)
    for (const { code, stdout } of [counted, claimed, impossible]) {
      assert.equal(code, 1)
      assert.doesNotMatch(stdout, /rows? read/)
    }
  })

  test('nested too deep is refused at the limit of the settings', async () => {
    await using at = await place()
    let deep = zip([GOOD])
    for (let depth = 0; depth < 5; depth++)
      deep = zip([{ name: 'i.zip', content: deep, isStored: true }])
    await writeFile(join(at.folder, 'p.yaml'), 'ingest: { archives: { maxDepth: 6 } }\n')

    const refused = await importZip(at, deep)
    const taken = await importZip(at, deep, '--config', 'p.yaml')

    assert.match(
      refused.stdout,
      /more than 5 archives within each other \(ingest\.archives\.maxDepth/,
    )
    assert.match(taken.stdout, STORED)
    assert.deepEqual([refused.code, taken.code], [1, 0])
  })

  test('a limit that is no number is refused with the name of its flag', async () => {
    await using at = await place()

    const limit = ['--max-inflated', 'all']
    const { code, stderr } = await at.run(['import', 'a.zip', '--mapping', 'm.yaml', ...limit])

    assert.equal(code, 2)
    const [sentence, usage] = stderr.split('\n')
    assert.equal(sentence, '--max-inflated must be a number above 0 and at most 16777216')
    assert.match(usage ?? '', /^usage: plumbline import/)
  })
})

describe('an archive with false headers', () => {
  const content = Buffer.from('Time,S\n'.padEnd(10_000, '2024-03-01 00:00:00,1\n'))
  const LIES: Record<string, [ZipPart[], RegExp]> = {
    'about a smaller size': [
      [{ name: 'a', content, says: { size: 10 } }],
      /damaged: .*too many bytes/,
    ],
    'about a larger size': [
      [{ name: 'a', content, says: { size: 4e9 } }],
      /damaged: .*not enough bytes/,
    ],
    'about its checksum': [[{ name: 'a', content, says: { crc: 1 } }], /damaged: .*checksum/],
    'about its packed size': [[{ name: 'a', content, says: { packedSize: 4e9 } }], /damaged/],
    'with members of the same bytes': [
      Array.from({ length: 50 }, (_, at) => ({
        name: `${at}.csv`,
        content,
        ...(at === 0 ? {} : { dataOf: 0 }),
      })),
      /a\.zip: members of the archive overlap/,
    ],
    'with a member that covers the next': [
      [
        { name: 'a', content, says: { packedSize: 400 } },
        { name: 'b', content },
      ],
      /a\.zip: members of the archive overlap/,
    ],
  }
  for (const [how, [parts, reason]] of Object.entries(LIES))
    test(`${how} is refused with an error`, async () => {
      await using at = await place()

      const { code, stdout } = await importZip(at, zip(parts))

      assert.equal(code, 1)
      assert.match(stdout, reason)
    })

  test('an encrypted member is refused with an error', async () => {
    await using at = await place()

    const { code, stdout } = await importZip(at, zip([{ ...GOOD, says: { flags: 1 } }]))
    const strong = await importZip(at, zip([{ ...GOOD, says: { flags: 0x41 } }]))

    assert.match(stdout, /good\.csv is encrypted or compressed in an unknown way/)
    assert.match(strong.stdout, /encryption is not supported/)
    assert.deepEqual([code, strong.code], [1, 1])
  })

  test('control characters in names do not reach the terminal', async () => {
    await using at = await place()

    const { stdout } = await importZip(at, zip([{ ...GOOD, name: 'a\n\x1b[31m\x9b.csv' }]))

    assert.match(stdout, /^a\.zip > a��\[31m�\.csv: 1 row read/)
  })

  test('names with .. or absolute paths write no file', async () => {
    await using at = await place()
    const names = ['../../up.csv', '/tmp/up.csv', 'C:\\up.csv', '..\\up.csv']
    const before = await readdir(at.folder)

    const { stdout } = await importZip(at, zip(names.map((name) => ({ ...GOOD, name }))))

    assert.equal(stdout.match(/1 row read/g)?.length, 4)
    assert.deepEqual(
      (await readdir(at.folder)).filter((name) => name !== 'a.zip'),
      before,
    )
  })
})

test('an import that is killed in a nested archive leaves no temporary file', async () => {
  await using at = await place()
  const lines = '2024-03-01 00:00:00,1\n'.repeat(3_000_000)
  const inner = zip([{ name: 'a.csv', content: Buffer.from(`Time,S\n${lines}`) }])
  await writeFile(
    join(at.folder, 'a.zip'),
    zip([{ name: 'i.zip', content: inner, isStored: true }]),
  )
  const begun = at.begin(['import', 'a.zip', '--mapping', 'm.yaml', '--max-ratio', '10000'], {
    TMPDIR: join(at.folder, 'tmp'),
  })

  // Until the process has unpacked into a file that has no name any more, nor a folder.
  const files = `/proc/${begun.pid}/fd`
  const holdsUnnamed = async (): Promise<boolean> => {
    if ((await readdir(join(at.folder, 'tmp'))).length > 0) return false
    const places = (await readdir(files)).map((name) => readlink(join(files, name)))
    return (await Promise.all(places)).some((name) => /\/tmp\/.*\(deleted\)$/.test(name))
  }
  const isEnded = begun.ended.then(() => true)
  while (!(await holdsUnnamed().catch(() => false)))
    assert.equal(await Promise.race([isEnded, sleep(5, false)]), false, 'it ended')
  begun.kill()
  const { code } = await begun.ended

  assert.equal(code, null)
  assert.deepEqual(await readdir(join(at.folder, 'tmp')), [])
})
