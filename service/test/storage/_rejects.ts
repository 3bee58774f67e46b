import assert from 'node:assert/strict'
import test from 'node:test'
import {
  BROKER_ORIGIN,
  fileOrigin,
  mqttOrigin,
  type RejectOrigin,
} from '../../src/domain/rejects/reject-origin.ts'
import type { DroppedRejects } from '../../src/storage/storage.ts'
import type { NewPlace } from './_place.ts'

const refusal = (origin: RejectOrigin, place: string) => ({
  ...origin,
  place,
  reason: 'the payload is no JSON: it ends within a text 測點',
  payload: Uint8Array.of(0, 255, 10),
  receivedAt: 5,
})

const large = (origin: RejectOrigin, at = 1) => ({
  ...refusal(origin, `line ${at}`),
  payload: new Uint8Array(10_000),
})

const sum = (parts: readonly { dropped: number }[]): number =>
  parts.reduce((total, part) => total + part.dropped, 0)

export function rejectFacts(newPlace: NewPlace): void {
  test('rejects are listed newest first, a page after the other', async () => {
    await using place = await newPlace()
    const { rejects } = await place.open()
    await rejects.add([refusal(mqttOrigin('a'), 'x/1'), refusal(BROKER_ORIGIN, 'x/2')], {
      records: 100,
    })
    await rejects.add([refusal(mqttOrigin('a'), 'x/3')], { records: 100 })
    await rejects.add([], { records: 100 })

    const [first, ...others] = await rejects.list({ limit: 2 })
    const rest = await rejects.list({ limit: 2, before: others.at(-1)!.id })
    const ofBroker = await rejects.list({ origin: 'broker', limit: 2 })

    const { kind: _kind, source: _source, ...listed } = refusal(mqttOrigin('a'), 'x/3')
    assert.deepEqual(
      { ...first, payload: [...first!.payload] },
      { ...listed, id: first!.id, payload: [0, 255, 10] },
    )
    assert.deepEqual(
      [...others, ...rest].map(({ place }) => place),
      ['x/2', 'x/1'],
    )
    assert.deepEqual(
      ofBroker.map(({ place }) => place),
      ['x/2'],
    )
  })

  test('a reject is found by its number, with what is needed to replay it', async () => {
    await using place = await newPlace()
    const { rejects } = await place.open()
    const given = { ...refusal(fileOrigin('a.csv'), 'line 2'), context: '{"header":"測點"}' }
    await rejects.add([given, refusal(BROKER_ORIGIN, 'x')], { records: 100 })
    const [plain, first] = await rejects.list({ limit: 2 })

    const found = await rejects.find(first!.id)
    const without = await rejects.find(plain!.id)

    assert.deepEqual(
      { ...found, payload: [...found!.payload] },
      { ...given, id: first!.id, payload: [0, 255, 10] },
    )
    assert.equal(without!.context, undefined)
    assert.equal(await rejects.find(plain!.id + 1), undefined)
  })

  test('beyond the limit of an origin its oldest rejects are dropped and counted', async () => {
    await using place = await newPlace()
    const { rejects } = await place.open()
    await rejects.add([refusal(BROKER_ORIGIN, 'other')], { records: 3 })

    for (const at of [1, 2, 3, 4, 5])
      await rejects.add([refusal(mqttOrigin('a'), `x/${at}`)], { records: 3 })

    const kept = await rejects.list({ origin: 'mqtt a', limit: 10 })
    assert.deepEqual(
      kept.map(({ place }) => place),
      ['x/5', 'x/4', 'x/3'],
    )
    assert.deepEqual(await rejects.count(), [
      { origin: 'broker', kept: 1, dropped: 0 },
      { origin: 'mqtt a', kept: 3, dropped: 2 },
    ])
  })

  test('beyond the bytes of a data source its oldest rejects are dropped, from any file', async () => {
    await using place = await newPlace()
    const { rejects } = await place.open()
    const keep = { records: 100, sourceBytes: 50_000 }
    await rejects.add([large(fileOrigin('/b/a.csv'), 1)], keep)

    const dropped: DroppedRejects[] = []
    for (let at = 1; at <= 30; at++)
      dropped.push(...(await rejects.add([large(fileOrigin(`/a/${at}.csv`), at)], keep)))

    const list = await rejects.list({ limit: 100 })
    const ofA = list.filter(({ origin }) => origin.startsWith('file /a/'))
    assert.equal(ofA[0]!.place, 'line 30')
    assert.ok(ofA.length >= 3 && ofA.length <= 5, `${ofA.length} are kept`)
    assert.equal(list.length, ofA.length + 1)
    assert.ok(dropped.every((one) => one.source === 'file /a'))
    assert.equal(sum(dropped), 30 - ofA.length)
    assert.equal(sum(await rejects.count()), 30 - ofA.length)
  })

  test('beyond the total bytes rejects of the largest data sources are dropped', async () => {
    await using place = await newPlace()
    const { rejects } = await place.open()
    const keep = { records: 100, bytes: 100_000 }
    await rejects.add([large(BROKER_ORIGIN)], keep)
    await rejects.add(
      Array.from({ length: 5 }, () => large(mqttOrigin('a'))),
      keep,
    )

    for (let at = 1; at <= 40; at++) await rejects.add([large(fileOrigin('/a/x.csv'))], keep)
    const kept = new Map((await rejects.count()).map(({ origin, kept }) => [origin, kept]))

    const list = await rejects.list({ limit: 100 })
    assert.equal(list.filter(({ origin }) => origin === 'broker').length, 1)
    assert.ok(kept.get('file /a/x.csv')! <= 5)
    assert.ok(list.length <= 10, `${list.length} are kept`)
    assert.ok(list.filter(({ origin }) => origin === 'mqtt a').length >= 3)
  })

  test('a reject that alone is larger than the limit is kept, and removed ones make room', async () => {
    await using place = await newPlace()
    const { rejects } = await place.open()
    const huge = { ...refusal(BROKER_ORIGIN, 'x'), payload: new Uint8Array(100_000) }
    const keep = { records: 100, sourceBytes: 50_000, bytes: 50_000 }

    await rejects.add([huge], keep)
    assert.equal((await rejects.list({ limit: 9 })).length, 1)
    await rejects.remove((await rejects.list({ limit: 9 })).map(({ id }) => id))
    for (const at of [1, 2, 3]) await rejects.add([refusal(BROKER_ORIGIN, `x/${at}`)], keep)

    assert.equal((await rejects.list({ limit: 9 })).length, 3)
  })

  test('removed rejects are gone; those that are not there are not counted', async () => {
    await using place = await newPlace()
    const { rejects } = await place.open()
    await rejects.add([refusal(BROKER_ORIGIN, 'a'), refusal(BROKER_ORIGIN, 'b')], { records: 10 })
    const [{ id } = { id: 0 }] = await rejects.list({ limit: 1 })

    const outcome = await rejects.remove([id, id + 1000])

    assert.deepEqual(outcome, { removed: 1 })
    assert.deepEqual(
      (await rejects.list({ limit: 10 })).map(({ place }) => place),
      ['a'],
    )
  })

  test('a position persists after reopening', async () => {
    await using place = await newPlace()
    {
      await using storage = await place.open()
      await storage.positions.set('folder/測點.dat', '{"offset":1}')
      await storage.positions.set('folder/測點.dat', '{"offset":2}')
    }

    const { positions } = await place.open()

    assert.equal(await positions.find('folder/測點.dat'), '{"offset":2}')
    assert.equal(await positions.find('other'), undefined)
  })
}
