import { sensorsOf } from './conversion-inputs.ts'
import { derivationInForce, type Derivation } from './derivation.ts'

/** A time in which the same conversions are in force at a station: until the next one begins. */
export type ValidityPeriod = {
  since: number
  /** By the place of the item; none for what arrives ready. */
  derivations: readonly (Derivation | undefined)[]
  /** The sensors that are read, in the order in which the site file names them. */
  sensors: readonly string[]
}

/** The validity periods of a station, oldest first; before the first one nothing is derived. */
export function listValidityPeriods(
  derivations: readonly (readonly Derivation[])[],
  order: readonly string[],
): ValidityPeriod[] {
  const starts = new Set(derivations.flat().map(({ since }) => since))
  return [...starts]
    .filter((since) => since !== Infinity)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((since) => {
      const inForce = derivations.map((ofItem) => derivationInForce(ofItem, since))
      const read = new Set(
        inForce.flatMap((one) => (one === undefined ? [] : sensorsOf(one.settings))),
      )
      return { since, derivations: inForce, sensors: order.filter((id) => read.has(id)) }
    })
}

/** The validity period of an instant. */
export function validityPeriodAt(
  periods: readonly ValidityPeriod[],
  time: number,
): ValidityPeriod | undefined {
  for (let at = periods.length - 1; at >= 0; at--)
    if (periods[at]!.since <= time) return periods[at]
  return undefined
}
