import assert from 'node:assert/strict'
import test from 'node:test'
import type { SiteEntry } from '../../src/domain/site/site-entry.ts'
import type { SiteChanges, Storage } from '../../src/storage/storage.ts'
import { readRecords, rowsOf, sensor, station, type NewPlace } from './_place.ts'
import { putWaveform } from '../_waveforms.ts'

const S1 = '00000000-0000-4000-8000-000000000001'
const S2 = '00000000-0000-4000-8000-000000000002'

async function change(storage: Storage, changes: Partial<SiteChanges>): Promise<boolean> {
  const base = await storage.site.version()
  return storage.site.apply({ put: [], remove: [], withRecords: false, ...changes }, base)
}

const names = (entries: readonly SiteEntry[]) => entries.map(({ kind, id }) => `${kind} ${id}`)

export function siteFacts(newPlace: NewPlace): void {
  test('an empty database holds an empty site', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    const { version, ...site } = await storage.site.load()

    assert.equal(version, await storage.site.version())
    assert.deepEqual(site, { entries: [], defaultGroups: [], sensorKeys: new Map() })
  })

  test('entries come back as they were put, in their order', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const put: SiteEntry[] = [
      { kind: 'user', id: 2, name: 'Zoë 用戶 🌉', structures: [3, 1] },
      { kind: 'user', id: 10, name: '', structures: 'all' },
      { kind: 'project', id: 2, name: 'same id, another kind' },
      station(7),
      sensor(S1),
    ]

    assert.equal(await change(storage, { put }), true)

    assert.deepEqual((await storage.site.load()).entries, put)
  })

  test('an entry of the same kind and id is replaced, a removed one is gone', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await change(storage, { put: [station(1), station(2), { kind: 'project', id: 1, name: 'a' }] })

    await change(storage, {
      put: [{ kind: 'project', id: 1, name: 'b' }, station(3), station(2)],
      remove: [station(1)],
    })

    const { entries } = await storage.site.load()
    assert.deepEqual(names(entries), ['project 1', 'station 3', 'station 2'])
    assert.deepEqual(entries[0], { kind: 'project', id: 1, name: 'b' })
  })

  test('the version grows with every change, and a change to an older one is refused', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const before = await storage.site.version()
    const apply = (put: SiteEntry[], base: number) =>
      storage.site.apply({ put, remove: [], withRecords: false }, base)

    assert.equal(await apply([station(1)], before), true)
    const after = await storage.site.version()
    assert.ok(after > before)
    assert.equal(await apply([station(2)], before), false)
    assert.equal(await apply([station(2)], after + 1), false)

    assert.equal(await storage.site.version(), after)
    assert.deepEqual(names((await storage.site.load()).entries), ['station 1'])
  })

  test('of two changes to the same version exactly one is applied', async () => {
    await using place = await newPlace()
    const [first, second] = [await place.open(), await place.open()]
    const base = await first.site.version()

    const applied = await Promise.all(
      [first, second, first, second].map((storage, at) =>
        storage.site.apply({ put: [station(at + 1)], remove: [], withRecords: false }, base),
      ),
    )

    assert.equal(applied.filter(Boolean).length, 1)
    assert.deepEqual(names((await first.site.load()).entries), [
      `station ${applied.indexOf(true) + 1}`,
    ])
    assert.equal(await second.site.version(), await first.site.version())
  })

  test('a default group keeps its id, and no other gets it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await change(storage, { put: [station(1, 1, 1), station(2, 1, 2), station(3, 1, 1)] })
    const groups = async () =>
      new Map(
        (await storage.site.load()).defaultGroups.map(({ id, structure, factor }) => [
          `${structure}/${factor}`,
          id,
        ]),
      )
    const first = await groups()
    assert.deepEqual([...first.keys()].toSorted(), ['1/1', '1/2'])

    await change(storage, { remove: [station(1), station(3), station(2)] })
    await change(storage, { put: [station(9, 2, 1)] })
    const second = await groups()
    await change(storage, { put: [station(1, 1, 1), station(2, 1, 2)] })
    const third = await groups()

    assert.equal([...first.values()].includes(second.get('2/1')!), false)
    for (const [at, id] of first) assert.equal(third.get(at), id)
    assert.equal(third.get('2/1'), second.get('2/1'))
    assert.equal(new Set(third.values()).size, 3)
    // Clients read ids as 32-bit integers, and the operator's own ids lie below these.
    for (const id of third.values()) assert.ok(id > 2_000_000_000 && id <= 2_147_483_647)
  })

  test('a station in a named group makes no default group', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    await change(storage, { put: [{ ...station(1), group: 4 } as SiteEntry] })

    assert.deepEqual((await storage.site.load()).defaultGroups, [])
  })

  test('a sensor keeps the number by which its records are known', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await change(storage, { put: [sensor(S1), sensor(S2)] })
    const { sensorKeys } = await storage.site.load()
    assert.equal(new Set(sensorKeys.values()).size, 2)

    await change(storage, { remove: [sensor(S1)] })
    await change(storage, { put: [sensor(S1)] })

    const again = (await storage.site.load()).sensorKeys
    assert.equal(again.get(S1), sensorKeys.get(S1))
    assert.equal(again.get(S2), sensorKeys.get(S2))
  })

  test('a site that is applied again takes no ids: the next ones follow', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const put = [station(1, 1, 1), station(2, 1, 1), sensor(S1)]
    await change(storage, { put })
    for (let times = 0; times < 3; times++) await change(storage, { put })

    await change(storage, { put: [...put, station(3, 1, 2), sensor(S2)] })

    const { sensorKeys, defaultGroups } = await storage.site.load()
    const ids = defaultGroups.map(({ id }) => id).toSorted((a, b) => a - b)
    assert.deepEqual(ids, [2_000_000_001, 2_000_000_002])
    assert.deepEqual([sensorKeys.get(S1), sensorKeys.get(S2)], [1, 2])
  })

  test('records stay when their station is removed, unless they are deleted too', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const batch = {
      trigger: { time: 5, nanoseconds: 0 },
      sampleFreq: '1',
      unit: '',
      samples: Float64Array.of(1),
    }
    await change(storage, { put: [station(1), station(2), sensor(S1), sensor(S2)] })
    const { sensorKeys } = await storage.site.load()
    const [one, two] = [sensorKeys.get(S1)!, sensorKeys.get(S2)!]
    for (const source of [1, 2]) {
      await storage.records.write({ theme: rowsOf(source, [0, 1]) })
      await putWaveform(storage, { station: source, ...batch }, () => rowsOf(source, [5]))
    }
    await storage.records.write({ raw: rowsOf(one, [0]) })
    await storage.records.write({ raw: rowsOf(two, [0]) })

    await change(storage, { remove: [station(1), sensor(S1)] })
    assert.equal((await readRecords(storage, { source: 1 })).length, 3)
    assert.equal((await readRecords(storage, { kind: 'raw', source: one })).length, 1)

    await change(storage, { remove: [station(1), sensor(S1)], withRecords: true })
    assert.equal((await readRecords(storage, { source: 1 })).length, 0)
    assert.equal(await storage.waveforms.find(1, 0, 9), undefined)
    assert.equal((await readRecords(storage, { kind: 'raw', source: one })).length, 0)

    assert.equal((await readRecords(storage, { source: 2 })).length, 3)
    assert.notEqual(await storage.waveforms.find(2, 0, 9), undefined)
    assert.equal((await readRecords(storage, { kind: 'raw', source: two })).length, 1)
  })

  test('stations, sensors and structures with records are listed', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await change(storage, { put: [sensor(S1), sensor(S2)] })
    const { sensorKeys } = await storage.site.load()
    const batch = {
      trigger: { time: 5, nanoseconds: 0 },
      sampleFreq: '1',
      unit: '',
      samples: Float64Array.of(1),
    }
    const none = { sources: [], times: [], records: [] }
    await storage.records.write({ theme: rowsOf(1, [0]), raw: rowsOf(sensorKeys.get(S2)!, [0]) })
    await putWaveform(storage, { station: 3, ...batch }, () => none)
    await storage.traffic.write([
      {
        structure: 8,
        time: 0,
        identity: 'id 1',
        overload: false,
        license: '',
        load: 1,
        record: '{}',
        details: '{}',
      },
    ])

    const held = await storage.site.findHoldings({
      stations: [1, 2, 3],
      sensors: [S1, S2, 'unknown'],
      structures: [7, 8],
    })

    assert.deepEqual(held, { stations: [1, 3], sensors: [S2], structures: [8] })
  })

  test('the data is opened by one program alone, and by none beside it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    {
      await using _other = await place.open()
      await assert.rejects(storage.takeAlone(), /^RefusedError: Stored records are rewritten while/)
    }

    {
      await using _alone = await storage.takeAlone()
      await assert.rejects(place.open(), /^RefusedError: Another program rewrites the stored rec/)
    }

    await using _later = await place.open()
    await assert.rejects(storage.takeAlone(), /Stop the service and other commands first\./)
  })

  test('the site persists after reopening', async () => {
    await using place = await newPlace()
    const stored = await (async () => {
      await using storage = await place.open()
      await change(storage, { put: [station(1), sensor(S1)] })
      return await storage.site.load()
    })()

    const again = await place.open()

    assert.deepEqual(await again.site.load(), stored)
  })
}
