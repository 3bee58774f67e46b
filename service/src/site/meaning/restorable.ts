import { findConversion } from '../../domain/units/units.ts'
import type { Storage } from '../../storage/storage.ts'
import { nameOfFinding, type ItemFinding } from './item-findings.ts'

/** Names the changes that could restore records in the old unit or under the old key. */
export async function describeRestorable(
  changes: Pick<Storage['changes'], 'findRestoring'>,
  findings: readonly ItemFinding[],
): Promise<string[]> {
  const lines: string[] = []
  for (const finding of findings.filter(changesMeaning)) {
    const ids = await changes.findRestoring(finding.kind, [...finding.all])
    if (ids.length === 0) continue
    const which = `change${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`
    lines.push(
      `! ${which} can restore records of ${nameOfFinding(finding)} as they were before: undo first what is to be undone`,
    )
  }
  return lines
}

function changesMeaning({ change }: ItemFinding): boolean {
  if ('added' in change || change.to === undefined) return false
  const { from, to } = change
  return from.key !== to.key || findConversion(from.unit, to.unit) !== 'same'
}
