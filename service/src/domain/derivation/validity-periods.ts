import { sensorsOf } from './conversion-inputs.ts'
import { derivationInForce, type Derivation } from './derivation.ts'

/** A time in which the same conversions apply to a station, up to the next period. */
export type ValidityPeriod = {
  since: number
  /** By the index of the item; undefined for an item that is not derived. */
  derivations: readonly (Derivation | undefined)[]
  /** The sensors that are read, in the order of the site file. */
  sensors: readonly string[]
}

/** Returns the validity periods of a station, oldest first. Before the first nothing is derived. */
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

/** Returns the validity period of an instant. */
export function validityPeriodAt(
  periods: readonly ValidityPeriod[],
  time: number,
): ValidityPeriod | undefined {
  for (let at = periods.length - 1; at >= 0; at--) {
    const period = periods[at]
    if (period !== undefined && period.since <= time) return period
  }
  return undefined
}
