import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zone } from '../domain/time/local-time.ts'
import { layOut, type ExportSource } from './columns.ts'

const source = (id: string, ...items: [key: string, unit: string][]): ExportSource => ({
  source: Number(id),
  id,
  name: `Station ${id}`,
  zone: zone('UTC'),
  items: items.map(([key, unit]) => ({ key, unit })),
})

test('a header is the key with its unit; one source needs no name', () => {
  const { names, items } = layOut({ kind: 'theme', times: 'local' }, [
    source('1', ['strain', 'µε'], ['count', '']),
  ])

  assert.deepEqual([names, items], [[], ['strain [µε]', 'count']])
})

test('of several sources the same key and unit share a column, another unit has its own', () => {
  const first = source('1', ['temperature', '°C'], ['strain', 'µε'])
  const second = source('2', ['strain', 'µε'], ['temperature', 'K'])

  const { names, items, places } = layOut({ kind: 'raw', times: 'local' }, [first, second])

  assert.deepEqual(names, ['sensor', 'sensor name'])
  assert.deepEqual(items, ['temperature [°C]', 'strain [µε]', 'temperature [K]'])
  assert.deepEqual([...places.get(second)!.values()], [1, 2])
})

test('an item never has the header of another column', () => {
  const { items } = layOut({ kind: 'theme', times: 'local' }, [
    source('1', ['instant', ''], ['station', '']),
    source('2', ['time', ''], ['__proto__', '']),
  ])

  assert.deepEqual(items, ['instant []', 'station []', 'time []', '__proto__'])
})
