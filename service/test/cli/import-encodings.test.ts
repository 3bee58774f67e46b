import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { zip } from '../security/_zip.ts'
import { fill, workplace, type Workplace } from './_cli.ts'
import { STRAIN_MAPPING } from './_strain-file.ts'

const ROWS = Array.from(
  { length: 60 },
  (_, minute) => `2024-03-01 00:${String(minute).padStart(2, '0')}:00;1\n`,
).join('')

async function importBytes(place: Workplace, bytes: Uint8Array, mapping = STRAIN_MAPPING) {
  await fill(place, () => Promise.resolve())
  await writeFile(join(place.folder, 'm.yaml'), mapping)
  await writeFile(join(place.folder, 'a.csv'), bytes)
  return place.run(['import', 'a.csv', '--mapping', 'm.yaml'])
}

test('a file in UTF-16 whose mapping does not name the encoding is refused with one error', async () => {
  await using place = await workplace()

  const { code, stdout } = await importBytes(place, Buffer.from(ROWS, 'utf16le').swap16())

  assert.equal(code, 1)
  assert.match(
    stdout,
    /^a\.csv: the file is UTF-16, big endian \(every other byte is NUL\), but its mapping says "encoding: utf-8"; expected "encoding: utf-16be" in the mapping, or a file in utf-8$/m,
  )
  assert.doesNotMatch(stdout, / x /)
})

test('the same file is stored with a mapping that names its encoding', async () => {
  await using place = await workplace()
  const bytes = Buffer.from(ROWS, 'utf16le').swap16()

  const { code, stdout } = await importBytes(place, bytes, `encoding: utf-16be\n${STRAIN_MAPPING}`)

  assert.equal(code, 0, stdout)
  assert.match(stdout, /60 records were stored\./)
})

test('a site file, a mapping and a settings file in GBK are refused with their line', async () => {
  await using place = await workplace()
  const name = Buffer.from([0xb4, 0xf3, 0xc7, 0xc5])
  const inGbk = (text: string) => Buffer.concat([Buffer.from(`${text}\n# `), name])
  await fill(place, () => Promise.resolve())
  await writeFile(join(place.folder, 'site.gbk.yaml'), inGbk('name: x'))
  await writeFile(join(place.folder, 'm.yaml'), inGbk(STRAIN_MAPPING.trimEnd()))
  await writeFile(join(place.folder, 'a.csv'), ROWS)
  await writeFile(join(place.folder, 'data/plumbline.yaml'), inGbk('http: {}'))

  for (const args of [
    ['config', 'check'],
    ['site', 'apply', 'site.gbk.yaml', '--dry-run'],
    ['import', 'a.csv', '--mapping', 'm.yaml'],
  ]) {
    const { code, stderr } = await place.run(args)
    assert.equal(code, 1, args.join(' '))
    assert.match(
      stderr,
      /yaml:\d+: this line is not UTF-8; it may be GBK, expected UTF-8: save the file as UTF-8$/m,
    )
    await rm(join(place.folder, 'data/plumbline.yaml'), { force: true })
  }
})

test('reserved space that is not written is skipped with a message', async () => {
  await using place = await workplace()
  const bytes = Buffer.concat([
    Buffer.from(ROWS),
    Buffer.alloc(2_000_000),
    Buffer.from('2024-03-01 01:00:00;1\n'),
    Buffer.alloc(1000),
  ])

  const { code, stdout } = await importBytes(place, bytes)

  assert.equal(code, 0, stdout)
  assert.doesNotMatch(stdout, /refused/)
  assert.match(stdout, /61 records were stored\./)
  assert.match(stdout, /^2,001,000 bytes left out: space that was reserved and not written\.$/m)
})

test('members of an archive whose names are not UTF-8 are read, and each is named', async () => {
  await using place = await workplace()
  // The names are in GBK: 数 and 据.
  const names = [
    [0xca, 0xfd],
    [0xbe, 0xdd],
  ].map((bytes) => Buffer.from([...bytes, ...Buffer.from('.csv')]))
  const archive = zip(names.map((name) => ({ name, content: Buffer.from(ROWS) })))

  const { code, stdout } = await importBytes(place, archive)
  const picked = ['--members', '*.csv', '--dry-run']
  const some = await place.run(['import', 'a.csv', '--mapping', 'm.yaml', ...picked])

  assert.equal(code, 0, stdout)
  assert.match(stdout, /^a\.csv > \\xca\\xfd\.csv: 60 rows read/m)
  assert.match(stdout, /^a\.csv > \\xbe\\xdd\.csv: 60 rows read/m)
  assert.equal(some.stdout.match(/60 rows read/g)?.length, 2)
})

