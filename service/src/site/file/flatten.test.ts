import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleText } from '../_sites.ts'
import { flattenText } from './_flatten.ts'

test('the example becomes its entries in the order of the file', () => {
  const names = flattenText(exampleText).map(({ kind, id }) => `${kind} ${id}`)

  assert.deepEqual(names, [
    'user 1',
    'user 2',
    'project 7',
    'structureType 2',
    'structureType 3',
    'factor 15',
    'factor 17',
    'factor 33',
    'structure 3040',
    'group 11',
    'station 52093',
    'station 52094',
    'thresholdBatch 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11',
    'device 2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
    'device 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
    'camera 21',
    'structure 3041',
    'station 53001',
  ])
})

test('what is left out gets its default', () => {
  const entries = flattenText(`timeZone: utc
structureTypes: [{ id: 2, name: 桥梁 }]
factors:
  - { id: 15, name: 应变, items: [{ id: 1, key: 应变, name: 应变, precision: 0.1 }] }
structures:
  - id: 1
    name: 长江大桥
    type: 2
    latitude: 30.5
    longitude: 114.3
    factors:
      - factor: 15
        groups: [{ id: 5, name: 跨中截面, params: { height: { name: 高度 } } }]
        stations: [{ id: 6, name: 应变-01 }]
    devices:
      - { id: 2D7E0C50-2F0E-4A3C-8F62-6A1E2F1F0001, name: 采集仪, kind: dtu }
    traffic: { loadUnit: t, axleLoadUnit: kg, names: { license: 车牌 } }
    cameras:
      - { id: 7, location: 东塔, serialNo: C1, type: 球机, source: "rtsp://192.0.2.1/1" }
`)

  assert.deepEqual(entries, [
    { kind: 'structureType', id: 2, name: '桥梁' },
    {
      kind: 'factor',
      id: 15,
      name: '应变',
      structureTypes: null,
      timeDivision: false,
      items: [{ id: 1, key: '应变', name: '应变', unit: '', precision: 0.1 }],
    },
    {
      kind: 'structure',
      id: 1,
      name: '长江大桥',
      type: 2,
      latitude: 30.5,
      longitude: 114.3,
      portrait: '',
      timeZone: 'UTC',
      projects: [],
      factors: [15],
      traffic: { loadUnit: 't', axleLoadUnit: 'kg', names: { license: '车牌' } },
    },
    {
      kind: 'group',
      id: 5,
      structure: 1,
      factor: 15,
      name: '跨中截面',
      typeId: '0',
      params: { height: { name: '高度', unit: '' } },
    },
    {
      kind: 'station',
      id: 6,
      structure: 1,
      factor: 15,
      group: null,
      name: '应变-01',
      portrait: '',
      labels: [],
      groupParams: {},
      multiParams: null,
      from: null,
    },
    {
      kind: 'device',
      id: '2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
      structure: 1,
      name: '采集仪',
      deviceKind: 'dtu',
      parent: null,
      intervalSeconds: null,
      items: [],
    },
    {
      kind: 'camera',
      id: 7,
      structure: 1,
      location: '东塔',
      serialNo: 'C1',
      channelNo: 1,
      hasPTZ: false,
      type: '球机',
      source: 'rtsp://192.0.2.1/1',
    },
  ])
})

test('interval texts are kept in their canonical form', () => {
  const written = exampleText.replace('(-,-300);(300,+)', '（300，∞）； (-inf, -300)')

  assert.deepEqual(flattenText(written), flattenText(exampleText))
})

test('a group keeps its conversion, defaults filled in', () => {
  const group = '            typeId: '
  const conversionOf = (conversion: string, params: string) => {
    const text = exampleText
      .replace(group, () => `            conversion: ${conversion}\n${group}`)
      .replace('params: { height: { name: Height, unit: m } }', `params: { ${params} }`)
      .replace('groupParams: { height: 3.5 }', 'groupParams: { depth: 3.5, isBase: true }')
      .replace('key: strain, name', 'key: settling, name')
      .replace(
        'precision: 0.1 }',
        'precision: 0.1 }\n      - { id: 152, key: s, name: S, precision: 1 }',
      )
      .replace(
        'kind: vibratingWireStrain',
        'kind: vibratingWireStrain\n                    item: settling',
      )
      .replace('item: strain', 'item: settling')
    return flattenText(text).find((entry) => entry.kind === 'group')?.conversion
  }

  assert.deepEqual(conversionOf('{ kind: settlement }', 'isBase: { name: B }'), {
    kind: 'settlement',
    item: 'settling',
    isBase: 'isBase',
  })
  const sums = '{ kind: inclinometer, fixedEnd: top, sums: { s: settling } }'
  assert.deepEqual(conversionOf(sums, 'depth: { name: D }'), {
    kind: 'inclinometer',
    depth: 'depth',
    fixedEnd: 'top',
    sums: { s: 'settling' },
  })
})
