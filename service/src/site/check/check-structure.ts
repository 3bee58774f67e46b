import { STRUCTURE_ALARMS } from '../../domain/alarms/alarm-settings.ts'
import { zone } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { checkCameras } from './check-cameras.ts'
import { checkDevices } from './check-devices.ts'
import { checkGroups } from './check-groups.ts'
import { checkStations } from './check-stations.ts'
import { checkThresholds } from './check-thresholds.ts'
import { each, type StructurePart } from '../file/file-parts.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'
import { allowsType, type SiteContext } from './site-context.ts'

/** Checks a structure and all its parts. */
export function checkStructure(
  structure: StructurePart,
  path: ValuePath,
  { context, problems, notes }: StructureProblems,
): void {
  const { structureTypes, projects, factors, cameras } = context
  const { severity } = { ...STRUCTURE_ALARMS, ...structure.alarms }
  if (structure.timeZone !== undefined) {
    checkTimeZone(structure.timeZone, [...path, 'timeZone'], problems)
  }
  if (!structureTypes.has(structure.type)) {
    problems.add([...path, 'type'], `there is no structure type ${structure.type}`)
  }
  for (const [id, place] of each(structure.projects, ...path, 'projects')) {
    if (!projects.has(id)) problems.add(place, `there is no project ${id}`)
  }
  checkDevices(structure, path, problems)
  checkCameras(structure, path, cameras, { problems, notes })

  const configured = new Set<number>()
  for (const [part, place] of each(structure.factors, ...path, 'factors')) {
    const factorPath = [...place, 'factor']
    const factor = factors.get(part.factor)
    if (configured.has(part.factor)) {
      problems.add(factorPath, `factor ${part.factor} is in this structure already`)
    }
    configured.add(part.factor)
    if (factor === undefined) {
      problems.add(factorPath, `factor ${part.factor} is not in the catalogue`)
      continue
    }
    if (!allowsType(factor, structure)) {
      problems.add(
        factorPath,
        `factor ${factor.id} is not meant for structure type ${structure.type}`,
      )
    }
    checkStations(part, factor, structure, place, problems, notes)
    checkGroups(part, place, { factor, structure, problems, notes })
    checkThresholds(part, factor, severity, place, problems, notes)
  }
}

/** Checks the name of a time zone. */
export function checkTimeZone(name: string, path: ValuePath, problems: ProblemList): void {
  try {
    zone(name)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    problems.add(path, error.message)
  }
}

type StructureProblems = { context: SiteContext; problems: ProblemList; notes: ProblemList }
