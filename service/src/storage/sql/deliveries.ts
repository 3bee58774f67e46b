import type { Columns, SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import { fromJson } from './from-json.ts'
import { completeDelivery } from './delivery-outcomes.ts'
import type { Tables } from './tables.ts'
import type {
  ChannelCount,
  DeliveryStore,
  NewDelivery,
  StoredDelivery,
} from '../stores/deliveries.ts'

export const insertDeliveries = (deliveries: readonly NewDelivery[]): Statement => ({
  sql: `insert into deliveries (kind, outbox_id, alarm_id, step, structure_id, channel, rules,
      message, reason, state, attempts, created_at, due_at, next_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
  width: 13,
  values: deliveries.flatMap((one) => [
    one.kind,
    one.outboxEntry,
    one.alarm,
    one.step,
    one.structure,
    one.channel,
    JSON.stringify(one.rules),
    one.message,
    one.reason,
    one.reason === null ? 'waiting' : 'suppressed',
    one.createdAt,
    one.createdAt,
    one.createdAt,
  ]),
})

export function deliveryStore({ build, all, first, write }: SqlEngine): DeliveryStore {
  const waiting = build.selectFrom('deliveries').where('deliveries.state', '=', 'waiting')

  return {
    async listDue(channel, now, limit) {
      const query = waiting
        .select(['id', 'kind', 'alarm_id', 'message', 'attempts', 'due_at'])
        .select(({ selectFrom }) =>
          selectFrom('deliveries as part')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('part.summary_id', '=', 'deliveries.id')
            .as('summarized'),
        )
        .where('channel', '=', channel)
        .where('next_at', '<=', now)
        .orderBy('attempts')
        .orderBy('id')
        .limit(limit)
      return (await all(query.compile())).map(({ alarm_id, due_at, summarized, ...row }) => {
        return { ...row, alarm: alarm_id, dueAt: due_at, summarized: summarized ?? 0 }
      })
    },

    async listDueChannels(now) {
      const query = waiting.select('channel').distinct().where('next_at', '<=', now)
      const rows = await all(query.orderBy('channel').compile())
      return rows.map(({ channel }) => channel)
    },

    async countDelivered(channel, since, until) {
      const query = build
        .selectFrom('deliveries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('channel', '=', channel)
        .where('delivered_at', '>', since)
        .where('delivered_at', '<=', until)
        .where('kind', '<>', 'summary')
      return (await first(query.compile()))?.count ?? 0
    },

    async complete(id, outcome) {
      await write(completeDelivery(id, outcome))
    },

    async giveUp(channel, { dueBefore, upTo }, { at, error }) {
      const [outcome] = await write([
        {
          sql: `update deliveries set state = 'givenUp', next_at = ?, reason = 'given up',
              last_error = ?
            where channel = ? and state = 'waiting' and due_at < ? and id <= ?`,
          width: 5,
          values: [at, error, channel, dueBefore, upTo],
        },
      ])
      return outcome?.changed ?? 0
    },

    async postpone(channel, until) {
      await write([
        {
          sql: `update deliveries set next_at = ?
            where channel = ? and state = 'waiting' and next_at < ?`,
          width: 3,
          values: [until, channel, until],
        },
      ])
    },

    async bringForward(now, { retry, summary, reminder }) {
      const query = waiting
        .select('id')
        .where(({ and, or, eb }) =>
          or([
            and([
              eb('next_at', '>', now + retry),
              or([eb('kind', '<>', 'summary'), eb('attempts', '>', 0)]),
            ]),
            and([
              eb('next_at', '>', now + summary),
              eb('kind', '=', 'summary'),
              eb('attempts', '=', 0),
            ]),
          ]),
        )
      const far = await all(query.compile())
      const reminders = build.selectFrom('reminders').select(['alarm_id', 'channel', 'next_at'])
      const late = await all(reminders.where('next_at', '>', now + reminder).compile())
      if (far.length + late.length === 0) return
      await write([
        {
          sql: `update deliveries set next_at = ? where id = ? and state = 'waiting'`,
          width: 2,
          values: far.flatMap(({ id }) => [now, id]),
        },
        {
          sql: `update reminders set next_at = ?
            where alarm_id = ? and channel = ? and next_at = ?`,
          width: 4,
          values: late.flatMap((one) => [now, one.alarm_id, one.channel, one.next_at]),
        },
      ])
    },

    async list({ channel, state, alarm, before, limit }) {
      let query = build.selectFrom('deliveries').selectAll()
      if (channel !== undefined) query = query.where('channel', '=', channel)
      if (state !== undefined) query = query.where('state', '=', state)
      if (alarm !== undefined) query = query.where('alarm_id', '=', alarm)
      if (before !== undefined) query = query.where('id', '<', before)
      const rows = await all(query.orderBy('id', 'desc').limit(limit).compile())
      return rows.map(toDelivery)
    },

    async count(givenUpSince) {
      const query = build
        .selectFrom('deliveries')
        .select(['channel', 'state'])
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('due_at').as('since')])
        .where(({ and, or, eb }) =>
          or([
            eb('state', '=', 'waiting'),
            and([eb('state', '=', 'givenUp'), eb('next_at', '>=', givenUpSince)]),
          ]),
        )
        .groupBy(['channel', 'state'])
        .orderBy('channel')
      return toCounts(await all(query.compile()))
    },

    async expire(before, limit) {
      const [outcome] = await write([
        {
          sql: `delete from deliveries where id in (select id from deliveries
            where state <> 'waiting' and created_at < ? order by id limit ?)`,
          width: 2,
          values: [before, limit],
        },
      ])
      return { isDone: (outcome?.changed ?? 0) < limit }
    },
  }
}

type DeliveryRow = Columns<'deliveries', keyof Tables['deliveries']>

const toDelivery = (row: DeliveryRow): StoredDelivery => ({
  id: row.id,
  kind: row.kind,
  alarm: row.alarm_id,
  step: row.step,
  structure: row.structure_id,
  channel: row.channel,
  rules: fromJson<string[]>(row.rules),
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  nextAt: row.next_at,
  lastError: row.last_error,
  reason: row.reason,
  deliveredAt: row.delivered_at,
})

type CountRow = Columns<'deliveries', 'channel' | 'state'> & { count: number; since: number }

function toCounts(rows: readonly CountRow[]): ChannelCount[] {
  return Array.from(
    Map.groupBy(rows, ({ channel }) => channel),
    ([channel, states]) => {
      const waiting = states.find(({ state }) => state === 'waiting')
      const givenUp = states.find(({ state }) => state === 'givenUp')
      return {
        channel,
        waiting: waiting?.count ?? 0,
        waitingSince: waiting?.since ?? null,
        givenUp: givenUp?.count ?? 0,
      }
    },
  )
}
