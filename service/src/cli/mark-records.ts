import { Commits } from '../commit/commits.ts'
import { storingCommits } from '../commit/record-commits.ts'
import { requireKnownClock } from '../clock/clock-problem.ts'
import { StationDerivation } from '../derivation/station-derivation.ts'
import { SERVICE_SPONSOR } from '../domain/alarms/alarm-lifecycle.ts'
import { EXPECTED_QUALITY, parseQuality } from '../domain/quality/quality-text.ts'
import type { Quality } from '../domain/quality/quality.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { countOf, show } from '../errors/show.ts'
import { chooseMarkingTarget, type MarkingChoice } from '../marking/mark-target.ts'
import { countMarkable, type MarkedCounts, type Marking } from '../marking/mark-values.ts'
import { endedOf, runMarking, type MarkingResult } from '../marking/run-marking.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { printResult, readText, UsageError, type CommandContext } from './command.ts'
import { describeRestored } from './describe-restored.ts'
import { openStorage } from './open.ts'
import { Progress } from './progress.ts'
import { readChoice, readSpan } from './record-flags.ts'
import { recordWrite } from './record-command.ts'
import { showMoment } from './table.ts'

/** `plumbline records mark`: marks values of a window, or counts them. */
export async function markChosen(context: CommandContext): Promise<void> {
  const { flags, lists, signal } = context
  const choice = readMarkingChoice(flags, lists['item'])
  await using storage = await openStorage(context)
  const isMarked = flags['yes'] === true
  if (isMarked) await requireKnownClock(storage, Date.now())
  const catalogue = await openCatalogue(storage.site)()
  const target = chooseMarkingTarget(catalogue, choice)
  const span = readSpan(flags, target, catalogue)
  const counted = await countMarkable({ storage }, { target, span, signal })
  if (signal.aborted) throw new RefusedError('unavailable', 'Stopped. Nothing was marked.')
  if (isMarked) return await mark(storage, context, { target, span, counted })
  const note = counted.values > 0 ? ['Nothing was marked. Add --yes to mark these values.'] : []
  const result = { records: recordsOf(counted), values: counted.values }
  const none = { ended: [], restored: [], change: null }
  printResult(context, { ...result, ...none }, [describe(counted), ...note])
}

function readMarkingChoice(
  flags: CommandContext['flags'],
  items: readonly string[] | undefined,
): MarkingChoice {
  const { kinds, ...choice } = readChoice(flags, 'records mark')
  const known = kinds?.filter((kind) => kind === 'theme' || kind === 'raw')
  if (known?.length !== kinds?.length)
    throw new UsageError('records mark knows the kinds theme and raw')
  return { ...choice, kinds: known, items, quality: readQuality(readText(flags, 'quality')) }
}

function readQuality(text: string | undefined): Quality {
  if (text === undefined)
    throw new UsageError('records mark needs --quality with bad, uncertain or good')
  const quality = parseQuality(text)
  if (quality !== undefined) return quality
  throw new UsageError(`--quality is ${show(text)}, ${EXPECTED_QUALITY}`)
}

async function mark(
  storage: Storage,
  context: CommandContext,
  { target, span, counted }: Pick<Marking, 'target' | 'span'> & { counted: MarkedCounts },
): Promise<void> {
  const { signal, printError } = context
  const stored = storingCommits(storage)
  const derivation = new StationDerivation({ data: storage.records, commits: stored })
  const catalogue = openCatalogue(storage.site)
  const marking = { catalogue, storage, commits: stored, derivation }
  const commits = Commits.open({ storage, now: Date.now })
  const { structure, description } = target
  using progress = new Progress('records')
  const marked = await runMarking(
    { marking, commits, storage },
    {
      target,
      span,
      signal,
      description: `${description} from ${showMoment(span.from)} to ${showMoment(span.to)}`,
      sponsor: SERVICE_SPONSOR,
      now: Date.now,
      onBegin: (change) =>
        recordWrite(storage, 'records mark', { change, structures: [structure] }, printError),
      onProgress: (records) => progress.show(records, recordsOf(counted)),
    },
  )
  progress[Symbol.dispose]()
  const { change, counts, isDone } = marked
  if (!isDone)
    throw new RefusedError(
      'unavailable',
      `Stopped. Run the same command again to continue, or "plumbline undo ${change}" to restore what was there before.`,
    )
  const { restored } = marked
  const ended = endedOf(marked)
  const result = { records: recordsOf(counts), values: counts.values, ended, restored, change }
  printResult(context, result, [
    describe(counts),
    ...describeAlarms(marked),
    ...describeChange(change),
  ])
}

const recordsOf = ({ theme, raw }: MarkedCounts): number => theme + raw

function describe({ theme, raw, values }: MarkedCounts): string {
  if (values === 0) return 'There are no values to mark.'
  const kinds = [
    ...(raw > 0 ? [countOf(raw, 'raw record')] : []),
    ...(theme > 0 ? [countOf(theme, 'station record')] : []),
  ]
  return `${countOf(values, 'value')} of ${kinds.join(' and ')}.`
}

const describeChange = (change: number | null): string[] =>
  change === null
    ? []
    : [
        `Marked as change ${change}; run "plumbline undo ${change}" to restore what was there before.`,
      ]

const describeAlarms = ({ rewound, restored }: MarkingResult): string[] => [
  ...rewound.map(
    ({ id, source, level, hasEnded }) =>
      `Alarm ${id} of station ${source.id} "${source.name}" (level ${level}) ` +
      (hasEnded
        ? 'ends with the values that raised it.'
        : 'stays open; the next record of the station decides.'),
  ),
  ...restored.map((alarm) => describeRestored(alarm)),
]
