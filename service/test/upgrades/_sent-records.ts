export const SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Ten minutes apart for six days, of which the older ones are sealed. */
export function pastRecords(madeAt: number) {
  const instants = Array.from({ length: 5 * 144 }, (_, at) => madeAt - 6 * DAY + at * 10 * MINUTE)
  return instants.flatMap((time, at) => [
    {
      station: 1001,
      time,
      values: { strain: Math.round(900 * Math.sin(at / 50)) / 10, temperature: (at % 200) / 10 },
    },
    { station: 1003, time, values: { strain: -((at * 7) % 1000) / 8 } },
    { station: 2001, time, values: { waterLevel: 2 + (at % 1000) / 1000 } },
  ])
}

export const rawRecords = (madeAt: number) =>
  Array.from({ length: 300 }, (_, at) => ({
    sensor: SENSOR,
    time: madeAt - 5 * DAY + at * 20 * MINUTE,
    values: { frequency: 1500 + (at % 90) / 10, temperature: 20 + (at % 30) / 10 },
  })).filter(({ time }) => time < madeAt)

export const vehicles = (madeAt: number) =>
  Array.from({ length: 40 }, (_, at) => ({
    structure: 1,
    time: madeAt - at * 3 * HOUR - 1234,
    id: `wim-${at}`,
    license: `鄂A${10_000 + at}`,
    lane: String(1 + (at % 3)),
    direction: at % 2,
    axleCount: 2 + (at % 4),
    load: 10 + at,
    axleLoad: '5,5',
    overload: at % 5 === 0,
    speed: 60 + at,
  }))

export const waveform = (collectTime: number) => ({
  station: 1031,
  collectTime,
  sampleFreq: 100,
  unit: 'cm/s2',
  samples: Array.from({ length: 400 }, (_, at) => Math.round(1e4 * Math.sin(at / 7)) / 1e6),
})
