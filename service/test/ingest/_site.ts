/** Sensors of the site below. */
export const SENSORS = {
  /** Has the items a, b, c and __proto__, and feeds station 1. */
  many: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b2a01',
  /** Has the item a alone. */
  single: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b2a02',
} as const

/** One structure on the clock of UTC, with two sensors. */
export const SITE = `timeZone: Etc/UTC
users: [{ id: 1, name: Office, structures: all }]
structureTypes: [{ id: 1, name: Bridge }]
factors:
  - id: 1
    name: Strain
    items:
      - { id: 11, key: strain, name: Strain, unit: a, precision: 0.001 }
      - { id: 12, key: second, name: Second, unit: b, precision: 0.001 }
structures:
  - id: 1
    name: Bridge
    type: 1
    latitude: 0
    longitude: 0
    factors:
      - factor: 1
        stations:
          - id: 1
            name: S-01
            from:
              sensors: [${SENSORS.many}]
              conversion:
                - { kind: linear, item: strain, value: a, k: 1 }
                - { kind: linear, item: second, value: b, k: 2 }
    devices:
      - id: ${SENSORS.many}
        name: Many
        kind: sensor
        items:
          - { key: a, name: A, unit: a }
          - { key: b, name: B, unit: b }
          - { key: c, name: C, unit: c }
          - { key: __proto__, name: Prototype, unit: d }
      - { id: ${SENSORS.single}, name: Single, kind: sensor, items: [{ key: a, name: A, unit: a }] }
`
