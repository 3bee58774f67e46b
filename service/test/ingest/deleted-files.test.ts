import assert from 'node:assert/strict'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { expirePositions } from '../../src/ingest/files/expire-positions.ts'
import { HEADER, row, watched, type Watched } from './_watched.ts'

const positions = async ({ service }: Watched) =>
  (await service.storage.positions.list('', 9)).map(
    ({ position }) => (JSON.parse(position) as { name: string; goneSince?: number }) ?? {},
  )
const names = async (place: Watched) => (await positions(place)).map(({ name }) => name).toSorted()

async function withTwoFiles(keepDays: number): Promise<Watched> {
  const place = await watched({ settings: { 'ingest.keepPositionsDays': keepDays } })
  await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}`)
  await writeFile(place.path('b.csv'), `${HEADER}${row(1, 2)}`)
  await place.start()
  await place.until(() => place.strains(), [1, 2])
  return place
}

describe('the position of a watched file', () => {
  test('is deleted some time after the file is gone; a file that returns later is read again', async () => {
    await using place = await withTwoFiles(0.00001)
    const text = await readFile(place.path('a.csv'))

    await rm(place.path('a.csv'))
    await place.until(() => names(place), ['b.csv'])
    await place.until(() => place.logged('"files":1,"msg":"positions of files that are gone'), 1)
    await writeFile(place.path('a.csv'), text)

    await place.until(() => place.logged('"records":1,"replaced":1'), 1)
    assert.deepEqual(await place.strains(), [1, 2])
  })

  test('is kept until then: a file that returns is not read again, and the period starts anew', async () => {
    await using place = await withTwoFiles(30)

    await rename(place.path('a.csv'), place.path('../a.csv'))
    await place.until(async () => (await positions(place)).filter((one) => one.goneSince).length, 1)
    await rename(place.path('../a.csv'), place.path('a.csv'))

    await place.until(async () => (await positions(place)).filter((one) => one.goneSince).length, 0)
    assert.deepEqual(await names(place), ['a.csv', 'b.csv'])
    assert.equal(place.logged('"replaced":1'), 0)
  })

  test('is kept for a folder that cannot be read, and deleted for one that is no longer watched', async () => {
    await using place = await withTwoFiles(30)
    const { positions: store } = place.service.storage
    const [{ name } = { name: '' }] = await store.list('', 1)
    const [identity = ''] = name.split(' ').slice(-1)
    const prefix = name.slice(0, -identity.length)
    await place.service.service[Symbol.asyncDispose]()
    const DAY = 86_400_000
    const forget = (day: number, names: ReadonlySet<string> | undefined) =>
      expirePositions(store, [{ prefix, names }], {
        now: day * DAY,
        keepMilliseconds: 30 * DAY,
      })

    assert.equal(await forget(0, undefined), 0)
    assert.equal(await forget(100, undefined), 0)
    assert.equal(await forget(100, new Set([name])), 0)
    // A clock that is set back begins the term anew.
    assert.equal(await forget(50, new Set([name])), 0)
    assert.equal(await forget(79, new Set([name])), 0)
    assert.equal(await forget(80, new Set([name])), 1)
    assert.deepEqual(
      (await store.list('', 9)).map((one) => one.name),
      [name],
    )
    const ofNobody = (day: number) =>
      expirePositions(store, [], { now: day * DAY, keepMilliseconds: 30 * DAY })
    assert.equal(await ofNobody(81), 0)
    assert.equal(await ofNobody(111), 1)
    assert.deepEqual(await store.list('', 9), [])
  })
})
