import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordKeys, StoredPlace } from '../storage/storage.ts'
import { KnownPlaces } from './known-places.ts'

/** Records of sources by instants, and how often they were looked at. */
class Stored {
  readonly texts = new Map<string, string>()
  looks = 0

  async findStored(_kind: string, { sources, times }: RecordKeys): Promise<StoredPlace[]> {
    this.looks += times.length
    return sources.map((source, at) => {
      return { record: this.texts.get(`${source} ${times[at]}`) ?? null, marks: null }
    })
  }

  async findLast(_kind: string, sources: readonly number[]): Promise<(number | null)[]> {
    return sources.map((source) => {
      const own = [...this.texts.keys()].filter((place) => place.startsWith(`${source} `))
      return own.length === 0 ? null : Math.max(...own.map((place) => Number(place.split(' ')[1])))
    })
  }
}

const at = (source: number, ...times: number[]) => times.map((time) => ({ source, time }))

describe('known places', () => {
  test('of a source that was never looked at may be taken', async () => {
    const places = new KnownPlaces(new Stored())

    assert.equal(places.areNew('theme', at(1, 5)), false)
    await places.find('theme', at(1, 5))
    assert.equal(places.areNew('theme', at(1, 6)), true)
    assert.equal(places.areNew('raw', at(1, 7)), false)
  })

  test('are new only after all that is stored and all that came, each once', async () => {
    const stored = new Stored()
    stored.texts.set('1 10', 'text')
    const places = new KnownPlaces(stored)
    assert.deepEqual(await places.find('theme', at(1, 10, 11)), [
      { record: 'text', marks: null },
      { record: null, marks: null },
    ])
    assert.equal(stored.looks, 1)

    assert.equal(places.areNew('theme', at(1, 12, 13)), true)
    for (const times of [[13], [9], [14, 14], [16, 15]])
      assert.equal(places.areNew('theme', at(1, ...times)), false, String(times))
  })

  test('are looked up again after another process has written', async () => {
    const stored = new Stored()
    const places = new KnownPlaces(stored)
    await places.find('theme', at(1, 1))
    stored.texts.set('1 5', 'of another process')

    assert.equal(places.areNew('theme', at(1, 5)), true)
    places.forget('theme', at(1, 5))

    assert.equal(places.areNew('theme', at(1, 6)), false)
    assert.equal((await places.find('theme', at(1, 5)))[0]?.record, 'of another process')
  })

  test('writes that meet something wait for those before them, and the next ones for them', async () => {
    const places = new KnownPlaces(new Stored())
    await places.find('theme', at(1, 1))
    const log: string[] = []
    const write = (name: string, milliseconds: number) => async () => {
      log.push(`${name} begins`)
      await sleep(milliseconds)
      log.push(`${name} ends`)
    }

    const first = places.begin('theme', at(1, 2), write('new', 20))
    const second = places.inTurn('theme', at(1, 2), write('second', 5))
    assert.equal(places.areNew('theme', at(1, 3)), false)
    const third = places.inTurn('theme', at(1, 3), write('third', 0))
    const other = places.inTurn('theme', at(2, 3), write('other', 0))
    await Promise.all([first, second, third, other])

    const own = log.filter((line) => !line.startsWith('other'))
    assert.deepEqual(own, [
      'new begins',
      'new ends',
      'second begins',
      'second ends',
      'third begins',
      'third ends',
    ])
    assert.ok(log.indexOf('other ends') < log.indexOf('new ends'))
    assert.equal(places.areNew('theme', at(1, 4)), true)
  })

  test('a write that fails lets the next one begin', async () => {
    const places = new KnownPlaces(new Stored())
    const failing = places.inTurn('raw', at(1, 1), () => Promise.reject(new Error('full')))
    const next = places.inTurn('raw', at(1, 1), async () => 'stored')

    await assert.rejects(failing, /full/)
    assert.equal(await next, 'stored')
  })
})
