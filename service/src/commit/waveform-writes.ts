import type { Catalogue } from '../domain/site/catalogue.ts'
import {
  completeRows,
  toPlacedWrite,
  type CompleteRow,
  type RuleVerdicts,
} from './complete-rows.ts'
import type { KnownPlaces } from './known-places.ts'
import { describeStations } from './record-writes.ts'
import type { NewRecord } from './rows.ts'
import type { WaveformUnit } from './unit-of-work.ts'

/** The station records of waveforms, completed by what is stored at their places. */
export async function completeWaveforms(
  places: KnownPlaces,
  catalogue: Catalogue,
  units: readonly WaveformUnit[],
): Promise<{ rows: CompleteRow[]; steps: NewRecord[] }> {
  const theme = units.flatMap((unit) => unit.theme)
  if (theme.length === 0) return { rows: [], steps: [] }
  const stored = await places.look('theme', theme)
  return completeRows(theme, stored, describeStations(catalogue))
}

/** Waveforms as storage takes them, each with its station records and what rules say about these. */
export function toWaveformWrites(
  units: readonly WaveformUnit[],
  rows: readonly CompleteRow[],
  verdicts?: RuleVerdicts,
) {
  const left = new Map(rows.map((row) => [`${row.source} ${row.time}`, row]))
  return units.map(({ waveform, place, theme, deletions }) => {
    const own = theme.flatMap(({ source, time }) => left.get(`${source} ${time}`) ?? [])
    for (const { source, time } of own) left.delete(`${source} ${time}`)
    const written = toPlacedWrite(own, verdicts)
    return {
      waveform,
      place,
      records: {
        ...written.rows,
        marks: written.marks,
        expected: written.expected,
        deletions: {
          sources: [...deletions.sources, ...written.deletions.sources],
          times: [...deletions.times, ...written.deletions.times],
        },
      },
    }
  })
}
