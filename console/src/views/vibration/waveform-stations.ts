import type { ThemeData } from '@plumbline/client'
import { client } from '../../state/api.ts'
import type { StationPlace } from '../../state/station-place.ts'
import { structures } from '../../state/structures.svelte.ts'

/** The values of a waveform in the theme record of its station. */
const PEAKS = ['pv', 'ppv', 'trms']
const STATIONS_A_REQUEST = 1000

/** The stations of a structure that have waveforms, in the order of the site. */
export async function findWaveformStations(
  structureId: number,
  signal: AbortSignal,
): Promise<StationPlace[]> {
  const places = await structures.stationsOf(structureId)
  const found = new Set<number>()
  for (let at = 0; at < places.length; at += STATIONS_A_REQUEST) {
    const stations = places.slice(at, at + STATIONS_A_REQUEST).map(({ id }) => id)
    const data = await client.getThemeData({ stations, limit: 1 }, { signal })
    for (const station of data.stations) if (hasPeaks(station)) found.add(station.id)
  }
  return places.filter(({ id }) => found.has(id))
}

const hasPeaks = ({ data }: ThemeData['stations'][number]): boolean =>
  PEAKS.some((key) => data[0]?.[key] !== undefined)
