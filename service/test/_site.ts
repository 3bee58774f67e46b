/** Ids of the site below, by what they are for. */
export const IDS = {
  bridge: 1,
  river: 2,
  bare: 3,
  strain: 15,
  water: 17,
  odd: 18,
  temperature: 19,
  vibration: 33,
  wire: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
  gauge: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02',
  logger: '2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001',
  riverGauge: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a03',
} as const

/** Item keys that a careless program takes for something of its own. */
export const ODD_KEYS = [
  '__proto__',
  'constructor',
  'it\'s "quoted"',
  'back\\slash',
  '应变',
] as const

/**
 * Two structures in two time zones, and one with nothing in it.
 *
 * User 1 sees everything, user 2 the river only, user 3 nothing.
 */
export const SITE = `timeZone: Asia/Shanghai
users:
  - { id: 1, name: 管理员, structures: all }
  - { id: 2, name: River office, structures: [2] }
  - { id: 3, name: Nobody, structures: [] }
projects:
  - { id: 7, name: 过江通道 }
structureTypes:
  - { id: 2, name: 桥梁 }
  - { id: 3, name: River }
factors:
  - id: 15
    name: 应变监测
    structureTypes: [2]
    items:
      - { id: 151, key: strain, name: 应变, unit: 'µε', precision: 0.1 }
      - { id: 152, key: temperature, name: 温度, unit: '°C', precision: 0.1 }
  - id: 17
    name: Water level
    timeDivision: true
    items: [{ id: 171, key: waterLevel, name: Water level, unit: m, precision: 0.001 }]
  - id: 18
    name: Odd keys
    items:
      - { id: 181, key: __proto__, name: Prototype, unit: a, precision: 1 }
      - { id: 182, key: constructor, name: Constructor, unit: b, precision: 1 }
      - { id: 183, key: 'it''s "quoted"', name: Quotes, unit: c, precision: 1 }
      - { id: 184, key: 'back\\slash', name: Slash, unit: d, precision: 1 }
      - { id: 185, key: 应变, name: 应变, unit: e, precision: 1 }
  - id: 19
    name: Air
    items: [{ id: 191, key: temperature, name: Air temperature, unit: K, precision: 0.01 }]
  - id: 33
    name: Vibration
    items:
      - { id: 331, key: pv, name: Peak value, unit: cm/s2, precision: 0.001 }
      - { id: 332, key: ppv, name: Peak to peak, unit: cm/s2, precision: 0.001 }
      - { id: 333, key: trms, name: RMS, unit: cm/s2, precision: 0.001 }
structures:
  - id: 1
    name: 长江大桥
    type: 2
    latitude: 30.5928
    longitude: 114.3055
    portrait: bridge.jpg
    projects: [7]
    factors:
      - factor: 15
        groups:
          - id: 11
            name: 跨中截面
            typeId: '2'
            params: { height: { name: 高度, unit: m } }
            stations:
              - id: 1001
                name: 应变-01
                portrait: section-a.png
                labels: [跨中, lower flange]
                groupParams: { height: 3.5 }
                multiParams: { combination: [1, 2] }
        stations:
          - { id: 1002, name: 应变-02 }
          - id: 1003
            name: 应变-03
            from:
              sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01]
              conversion:
                - { kind: vibratingWireStrain, item: strain, k: 0.004, f0: 1500, kt: 12.2, t0: 20 }
                - { kind: linear, item: temperature, value: temperature, k: 1 }
          - id: 1004
            name: 应变-04
            from:
              sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02]
              conversion:
                - { kind: linear, item: strain, value: reading, k: 2 }
                - { kind: linear, item: strain, value: reading, k: 3, c: 1, validFrom: 2026-03-01 12:00:00 }
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [1001, 1002]
            clearAfter: 1
            items:
              - item: strain
                config:
                  - startTime: null
                    endTime: null
                    thresholds:
                      - { level: 1, value: '( - , -300 ) ；[300,+∞]' }
                      - { level: 2, value: '(-300,-200);(200,300)' }
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b12
            stations: [1003]
            clearAfter: 1
            items:
              - item: temperature
                config: [{ thresholds: [{ level: 1, value: '(60,+)' }] }]
      - factor: 33
        stations: [{ id: 1031, name: A-01 }]
      - factor: 19
        stations: [{ id: 1041, name: Air }]
    devices:
      - { id: 2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001, name: DTU-1, kind: dtu, intervalSeconds: 600 }
      - id: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01
        name: VW-01
        kind: sensor
        parent: 2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001
        items:
          - { key: frequency, name: 频率, unit: Hz }
          - { key: temperature, name: 温度, unit: '°C' }
      - id: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02
        name: G-01
        kind: sensor
        items: [{ key: reading, name: Reading, unit: mV }]
    traffic: { loadUnit: t, axleLoadUnit: kg, names: { license: 车牌 } }
    cameras:
      - { id: 1, location: 东塔, serialNo: C30411203, channelNo: 1, hasPTZ: true, type: 球机, source: 'rtsp://192.0.2.10/1' }
  - id: 2
    name: River
    type: 3
    latitude: 48.1
    longitude: -11.5
    timeZone: Europe/Berlin
    factors:
      - factor: 17
        stations: [{ id: 2001, name: W-01 }]
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b13
            stations: [2001]
            clearAfter: 1
            items:
              - item: waterLevel
                timeDivision: true
                config:
                  - { startTime: '06:00:00', endTime: '22:00:00', thresholds: [{ level: 1, value: '(5,+)' }] }
                  - { startTime: '22:00:00', endTime: '06:00:00', thresholds: [{ level: 1, value: '(4,+)' }] }
      - factor: 18
        stations: [{ id: 2002, name: O-01 }, { id: 2003, name: O-02, from: { sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a03] } }]
    devices:
      - id: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a03
        name: R-01
        kind: sensor
        items: [{ key: __proto__, name: Prototype, unit: a }]
    cameras:
      - { id: 2, location: Weir, serialNo: C2, channelNo: 3, type: fixed, source: 'rtsp://192.0.2.11/1' }
  - { id: 3, name: Bare ground, type: 3, latitude: 0, longitude: 0 }
`
