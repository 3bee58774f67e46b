import { ThresholdBatch } from '@plumbline/contract/site'
import { STRUCTURE_ALARMS } from '../../domain/alarms/alarm-settings.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type {
  FactorEntry,
  SiteEntry,
  StationEntry,
  StructureEntry,
  ThresholdBatchEntry,
} from '../../domain/site/site-entry.ts'
import { checkThresholds } from '../check/check-thresholds.ts'
import type { BatchPart, FactorPart } from '../file/file-parts.ts'
import { flattenBatch } from '../file/flatten.ts'
import { fitsSchema } from '../../schemas/check-schema.ts'
import { formatProblem, YamlFileError, type FileProblem } from '../../yaml/yaml-file-error.ts'
import { formatPath } from '../../schemas/value-path.ts'
import { ProblemList } from '../../yaml/problem-list.ts'
import { checkStorable } from '../check/storable.ts'

export type FactorPlace = { structure: number; factor: number }

/**
 * Checks a threshold batch as in a site file together with the stored batches of its structure and
 * factor; throws a `YamlFileError` with every problem. It replaces the stored batch with its
 * `batchNo`; with `isAlone` it replaces all of them.
 */
export function planBatch(
  stored: readonly SiteEntry[],
  { structure, factor }: FactorPlace,
  batch: unknown,
  { isAlone = false }: { isAlone?: boolean } = {},
): { entry: ThresholdBatchEntry; notes: string[] } {
  const draft = readBatch(batch)
  const { factorEntry, structureEntry, stations, others } = findPlace(stored, structure, factor)
  const rest = others.filter(({ id }) => !isAlone && id !== draft.batchNo.toLowerCase())
  const part: FactorPart = {
    factor,
    stations: stations.map(({ id, name }) => ({ id, name })),
    thresholds: [...rest.map(toPart), draft],
  }
  const problems = new ProblemList(NO_LINES)
  const notes = new ProblemList(NO_LINES)
  const severity = structureEntry.alarms?.severity ?? STRUCTURE_ALARMS.severity
  checkThresholds(part, factorEntry, severity, [], problems, notes)
  const ownProblems = problemsOfBatch(rest.length)
  const wrong = ownProblems(problems.problems)
  if (wrong.length > 0) throw new YamlFileError(NAME, wrong)
  return {
    entry: flattenBatch(draft, { structure, factor }),
    notes: ownProblems(notes.problems).map((note) => formatProblem(NAME, note)),
  }
}

function readBatch(batch: unknown): BatchPart {
  const problems = new ProblemList(NO_LINES)
  if (!fitsSchema(ThresholdBatch, batch, problems.report)) throw problems.error()
  checkStorable(batch, problems.report)
  problems.throwIfAny()
  return batch
}

const NAME = 'the batch'
const NO_LINES = { fileName: NAME, lineOf: () => null }

function findPlace(stored: readonly SiteEntry[], structure: number, factor: number) {
  const isHere = (entry: FactorPlace) => entry.structure === structure && entry.factor === factor
  const factorEntry = stored.find(
    (entry): entry is FactorEntry => entry.kind === 'factor' && entry.id === factor,
  )
  const structureEntry = stored.find(
    (entry): entry is StructureEntry => entry.kind === 'structure' && entry.id === structure,
  )
  if (factorEntry === undefined || structureEntry === undefined)
    throw new RefusedError('absent', `There is no structure ${structure} with a factor ${factor}.`)
  return {
    factorEntry,
    structureEntry,
    stations: stored.filter(
      (entry): entry is StationEntry => entry.kind === 'station' && isHere(entry),
    ),
    others: stored.filter(
      (entry): entry is ThresholdBatchEntry => entry.kind === 'thresholdBatch' && isHere(entry),
    ),
  }
}

/** The stations and items of a stored batch; its thresholds were checked before. */
const toPart = ({ id, stations, items }: ThresholdBatchEntry): BatchPart => ({
  batchNo: id,
  stations,
  items: items.map(({ item }) => ({ item })),
})

/** Selects the problems of the batch at an index, with paths within the batch. */
const problemsOfBatch = (place: number) => {
  const prefix = formatPath(['thresholds', place])
  return (problems: readonly FileProblem[]): FileProblem[] =>
    problems
      .filter(({ path }) => path.startsWith(prefix))
      .map((problem) => ({
        ...problem,
        path: problem.path.slice(prefix.length).replace(/^\./, ''),
      }))
}
