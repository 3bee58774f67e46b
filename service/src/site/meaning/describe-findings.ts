import { show } from '../../errors/show.ts'
import { describeMismatch, findConversion } from '../../domain/units/units.ts'
import { describeRecords, nameOfFinding, type ItemFinding } from './item-findings.ts'
import type { ItemChange } from './item-changes.ts'

/** What a changed unit means: only its label was wrong, or the stored values have to be converted. */
export type UnitFlag = 'relabel' | 'convert'

/** The sentences that refuse a change of stored records which the flags do not explain. */
export function refuseFinding(finding: ItemFinding, units: UnitFlag | undefined): string[] {
  const { change, records } = finding
  if ('added' in change || records === 0) return []
  return [...refuseKey(finding, change), ...refuseUnit(finding, change, units)]
}

function refuseKey(finding: ItemFinding, { from, to, isNamed, newKeys }: ItemChange): string[] {
  const name = nameOfFinding(finding)
  const hold = `${describeRecords(finding)} ${verb(finding, 'hold', 'holds')} ${show(from.key)}, which clients would not find`
  if (to === undefined) {
    if (finding.kind === 'theme' || newKeys.length === 0) return []
    const flags = newKeys.map((key) => renameFlag(from.key, key)).join(' or ')
    return [
      `The ${name} is gone where ${newKeys.map(show).join(', ')} is new, and ${hold}: add ${flags}, or apply the file once without the new key.`,
    ]
  }
  if (to.key === from.key) return []
  if (!isNamed)
    return [
      `The ${name} gets the key ${show(to.key)}, and ${hold}: add ${renameFlag(from.key, to.key)}, or give the item an id of its own if it is another quantity.`,
    ]
  if (finding.withBoth === 0) return []
  return [
    `The ${name} cannot get the key ${show(to.key)}: ${finding.withBoth.toLocaleString('en')} of its records hold a value of this key already.`,
  ]
}

/** In quotes where a shell would divide or change it. */
function renameFlag(from: string, to: string): string {
  const text = `${from}=${to}`
  return `--rename ${/^[\w.=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`}`
}

function refuseUnit(
  finding: ItemFinding,
  { from, to }: ItemChange,
  units: UnitFlag | undefined,
): string[] {
  if (to === undefined || units === 'relabel') return []
  const conversion = findConversion(from.unit, to.unit)
  if (conversion === 'same' || (units === 'convert' && conversion !== undefined)) return []
  const change = `The unit of ${nameOfFinding(finding)} changes from ${show(from.unit)} to ${show(to.unit)}, and ${describeRecords(finding)} ${verb(finding, 'hold', 'holds')} it`
  const relabel = `--relabel if their numbers are in ${show(to.unit)} already`
  if (conversion !== undefined)
    return [`${change}: add ${relabel}, or --convert to convert them from ${show(from.unit)}.`]
  const mismatch = describeMismatch(from.unit, to.unit)
  return [
    units === 'convert'
      ? `${change}, which cannot be converted: ${mismatch}. Apply the file with ${relabel}.`
      : `${change}: add ${relabel}; they cannot be converted, since ${mismatch}.`,
  ]
}

const verb = ({ records }: ItemFinding, ofSeveral: string, ofOne: string): string =>
  records === 1 ? ofOne : ofSeveral

/** What happens to the records of an item; nothing without records. */
export function describeFinding(finding: ItemFinding, units: UnitFlag | undefined): string[] {
  const { change, records } = finding
  if (records === 0) return []
  const name = nameOfFinding(finding)
  const held = describeRecords(finding)
  if ('added' in change)
    return [
      `! ${name} is new, and ${held} ${verb(finding, 'hold', 'holds')} its key already; clients get them in ${show(change.added.unit)}`,
    ]
  const { from, to } = change
  if (to === undefined)
    return [
      `! ${name} is removed; ${held} ${verb(finding, 'hold', 'holds')} it, and clients do not find it any more`,
    ]
  const isSame = findConversion(from.unit, to.unit) === 'same'
  return [
    ...(from.key === to.key
      ? []
      : [
          `! ${name}: ${held} ${verb(finding, 'get', 'gets')} the key ${show(to.key)} instead of ${show(from.key)}`,
        ]),
    ...(isSame
      ? []
      : units === 'convert'
        ? [
            `! ${name}: ${held} ${verb(finding, 'are', 'is')} converted from ${show(from.unit)} to ${show(to.unit)}`,
          ]
        : [
            `! ${name}: ${held} ${verb(finding, 'keep their numbers, which count', 'keeps its number, which counts')} as ${show(to.unit)} instead of ${show(from.unit)}`,
          ]),
  ]
}
