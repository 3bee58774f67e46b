export const CELL = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'
export const BASE = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02'
export const POINT = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a03'

/** A station with a factor `k` and a threshold, a settlement group, and a station of ready values. */
export const derivedSite = (k: number): string => `timeZone: Asia/Shanghai
users:
  - { id: 1, name: All, structures: all }
  - { id: 2, name: Other, structures: [9] }
structureTypes: [{ id: 2, name: Bridge }]
factors:
  - id: 15
    name: 应变
    items: [{ id: 1, key: strain, name: 应变, unit: 'µε', precision: 0.1 }]
  - id: 16
    name: Settlement
    items: [{ id: 4, key: settling, name: Settling, unit: mm, precision: 0.1 }]
structures:
  - id: 1
    name: 长江大桥
    type: 2
    latitude: 30
    longitude: 114
    factors:
      - factor: 15
        stations:
          - id: 11
            name: SG-11
            from: { sensors: [${CELL}], conversion: { kind: linear, k: ${k}, v0: 1, value: v } }
          - { id: 12, name: SG-12 }
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [11]
            clearAfter: 1
            items:
              - item: strain
                config: [{ thresholds: [{ level: 1, value: '(100,+)' }] }]
      - factor: 16
        groups:
          - id: 21
            name: Cells
            params: { isBase: { name: Base point } }
            conversion: { kind: settlement }
            stations:
              - id: 13
                name: Base
                groupParams: { isBase: true }
                from: { sensors: [${BASE}], conversion: { kind: linear, k: 1, value: v } }
              - id: 14
                name: P-1
                groupParams: { isBase: false }
                from: { sensors: [${POINT}], conversion: { kind: linear, k: 1, value: v } }
    devices:
${[CELL, BASE, POINT]
  .map(
    (id, at) =>
      `      - { id: ${id}, name: Cell ${at + 1}, kind: sensor, items: [{ key: v, name: V }] }`,
  )
  .join('\n')}
  - { id: 9, name: Elsewhere, type: 2, latitude: 30, longitude: 114 }
`

/** A raw record an hour of one day, of the strain cell. */
export const CELL_RECORDS = Array.from({ length: 24 }, (_, hour) => ({
  sensor: CELL,
  time: `2026-01-05 ${String(hour).padStart(2, '0')}:00:00`,
  values: { v: 1 + hour },
}))
