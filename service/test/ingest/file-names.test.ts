import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { watchedWithHealth } from './_health.ts'
import { HEADER, row } from './_watched.ts'

/** `数据.csv` as Windows in China writes it, and what is text in no encoding. */
const GBK = Buffer.from([0xca, 0xfd, 0xbe, 0xdd, ...Buffer.from('.csv')])
const BROKEN = Buffer.from('bad\xff\xfename.csv', 'latin1')
const PROBLEM = 'its name is not UTF-8, so it cannot be read; rename it'

describe('a file whose name is not UTF-8', { skip: process.platform !== 'linux' }, () => {
  test('is refused with one error until it is renamed, and other files are read', async () => {
    const { place, folder } = await watchedWithHealth()
    await using _ = place
    const inFolder = (name: Buffer) => Buffer.concat([Buffer.from(`${place.path('')}/`), name])
    await writeFile(inFolder(GBK), `${HEADER}${row(0, 1)}`)
    await writeFile(inFolder(BROKEN), `${HEADER}${row(1, 2)}`)
    await writeFile(inFolder(Buffer.from([0xca, 0xfd])), 'of another pattern')
    await writeFile(place.path('数据.csv'), `${HEADER}${row(2, 3)}`)
    await writeFile(place.path('a\u{fffd}.csv'), `${HEADER}${row(3, 4)}`)
    await place.start()

    await place.until(() => place.strains(), [3, 4])
    await place.until(async () => (await folder()).state, 'caught up')
    await place.waitUntilRead()

    const { files, filesRejected, rejected } = await folder()
    assert.deepEqual([files, filesRejected], [4, 2])
    assert.deepEqual(rejected, [
      { file: '\\xca\\xfd\\xbe\\xdd.csv', problem: PROBLEM },
      { file: 'bad\\xff\\xfename.csv', problem: PROBLEM },
    ])
    assert.equal(place.logged('is not read for now: its name is not UTF-8'), 2)
    await rename(inFolder(GBK), place.path('data.csv'))
    await place.until(() => place.strains(), [1, 3, 4])
    await place.until(async () => (await folder()).filesRejected, 1)
  })
})
