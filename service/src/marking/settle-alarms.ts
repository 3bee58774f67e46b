import type { AlarmParts } from '../alarms/alarm-commits.ts'
import { findNewestEvaluated } from '../alarms/newest-evaluated.ts'
import { restoreAlarms, type RestoredAlarm } from '../alarms/restore-alarms.ts'
import { rewindAlarms, VALUES_MARKED, type RewoundAlarm } from '../alarms/rewind-alarms.ts'
import type { Span } from '../derivation/span.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { MarkingTarget } from './mark-target.ts'

type SettledAlarms = { rewound: RewoundAlarm[]; restored: RestoredAlarm[] }

/**
 * Changes alarms as marked values require: those that began with values that are bad now end, as after a
 * deletion; where values are no longer bad, alarms are opened again, as after its undo.
 */
export async function settleAlarms(
  parts: AlarmParts,
  catalogue: Catalogue,
  { target, span, ...options }: { target: MarkingTarget; span: Span; sponsor: string; now: number },
): Promise<SettledAlarms> {
  const stations = markedStations(target)
  const all = await rewindAlarms(parts, { ...options, stations, content: VALUES_MARKED })
  if (target.quality.quality === 'bad') return { rewound: all, restored: [] }
  const { records } = parts.storage
  const found = await findNewestEvaluated(records, stations, parts.commits.horizon())
  const newest = new Map<number, number>()
  for (const [at, { entry }] of stations.entries()) {
    const time = found[at] ?? -Infinity
    if (time >= span.from && time <= span.to) newest.set(entry.id, time)
  }
  const restored = await restoreAlarms(parts, catalogue, { ...options, newest })
  return { rewound: all.filter(({ hasEnded }) => hasEnded), restored }
}

/** The stations whose values are marked or derived from marked ones. */
function markedStations({ sources }: MarkingTarget): CatalogueStation[] {
  const stations = sources.flatMap((source) =>
    source.kind === 'theme'
      ? [source.of]
      : source.of.feeds.flatMap((fed) => fed.group?.stations ?? [fed]),
  )
  return [...new Set(stations)]
}
