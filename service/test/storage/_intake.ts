import assert from 'node:assert/strict'
import test from 'node:test'
import type { NewPlace } from './_place.ts'

const refusal = (origin: string, place: string) => ({
  origin,
  place,
  reason: 'the payload is no JSON: it ends within a text 測點',
  payload: Uint8Array.of(0, 255, 10),
  receivedAt: 5,
})

export function intakeFacts(newPlace: NewPlace): void {
  test('refusals are listed newest first, whole, a page after the other', async () => {
    await using place = await newPlace()
    const { refusals } = await place.open()
    await refusals.add([refusal('mqtt a', 'x/1'), refusal('broker', 'x/2')], 100)
    await refusals.add([refusal('mqtt a', 'x/3')], 100)
    await refusals.add([], 100)

    const [first, ...others] = await refusals.list({ limit: 2 })
    const rest = await refusals.list({ limit: 2, before: others.at(-1)!.id })
    const ofBroker = await refusals.list({ origin: 'broker', limit: 2 })

    assert.deepEqual(
      { ...first, payload: [...first!.payload] },
      {
        ...refusal('mqtt a', 'x/3'),
        id: first!.id,
        payload: [0, 255, 10],
      },
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

  test('a refusal is found by its number, with what is needed to replay it', async () => {
    await using place = await newPlace()
    const { refusals } = await place.open()
    const given = { ...refusal('file a.csv', 'line 2'), context: '{"header":"測點"}' }
    await refusals.add([given, refusal('broker', 'x')], 100)
    const [plain, first] = await refusals.list({ limit: 2 })

    const found = await refusals.find(first!.id)
    const without = await refusals.find(plain!.id)

    assert.deepEqual(
      { ...found, payload: [...found!.payload] },
      { ...given, id: first!.id, payload: [0, 255, 10] },
    )
    assert.equal(without!.context, undefined)
    assert.equal(await refusals.find(plain!.id + 1), undefined)
  })

  test('beyond what is kept of an origin its oldest refusals give way, and are counted', async () => {
    await using place = await newPlace()
    const { refusals } = await place.open()
    await refusals.add([refusal('broker', 'other')], 3)

    for (const at of [1, 2, 3, 4, 5]) await refusals.add([refusal('mqtt a', `x/${at}`)], 3)

    const kept = await refusals.list({ origin: 'mqtt a', limit: 10 })
    assert.deepEqual(
      kept.map(({ place }) => place),
      ['x/5', 'x/4', 'x/3'],
    )
    assert.deepEqual(await refusals.count(), [
      { origin: 'broker', kept: 1, dropped: 0 },
      { origin: 'mqtt a', kept: 3, dropped: 2 },
    ])
  })

  test('removed refusals are gone; those that are not there are not counted', async () => {
    await using place = await newPlace()
    const { refusals } = await place.open()
    await refusals.add([refusal('broker', 'a'), refusal('broker', 'b')], 10)
    const [{ id } = { id: 0 }] = await refusals.list({ limit: 1 })

    const outcome = await refusals.remove([id, id + 1000])

    assert.deepEqual(outcome, { removed: 1 })
    assert.deepEqual(
      (await refusals.list({ limit: 10 })).map(({ place }) => place),
      ['a'],
    )
  })

  test('a position is there after opening again', async () => {
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
