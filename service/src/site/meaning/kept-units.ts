import { countOf } from '../../errors/show.ts'
import { findConversion } from '../../domain/units/units.ts'
import type { Storage } from '../../storage/storage.ts'
import { EVER } from './count-members.ts'
import type { UnitFlag } from './describe-findings.ts'
import type { ItemFinding } from './item-findings.ts'

/** Notes what keeps its unit beside the records, and in which unit limits and parameters are taken. */
export async function describeKept(
  findings: readonly ItemFinding[],
  {
    waveforms,
    units,
  }: { waveforms: Pick<Storage['waveforms'], 'count'>; units: UnitFlag | undefined },
): Promise<string[]> {
  const changed = findings.filter(({ change, records }) => {
    if ('added' in change || change.to === undefined || records === 0) return false
    return findConversion(change.from.unit, change.to.unit) !== 'same'
  })
  if (changed.length === 0) return []
  const stations = new Set(
    changed.filter(({ kind }) => kind === 'theme').flatMap(({ sources }) => [...sources]),
  )
  let count = 0
  for (const station of stations) count += await waveforms.count({ station, ...EVER })
  return [
    ...(units === 'convert' ? [CONVERTED] : []),
    ...(count === 0 ? [] : [`note: ${countOf(count, 'waveform')} keep the unit of their samples`]),
  ]
}

const CONVERTED =
  'note: thresholds, rules and conversions count in the new unit as the file has them, manual readings stay as they were entered, and alarms are not evaluated again'
