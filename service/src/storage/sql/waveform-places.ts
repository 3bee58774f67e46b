import type { SqlEngine } from './engine.ts'
import { secondOf } from '../../domain/vibration/trigger.ts'
import type { NewWaveform, WaveformPlace } from '../stores/waveforms.ts'

/** The number of waveforms that are read at once to find a free second. */
const NEIGHBOURS = 64

type Triggered = Pick<NewWaveform, 'station' | 'trigger'>

/**
 * Finds the second of each waveform, by which clients request it: one that no stored waveform and no
 * other of the list has. A waveform that is stored already keeps its second.
 */
export function waveformPlanner({
  build,
  all,
  first,
}: Pick<SqlEngine, 'build' | 'all' | 'first'>): (
  waveforms: readonly Triggered[],
) => Promise<WaveformPlace[]> {
  const freeSecond = async (station: number, from: number): Promise<number> => {
    for (let second = from; ;) {
      const query = build
        .selectFrom('waveforms')
        .select('collect_time as time')
        .where('station_id', '=', station)
        .where('collect_time', '>=', second)
        .orderBy('collect_time')
        .limit(NEIGHBOURS)
      const taken = await all(query.compile())
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
    return (await first(query.compile()))?.time
  }

  const freeOfBoth = async (station: number, from: number, taken: ReadonlySet<string>) => {
    let second = await freeSecond(station, from)
    while (taken.has(`${station} ${second}`)) second = await freeSecond(station, second + 1000)
    return second
  }

  return async (waveforms) => {
    const seconds = new Map<string, number>()
    const taken = new Set<string>()
    const places: WaveformPlace[] = []
    for (const waveform of waveforms) {
      const { station, trigger } = waveform
      const name = `${station} ${trigger.time} ${trigger.nanoseconds}`
      const known = seconds.get(name) ?? (await findSecond(waveform))
      const collectTime = known ?? (await freeOfBoth(station, secondOf(trigger.time), taken))
      seconds.set(name, collectTime)
      taken.add(`${station} ${collectTime}`)
      places.push({ collectTime, isReplacement: known !== undefined })
    }
    return places
  }
}
