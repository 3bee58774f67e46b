import { applyEvent } from '../domain/alarms/alarm-lifecycle.ts'
import { ConflictError } from '../errors/conflict-error.ts'
import { STRUCTURE_ALARMS } from '../domain/alarms/alarm-settings.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { zone as zoneOf } from '../domain/time/local-time.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { Storage, StoredAlarm } from '../storage/storage.ts'
import { changeOf } from './alarm-change.ts'
import type { AlarmCommits } from './alarm-commits.ts'
import { stateOfAlarm } from './state-of-alarm.ts'

type Confirmation = { id: number; user: string; comment: string; now: number }

/** Closes an open alarm in the name of a user; returns the closed alarm. */
export async function confirmAlarm(
  { commits, storage: { alarms } }: { commits: AlarmCommits; storage: Pick<Storage, 'alarms'> },
  catalogue: Catalogue,
  { id, user, comment, now }: Confirmation,
): Promise<StoredAlarm> {
  const { source: found } = await find(alarms, id)
  return commits.change([found.id], async (states) => {
    const alarm = await find(alarms, id)
    if (alarm.state >= 3) throw new RefusedError('invalid', `alarm ${id} is closed already`)

    const { structure, source, sourceType, category, alarmTypeCode } = alarm
    const zone = catalogue.structures.get(structure)?.zone ?? zoneOf('UTC')
    const state = states.of(source.id).alarmStates.get(alarmTypeCode) ?? stateOfAlarm(alarm, zone)
    const event = { kind: 'confirmation', time: now, user, comment } as const
    const { severity } = STRUCTURE_ALARMS
    const settings = { typeCode: alarmTypeCode, severity, clearAfter: 1, needsPerson: false }
    const type = { code: alarmTypeCode, category, sourceType }
    const about = { structure, zone, source, type }
    const change = changeOf(applyEvent(state, event, settings, commits.horizon()), about)
    // The states have an earlier, closed alarm: another writer has opened this one since.
    if (change === undefined)
      throw new ConflictError('alarms', `alarm ${id} was opened by another writer`)
    return { changes: [change], result: { ...change.alarm, id } }
  })
}

async function find(alarms: Storage['alarms'], id: number): Promise<StoredAlarm> {
  const alarm = await alarms.find(id)
  if (alarm === undefined) throw new RefusedError('absent', `There is no alarm ${id}.`)
  return alarm
}
