import type { Hysteresis, ItemRules } from '../../domain/alarms/alarm-settings.ts'
import type { ItemPart } from './file-parts.ts'

/** The rules of an item with defaults and without the sources of their numbers. */
export function flattenRules(item: ItemPart): ItemRules & { hysteresis?: Hysteresis } {
  const { hysteresis, rates, range, spike, frozen, design } = item
  return {
    ...(hysteresis === undefined ? {} : { hysteresis: flattenHysteresis(hysteresis) }),
    ...(rates === undefined || rates.length === 0 ? {} : { rates: rates.map(flattenRate) }),
    ...(range === undefined ? {} : { range: withoutProvenance(range) }),
    ...(spike === undefined ? {} : { spike: { records: 5, ...withoutProvenance(spike) } }),
    ...(frozen === undefined
      ? {}
      : { frozen: { epsilon: 0, records: 5, ...withoutProvenance(frozen) } }),
    ...(design === undefined
      ? {}
      : { design: { isSymmetric: true, ...withoutProvenance(design) } }),
  }
}

/** The longest time between the two values of a rate, in hours or days, unless the site file says another. */
export const DEFAULT_LONGEST_GAP = 10

export type RatePart = NonNullable<ItemPart['rates']>[number]

function flattenRate(rate: RatePart) {
  return { longestGap: DEFAULT_LONGEST_GAP, ...withoutProvenance(rate) }
}

/** The deadband of an item. */
export function flattenHysteresis({
  value,
  percent,
}: NonNullable<ItemPart['hysteresis']>): Hysteresis {
  return value === undefined ? { percent: percent ?? 0 } : { value }
}

function withoutProvenance<T extends { clause?: string; unconfirmed?: boolean }>(
  rule: T,
): Omit<T, 'clause' | 'unconfirmed'> {
  const { clause: _clause, unconfirmed: _unconfirmed, ...rest } = rule
  return rest
}
