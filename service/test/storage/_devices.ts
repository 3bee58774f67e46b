import assert from 'node:assert/strict'
import test from 'node:test'
import { rowsOf, type NewPlace } from './_place.ts'

export function deviceFacts(newPlace: NewPlace): void {
  test('the last contact of a device is kept; an older one changes nothing', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    await storage.devices.writeContacts([
      { device: 'b', time: 5 },
      { device: 'a', time: 7 },
    ])
    await storage.devices.writeContacts([
      { device: 'a', time: 6 },
      { device: 'b', time: 8 },
      { device: 'b', time: 7 },
    ])
    await storage.devices.writeContacts([])

    assert.deepEqual(await storage.devices.listContacts(), [
      { device: 'a', time: 7 },
      { device: 'b', time: 8 },
    ])
  })

  test('contacts persist after reopening', async () => {
    await using place = await newPlace()
    {
      await using storage = await place.open()
      await storage.devices.writeContacts([{ device: 'a', time: 7 }])
    }

    const again = await place.open()

    assert.deepEqual(await again.devices.listContacts(), [{ device: 'a', time: 7 }])
  })

  test('a working storage passes its check every time', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [0]) })

    await storage.check()
    await Promise.all([storage.check(), storage.check()])

    assert.equal(await storage.site.version(), 0)
  })
}
