import assert from 'node:assert/strict'
import { open, truncate, writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { HEADER, MAPPING, row, watched, type Watched } from './_watched.ts'

const SIZE = 100_000

/** Writes into a file of a fixed size, as a logger does that has reserved it. */
async function writeAt(place: Watched, at: number, text: string): Promise<number> {
  const file = await open(place.path('a.csv'), 'r+')
  await file.write(text, at)
  await file.close()
  return at + text.length
}

async function reserve(place: Watched, text: string): Promise<number> {
  await writeFile(place.path('a.csv'), text)
  await truncate(place.path('a.csv'), SIZE)
  return text.length
}

const rejects = async (place: Watched) =>
  (await place.service.storage.rejects.list({ limit: 9 })).map(({ place, reason }) => [
    place,
    reason,
  ])

describe('a file whose space is reserved', () => {
  test('rows are read as they are written into it, across restarts, and its NUL bytes are no line', async () => {
    await using place = await watched({ fileIdleSeconds: 0.1 })
    let at = await reserve(place, `${HEADER}${row(0, 1)}`)
    await place.start()
    await place.until(() => place.strains(), [1])
    await place.waitUntilRead()

    at = await writeAt(place, at, row(1, 2))
    await place.until(() => place.strains(), [1, 2])
    await place.waitUntilRead()
    await place.restart()
    at = await writeAt(place, at, row(2, 3))
    await place.until(() => place.strains(), [1, 2, 3])
    await place.waitUntilRead()

    assert.deepEqual(await rejects(place), [])
    assert.equal(place.logged('"replaced":1'), 0)
  })

  test('a line that was read half written is read again when it is whole', async () => {
    await using place = await watched({ fileIdleSeconds: 0.1 })
    const at = await reserve(place, `${HEADER}${row(0, 1)}${row(1, 2).trimEnd()}`)
    await place.start()
    await place.until(() => place.strains(), [1, 2])

    await writeAt(place, at, `5\n${row(2, 3)}`)

    await place.until(() => place.strains(), [1, 25, 3])
    assert.deepEqual(await rejects(place), [])
  })

  test('a file that holds nothing but NUL bytes is read once it holds rows', async () => {
    await using place = await watched({ fileIdleSeconds: 0.1 })
    await reserve(place, '')
    await place.start()
    await place.waitUntilRead()

    await writeAt(place, 0, `${HEADER}${row(0, 1)}`)

    await place.until(() => place.strains(), [1])
    assert.deepEqual(await rejects(place), [])
  })

  test('rows behind unwritten space are read, across restarts', async () => {
    const gap = 2 * 1024 * 1024
    await using place = await watched()
    let at = await reserve(place, `${HEADER}${row(0, 1)}`)
    await place.start()
    await place.until(() => place.strains(), [1])

    at = await writeAt(place, at + gap, `${row(1, 2)}${row(2, 3)}`)
    await place.until(() => place.strains(), [1, 2, 3])
    await place.restart()
    await writeAt(place, at + 5, row(3, 4))

    await place.until(() => place.strains(), [1, 2, 3, 4])
    assert.deepEqual(await rejects(place), [])
    assert.equal(place.logged('"replaced":1'), 0)
  })

  test('a file is recognised with unwritten space before its first row', async () => {
    await using place = await watched()
    await writeFile(
      place.path('a.csv'),
      Buffer.concat([Buffer.from(HEADER), Buffer.alloc(5 * 1024 * 1024), Buffer.from(row(0, 1))]),
    )
    await place.start()

    await place.until(() => place.strains(), [1])
  })

  test('NUL bytes within a line reject this line, and the others are stored', async () => {
    await using place = await watched()
    const text = `${HEADER}${row(0, 1)}2024\0\0\0${row(1, 2)}${row(2, 3)}`
    await writeFile(place.path('a.csv'), text)
    await place.start()

    await place.until(() => place.strains(), [1, 3])

    assert.deepEqual(await rejects(place), [
      ['line 3', 'it holds a NUL byte in place of character 5: it was not written whole'],
    ])
  })

  test('a file in UTF-16 is refused with one error, and read when its mapping names the encoding', async () => {
    const mapping = `delimiter: ;\n${MAPPING}`
    await using place = await watched({ mapping })
    const rows = Array.from({ length: 50 }, (_, minute) => row(minute, 1)).join('')
    await writeFile(place.path('a.csv'), Buffer.from(`\u{feff}${HEADER}${rows}`, 'utf16le'))
    await place.start()
    const sentence =
      'the file is UTF-16, little endian (by its byte order mark), but its mapping says "encoding: utf-8"; expected "encoding: utf-16le" in the mapping, or a file in utf-8'

    await place.until(() => place.logged('the file is UTF-16, little endian'), 1)
    await place.until(() => rejects(place), [['line 1', sentence]])
    await writeFile(place.path('../m.yaml'), `encoding: utf-16le\n${mapping}`)

    await place.until(async () => (await place.strains()).length, 50)
    assert.equal((await rejects(place)).length, 1)
  })
})
