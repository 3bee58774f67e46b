import { round, type TrafficRecord } from './records.ts'

const STRUCTURE = 103
const DAY = '2009-05-17'
const SEED = 20090517

/** Vehicles an hour, from midnight. */
const HOURLY = [
  14, 9, 7, 7, 10, 22, 41, 63, 78, 80, 82, 85, 88, 87, 86, 88, 90, 92, 84, 70, 55, 43, 32, 21,
]

type Vehicle = {
  class: string
  share: number
  lightest: number
  heaviest: number
  limit: number
  axleShares: number[]
  axleSpacings: number[]
}

const VEHICLES: readonly [Vehicle, ...Vehicle[]] = [
  {
    class: 'car',
    share: 0.72,
    lightest: 1,
    heaviest: 2.4,
    limit: 3.5,
    axleShares: [0.55, 0.45],
    axleSpacings: [2.7],
  },
  {
    class: 'van',
    share: 0.13,
    lightest: 1.9,
    heaviest: 3.7,
    limit: 3.5,
    axleShares: [0.45, 0.55],
    axleSpacings: [3.6],
  },
  {
    class: 'truck, 2 axles',
    share: 0.06,
    lightest: 5,
    heaviest: 18.6,
    limit: 18,
    axleShares: [0.37, 0.63],
    axleSpacings: [4.8],
  },
  {
    class: 'truck, 3 axles',
    share: 0.03,
    lightest: 9,
    heaviest: 27,
    limit: 26,
    axleShares: [0.3, 0.36, 0.34],
    axleSpacings: [4.2, 1.4],
  },
  {
    class: 'articulated, 5 axles',
    share: 0.06,
    lightest: 13,
    heaviest: 41.5,
    limit: 40,
    axleShares: [0.17, 0.25, 0.2, 0.19, 0.19],
    axleSpacings: [3.7, 5.6, 1.3, 1.3],
  },
]

/**
 * One invented day of weigh-in-motion records: no real open set with plates exists.
 *
 * Every plate reads `DEMO-` and a number, or is empty as for a plate that was not read.
 */
export function generateTraffic(): TrafficRecord[] {
  const random = mulberry32(SEED)
  return HOURLY.flatMap((count, hour) =>
    Array.from({ length: count }, () => hour * 3600 + Math.floor(random() * 3600)),
  )
    .toSorted((a, b) => a - b)
    .map((second, index) => generateVehicle(second, index + 1, random))
}

function generateVehicle(second: number, number: number, random: () => number): TrafficRecord {
  const vehicle = pickVehicle(random())
  const target = vehicle.lightest + (vehicle.heaviest - vehicle.lightest) * random()
  const axleLoads = vehicle.axleShares.map((share) =>
    round(target * share * (0.95 + 0.1 * random()), 1),
  )
  const load = round(
    axleLoads.reduce((sum, axleLoad) => sum + axleLoad, 0),
    1,
  )
  const isTruck = vehicle.limit > 3.5
  const plate = Math.floor(random() * 900)
  return {
    structure: STRUCTURE,
    time: `${DAY} ${clock(second)}`,
    id: `DEMO-${String(number).padStart(6, '0')}`,
    license: random() < 0.02 ? '' : `DEMO-${String(plate).padStart(4, '0')}`,
    lane: isTruck ? '1' : String(1 + Math.floor(random() * 2)),
    direction: random() < 0.5 ? 0 : 1,
    axleCount: axleLoads.length,
    load,
    axleLoad: axleLoads.join(','),
    overload: load > vehicle.limit,
    speed: round((isTruck ? 52 : 60) + 28 * random(), 1),
    class: vehicle.class,
    axleLoads,
    axleSpacings: vehicle.axleSpacings.map((metres) => round(metres * (0.95 + 0.1 * random()), 2)),
    limit: vehicle.limit,
  }
}

function pickVehicle(chance: number): Vehicle {
  let left = chance
  for (const vehicle of VEHICLES) {
    if (left < vehicle.share) return vehicle
    left -= vehicle.share
  }
  return VEHICLES[0]
}

function clock(second: number): string {
  const parts = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** A seeded generator, so that every build gives the same day. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
