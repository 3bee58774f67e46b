import { parseIntervals } from '../../domain/alarms/interval.ts'
import { compileThresholds } from '../../domain/alarms/threshold-evaluator.ts'
import { isMoreSevere, type Severity } from '../../domain/alarms/alarm-settings.ts'
import type { ThresholdSlot } from '../../domain/site/site-entry.ts'
import { each, type ItemPart } from '../file/file-parts.ts'
import { DEFAULT_LONGEST_GAP, flattenHysteresis, type RatePart } from '../file/flatten-rules.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'

type RuleProblems = { problems: ProblemList; notes: ProblemList }

/** Checks that the rules of an item are consistent and that their alarms can be cleared. */
export function checkRules(
  item: ItemPart,
  slots: readonly ThresholdSlot[],
  severity: Severity,
  path: ValuePath,
  { problems, notes }: RuleProblems,
): void {
  const { config = [], rates = [], range, spike, frozen, design } = item
  if (config.length + rates.length === 0 && !range && !spike && !frozen && !design) {
    problems.add(path, 'sets nothing: expected config, rates, range, spike, frozen or design')
  }
  checkHysteresis(item, slots, path, problems)
  for (const [rate, place] of each(rates, ...path, 'rates')) {
    if (rate.days !== undefined && rate.per === 'hour') {
      problems.add([...place, 'days'], 'days in a row need per: day')
    }
    checkRateTimes(rate, place, problems)
    const limits = rate.levels.map(({ level, limit }) => ({ level, limit }))
    checkLevels(limits, severity, [...place, 'levels'], { problems, notes })
  }
  if (range !== undefined) {
    checkRange(range, [...path, 'range'], problems)
    noteOutOfRange(range, slots, path, notes)
  }
  if (design !== undefined) {
    if (design.value === 0) {
      problems.add([...path, 'design', 'value'], 'is 0, expected a number other than 0')
    }
    const limits = design.levels.map(({ level, percent }) => ({ level, limit: percent }))
    checkLevels(limits, severity, [...path, 'design', 'levels'], { problems, notes })
  }
  noteUnconfirmed(item, path, notes)
}

/** Checks that the time over which a change is measured is given once, and is below the longest gap. */
function checkRateTimes(rate: RatePart, path: ValuePath, problems: ProblemList): void {
  const { per, days, overMinutes, consecutive = false, longestGap } = rate
  if (days !== undefined) {
    if (longestGap !== undefined)
      problems.add([...path, 'longestGap'], 'days in a row allow no gap')
    for (const key of ['overMinutes', 'consecutive'] as const)
      if (rate[key] !== undefined)
        problems.add([...path, key], 'days in a row compare the last values of local days')
    return
  }
  if (overMinutes !== undefined && consecutive)
    problems.add([...path, 'consecutive'], 'expected either overMinutes or consecutive')
  const minutes = per === 'hour' ? 60 : 1440
  const over = consecutive ? 0 : (overMinutes ?? minutes)
  const gap = (longestGap ?? DEFAULT_LONGEST_GAP) * minutes
  if (gap <= over)
    problems.add(
      [...path, longestGap === undefined ? 'overMinutes' : 'longestGap'],
      `expected a longest gap above the ${over} minutes over which the change is measured, found ${gap} minutes`,
    )
}

function checkHysteresis(
  item: ItemPart,
  slots: readonly ThresholdSlot[],
  path: ValuePath,
  problems: ProblemList,
): void {
  const { hysteresis } = item
  if (hysteresis === undefined) return
  const place = [...path, 'hysteresis']
  if ((hysteresis.value === undefined) === (hysteresis.percent === undefined)) {
    problems.add(place, 'expected either value or percent')
    return
  }
  if (slots.length === 0) {
    problems.add(place, 'has no effect without thresholds in config')
    return
  }
  const source = {
    item: item.item,
    config: [...slots],
    hysteresis: flattenHysteresis(hysteresis),
  }
  const thresholds = compileThresholds([{ items: [source] }], [item.item], 'lowestFirst')
  for (const { low, high } of thresholds.closedGaps) {
    const band = `${low === -Infinity ? '-' : low} to ${high === Infinity ? '+' : high}`
    problems.add(
      place,
      `leaves no normal values from ${band}: an alarm would never be cleared there`,
    )
  }
}

function checkRange(
  { low, high }: NonNullable<ItemPart['range']>,
  path: ValuePath,
  problems: ProblemList,
): void {
  if (low === undefined && high === undefined) problems.add(path, 'expected low, high or both')
  if (low !== undefined && high !== undefined && low >= high) {
    problems.add(path, `has its low end ${low} not below its high end ${high}`)
  }
}

/** Notes levels whose intervals lie outside the measuring range, where values are bad. */
function noteOutOfRange(
  { low = -Infinity, high = Infinity, quality = 'bad' }: NonNullable<ItemPart['range']>,
  slots: readonly ThresholdSlot[],
  path: ValuePath,
  notes: ProblemList,
): void {
  if (quality !== 'bad') return
  for (const [slot, place] of each(slots, ...path, 'config'))
    for (const [{ level, value }, levelPlace] of each(slot.thresholds, ...place, 'thresholds'))
      if (parseIntervals(value).every((one) => one.high < low || one.low > high))
        notes.add(
          levelPlace,
          `level ${level} is never reached, since values outside the range violate only the range`,
        )
}

/** The number of levels. */
const LIMITS_MAXIMUM = 99

/** Checks that each level has one limit, and notes levels that are never reached. */
function checkLevels(
  limits: readonly { level: number; limit: number }[],
  severity: Severity,
  path: ValuePath,
  { problems, notes }: RuleProblems,
): void {
  if (limits.length > LIMITS_MAXIMUM) {
    problems.add(path, `has ${limits.length} limits, expected at most ${LIMITS_MAXIMUM}`)
    return
  }
  for (const [index, { level, limit }] of limits.entries()) {
    const earlier = limits.slice(0, index)
    if (earlier.some((one) => one.level === level)) {
      problems.add([...path, index], `has level ${level} again, expected one limit for each level`)
    }
    const covering = limits.find(
      (one) => isMoreSevere(one.level, level, severity) && one.limit <= limit,
    )
    if (covering !== undefined) {
      notes.add(
        [...path, index],
        `level ${level} is never reached, since level ${covering.level} begins at ${covering.limit} already`,
      )
    }
  }
}

function noteUnconfirmed(item: ItemPart, path: ValuePath, notes: ProblemList): void {
  const { config, rates, range, spike, frozen, design } = item
  const parts = [
    ...each(config, ...path, 'config'),
    ...each(rates, ...path, 'rates'),
    ...(['range', 'spike', 'frozen', 'design'] as const).map((name) => {
      return [{ range, spike, frozen, design }[name], [...path, name]] as const
    }),
  ]
  for (const [part, place] of parts) {
    if (part?.unconfirmed === true) notes.add(place, 'its numbers are marked as not confirmed')
  }
}
