import type { RestoredAlarm } from '../alarms/restore-alarms.ts'

const OUTCOME_TEXTS = {
  reopened: 'was opened again.',
  opened: 'was raised by the newest record of the station.',
  ended: 'was cleared: the newest record of the station is normal.',
  changed: 'was updated with the newest record of the station.',
  withdrawn: 'ended: the values that raised it are there no more.',
} as const satisfies Record<UndoneAlarm['outcome'], string>

/** An alarm that an undo changed; `withdrawn`: the undone change had raised it. */
export type UndoneAlarm = Omit<RestoredAlarm, 'outcome'> & {
  outcome: RestoredAlarm['outcome'] | 'withdrawn'
}

/** What an undo, or values that are no longer bad, did to an alarm. */
export const describeRestored = ({ id, source, level, outcome }: UndoneAlarm): string =>
  `${id === null ? 'A new alarm' : `Alarm ${id}`} of station ${source.id} "${source.name}" (level ${level}) ${OUTCOME_TEXTS[outcome]}`
