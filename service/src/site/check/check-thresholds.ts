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

/** Checks that the threshold batches of a configured factor have its stations and items, once each. */
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
    checkRaiseAfter(batch, [...batchPath, 'raiseAfter'], problems)
    checkItems(batch, factor, severity, batchPath, problems, notes)
  }
}

/** Checks that the on-delay is either a number of records or a time. */
function checkRaiseAfter({ raiseAfter }: BatchPart, path: ValuePath, problems: ProblemList): void {
  if (raiseAfter === undefined) return
  const { records, of, minutes } = raiseAfter
  if (
    (records === undefined) === (minutes === undefined) ||
    (of !== undefined && records === undefined)
  )
    problems.add(path, 'expected either records, with or without of, or minutes')
  else if (of !== undefined && records !== undefined && of < records)
    problems.add([...path, 'of'], `is ${of}, expected at least the ${records} of records`)
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
    if (seen.has(item)) problems.add([...place, 'item'], `item ${item} is in this batch already`)
    seen.add(item)
    if (timeDivision && !factor.timeDivision) {
      problems.add([...place, 'timeDivision'], `factor ${factor.id} allows no time division`)
    }
    try {
      const { slots, notes: slotNotes } = checkThresholdConfig(flattenSlots(config), timeDivision)
      if (config !== undefined) for (const one of slotNotes) notes.add([...place, 'config'], one)
      checkRules(part, slots, severity, place, { problems, notes })
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      const [, inner, sentence] = /^(config[\w.[\]]*): ([\s\S]*)$/.exec(error.message) ?? []
      problems.add([...place, ...parsePath(inner ?? 'config')], sentence ?? error.message)
    }
  }
}

/** Parses the place in an error of thresholds: `config[1].value`. */
function parsePath(place: string): ValuePath {
  const steps = place.match(/\w+/g) ?? []
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}
