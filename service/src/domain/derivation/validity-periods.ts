import { sensorsOf } from './conversion-inputs.ts'
import { derivationInForce, type Derivation } from './derivation.ts'

/** From one instant until the next era the same conversions are in force at a station. */
export type Era = {
  since: number
  /** By the place of the item; none for what arrives ready. */
  derivations: readonly (Derivation | undefined)[]
  /** The sensors that are read, in the order in which the site file names them. */
  sensors: readonly string[]
}

/** The eras of a station, oldest first; before the first one nothing is derived. */
export function listEras(
  derivations: readonly (readonly Derivation[])[],
  order: readonly string[],
): Era[] {
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

/** The era of an instant. */
export function eraAt(eras: readonly Era[], time: number): Era | undefined {
  for (let at = eras.length - 1; at >= 0; at--) if (eras[at]!.since <= time) return eras[at]
  return undefined
}
