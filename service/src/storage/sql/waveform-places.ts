import type { SqlEngine } from './engine.ts'
import { secondOf } from '../../domain/vibration/trigger.ts'
import type { WaveformPlace, NewWaveform } from '../storage.ts'

/** So many batches are looked at for one that leaves the next second free. */
const NEIGHBOURS = 64

type Triggered = Pick<NewWaveform, 'station' | 'trigger'>

/**
 * Finds the second under which each of some batches will be asked for, free of those that are
 * stored and of each other; one that is there already keeps its own.
 */
export function waveformPlanner({
  build,
  all,
}: Pick<SqlEngine, 'build' | 'all'>): (batches: readonly Triggered[]) => Promise<WaveformPlace[]> {
  const freeSecond = async (station: number, from: number): Promise<number> => {
    for (let second = from; ;) {
      const query = build
        .selectFrom('waveforms')
        .select('collect_time as time')
        .where('station_id', '=', station)
        .where('collect_time', '>=', second)
        .orderBy('collect_time')
        .limit(NEIGHBOURS)
      const taken = await all<{ time: number }>(query.compile())
      for (const { time } of taken) {
        if (secondOf(time) > second) return second
        second = secondOf(time) + 1000
      }
      if (taken.length < NEIGHBOURS) return second
    }
  }

  const findSecond = async ({ station, trigger }: Triggered): Promise<number | undefined> => {
    const query = build
      .selectFrom('waveforms')
      .select('collect_time as time')
      .where('station_id', '=', station)
      .where('trigger_time', '=', trigger.time)
      .where('trigger_nanoseconds', '=', trigger.nanoseconds)
    const [known] = await all<{ time: number }>(query.compile())
    return known?.time
  }

  const freeOfBoth = async (station: number, from: number, taken: ReadonlySet<string>) => {
    let second = await freeSecond(station, from)
    while (taken.has(`${station} ${second}`)) second = await freeSecond(station, second + 1000)
    return second
  }

  return async (batches) => {
    const seconds = new Map<string, number>()
    const taken = new Set<string>()
    const places: WaveformPlace[] = []
    for (const batch of batches) {
      const { station, trigger } = batch
      const name = `${station} ${trigger.time} ${trigger.nanoseconds}`
      const known = seconds.get(name) ?? (await findSecond(batch))
      const collectTime = known ?? (await freeOfBoth(station, secondOf(trigger.time), taken))
      seconds.set(name, collectTime)
      taken.add(`${station} ${collectTime}`)
      places.push({ collectTime, isReplacement: known !== undefined })
    }
    return places
  }
}