test('a file whose name is not UTF-8 is refused with an error', async () => {
  await using place = await workplace()
  await importBytes(place, Buffer.from(ROWS))

  // Bytes of an argument that are not UTF-8 arrive as this character.
  const { code, stdout } = await place.run(['import', '\u{fffd}.csv', '--mapping', 'm.yaml'])

  assert.equal(code, 1)
  assert.match(stdout, /^\u{fffd}\.csv: its name is not UTF-8, so it cannot be read; rename it$/mu)
})

/** A line of names and a row, encoded by Python: `时间|東应变`; the second byte of 東 is a bar. */
const GBK = Buffer.from(
  'cab1bce47c967cd3a6b1e40a323032342d30332d30312030303a30303a30307c312e350a',
  'hex',
)
/** `时间;应变(µε);字𠀀`, of which two characters are not in GBK. */
const GB18030 = Buffer.from(
  'cab1bce43bd3a6b1e42881308538a6c5293bd7d6953282360a323032342d30332d30312030303a30303a30303b312e353bc47c0a',
  'hex',
)
/** The byte order mark of GB18030. */
const GB_MARK = Buffer.of(0x84, 0x31, 0x95, 0x33)

const mappingOf = (encoding: string, column: string, delimiter: string) => `format: csv
encoding: ${encoding}
delimiter: '${delimiter}'
time: { column: 时间, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: '${column}', station: 1002, item: strain }]
`

test('files in GBK and GB18030 are read, whatever bytes their characters have', async () => {
  for (const [bytes, mapping] of [
    [GBK, mappingOf('gbk', '東应变', '|')],
    [GBK, mappingOf('gb18030', '東应变', '|')],
    [GB18030, mappingOf('gb18030', '应变(µε)', ';')],
    [Buffer.concat([GB_MARK, GB18030]), mappingOf('gbk', '应变(µε)', ';')],
  ] as const) {
    await using place = await workplace()

    const { code, stdout } = await importBytes(place, bytes, mapping)

    assert.equal(code, 0, stdout)
    assert.match(stdout, /1 record was stored\./)
  }
})

test('a header in another encoding is refused by an error that names the encoding that fits', async () => {
  const rows = '\n2024-03-01 00:00:00;1\n'
  const name = 'Strain (µε)'.replace('ε', 'm')
  for (const [bytes, encoding, column, fitting] of [
    [GB18030, 'utf-8', '应变(µε)', 'gbk'],
    [GB18030, 'windows-1252', '应变(µε)', 'gbk'],
    [Buffer.from(`Time;${name}${rows}`, 'latin1'), 'utf-8', name, 'windows-1252'],
    [Buffer.from(`时间;${name}${rows}`), 'latin1', name, 'utf-8'],
    [Buffer.from(`时间;应变°${rows}`), 'gbk', '应变°', 'utf-8'],
  ] as const) {
    await using place = await workplace()
    const mapping = mappingOf(encoding, column, ';').replace('column: 时间', 'column: 1')

    const { code, stdout } = await importBytes(place, bytes, mapping)

    assert.equal(code, 1)
    assert.ok(
      stdout.includes(
        `line 1: the header has no column "${column}"; read as ${fitting} it has this column: expected "encoding: ${fitting}" in the mapping`,
      ),
      stdout,
    )
  }
})

test('a header that is not valid in the encoding of its mapping is shown in others', async () => {
  await using place = await workplace()

  const { stdout } = await importBytes(
    place,
    GBK,
    mappingOf('utf-8', '位移', '|').replace('column: 时间', 'column: 1'),
  )

  assert.match(
    stdout,
    /the header has no column "位移"; its bytes are not utf-8: read as gbk it begins "时间\|東应变"/,
  )
})
