import type { SqlEngine } from './engine.ts'
import type { ShelvingEnd, ShelvingStore } from '../stores/shelvings.ts'
import type { Statement } from './statement.ts'

export function shelvingStore({ build, all, write }: SqlEngine): ShelvingStore {
  const stored = build
    .selectFrom('alarm_shelvings')
    .select(['alarm_id as alarm', 'starts_at as startsAt', 'ends_at as endsAt'])
    .select(['comment', 'sponsor', 'ended_at as endedAt', 'ended_by as endedBy'])
    .orderBy('id')

  return {
    async add(shelvings) {
      const ends = shelvings.map(({ alarm, startsAt }) => ({ alarm, at: startsAt }))
      await write([
        endShelvings(ends, 'person'),
        {
          sql: `insert into alarm_shelvings (alarm_id, starts_at, ends_at, comment, sponsor)
            values (?, ?, ?, ?, ?)`,
          width: 5,
          values: shelvings.flatMap(({ alarm, startsAt, endsAt, comment, sponsor }) => [
            alarm,
            startsAt,
            endsAt,
            comment,
            sponsor,
          ]),
        },
      ])
    },

    async end(alarm, now, by) {
      const [outcome] = await write([endShelvings([{ alarm, at: now }], by)])
      return (outcome?.changed ?? 0) > 0
    },

    async list(alarm) {
      return all(stored.where('alarm_id', '=', alarm).compile())
    },

    async listOf(alarms) {
      if (alarms.length === 0) return []
      return all(stored.where('alarm_id', 'in', alarms).compile())
    },
  }
}

/** Ends the shelvings that are under way at an instant. */
export const endShelvings = (
  ends: readonly { alarm: number; at: number }[],
  by: ShelvingEnd,
): Statement => ({
  sql: `update alarm_shelvings set ended_at = ?, ended_by = '${by}'
    where alarm_id = ? and ended_at is null and ends_at > ?`,
  width: 3,
  values: ends.flatMap(({ alarm, at }) => [at, alarm, at]),
})
