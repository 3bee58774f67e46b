import type { FactorEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { checkThresholdConfig } from '../../domain/alarms/threshold.ts'
import type { Severity } from '../../domain/alarms/alarm-settings.ts'
import { checkRules } from './check-rules.ts'
import { each, eachStation, type BatchPart, type FactorPart } from '../file/file-parts.ts'
import { didYouMeanOr } from '../../schemas/near-miss.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'
import { flattenSlots } from '../file/threshold-slots.ts'

/** Thresholds and rules of a configured factor: their stations and items are its own, once each. */
export function checkThresholds(
  part: FactorPart,
  factor: FactorEntry,
  severity: Severity,
  path: ValuePath,
  problems: ProblemList,
  notes: ProblemList,
): void {
  const stations = new Set([...eachStation(part, path)].map(([{ id }]) => id))
  const batchOf = new Map<string, string>()
  for (const [batch, batchPath] of each(part.thresholds, ...path, 'thresholds')) {
    for (const [id, place] of each(batch.stations, ...batchPath, 'stations')) {
      if (!stations.has(id)) {
        problems.add(place, `station ${id} is not one of this structure and factor`)
        continue
      }
      for (const { item } of batch.items) {
        const other = batchOf.get(`${id} ${item}`)
        if (other === undefined) batchOf.set(`${id} ${item}`, batch.batchNo)
        else if (other !== batch.batchNo) {
          problems.add(place, `station ${id} has thresholds of ${item} in batch ${other} already`)
        }
      }
    }
    checkItems(batch, factor, severity, batchPath, problems, notes)
  }
}

function checkItems(
  batch: BatchPart,
  factor: FactorEntry,
  severity: Severity,
  path: ValuePath,
  problems: ProblemList,
  notes: ProblemList,
): void {
  const keys = factor.items.map(({ key }) => key)
  const seen = new Set<string>()
  for (const [part, place] of each(batch.items, ...path, 'items')) {
    const { item, timeDivision = false, config } = part
    if (!keys.includes(item)) {
      problems.add(
        [...place, 'item'],
        `factor ${factor.id} has no item ${item}${didYouMeanOr(item, keys)}`,
      )
    }
    if (seen.has(item))
      problems.add([...place, 'item'], `item ${item} stands in this batch already`)
    seen.add(item)
    if (timeDivision && !factor.timeDivision) {
      problems.add([...place, 'timeDivision'], `factor ${factor.id} allows no time division`)
    }
    try {
      const { slots, notes: remarks } = checkThresholdConfig(flattenSlots(config), timeDivision)
      if (config !== undefined) for (const one of remarks) notes.add([...place, 'config'], one)
      checkRules(part, slots, severity, place, { problems, notes })
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      const [, inner, sentence] = /^(config[\w.[\]]*): ([\s\S]*)$/.exec(error.message) ?? []
      problems.add([...place, ...stepsOf(inner ?? 'config')], sentence ?? error.message)
    }
  }
}

/** `config[1].value` as steps: the rule names its place in its sentence. */
function stepsOf(place: string): ValuePath {
  const steps = place.match(/\w+/g) ?? []
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}
