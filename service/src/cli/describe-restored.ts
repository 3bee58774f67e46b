import type { UndoneAlarm } from '../undo/undo-change.ts'

const OUTCOME_TEXTS = {
  reopened: 'was opened again.',
  opened: 'was raised by the newest record of the station.',
  ended: 'was cleared: the newest record of the station is normal.',
  changed: 'was updated with the newest record of the station.',
  withdrawn: 'ended: the values that raised it are there no more.',
} as const satisfies Record<UndoneAlarm['outcome'], string>

/** What an undo, or values that are no longer bad, did to an alarm. */
export const describeRestored = ({ id, source, level, outcome }: UndoneAlarm): string =>
  `${id === null ? 'A new alarm' : `Alarm ${id}`} of station ${source.id} "${source.name}" (level ${level}) ${OUTCOME_TEXTS[outcome]}`
