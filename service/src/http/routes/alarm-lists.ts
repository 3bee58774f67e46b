import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  confirmAlarms,
  listShelvings,
  searchAlarms,
  shelveAlarms,
  unshelveAlarms,
  type AlarmResults,
  type Shelving,
} from '@plumbline/contract'
import type { AlarmCommits } from '../../alarms/alarm-commits.ts'
import { confirmAlarm } from '../../alarms/confirm.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage, StoredShelving } from '../../storage/storage.ts'
import { alarmFilter } from '../requests/alarm-filter.ts'
import { shelvedAlarms } from '../responses/found-alarm.ts'
import type { Caller } from '../security/caller.ts'

type AlarmListOptions = {
  storage: Pick<Storage, 'alarms' | 'shelvings'>
  commits: AlarmCommits
  now(): number
}

export const alarmListRoutes: FastifyPluginAsyncTypebox<AlarmListOptions> = async (
  app,
  { storage, commits, now },
) => {
  app.route({
    ...searchAlarms,
    handler: async ({ caller, query }) => {
      const { limit, offset, orderBy, orderDirection, ...filter } = query
      const page = { limit, offset, orderBy, orderDirection }
      const { count, alarms } = await storage.alarms.list({
        ...alarmFilter(caller, filter),
        ...page,
      })
      return { count, alarms: await shelvedAlarms(storage, alarms, caller.catalogue, now()) }
    },
  })

  app.route({
    ...confirmAlarms,
    handler: async ({ caller, body: { alarmIds, comment } }) => ({
      results: await forEachAlarm(alarmIds, async (id) => {
        await permitAlarm(storage, caller, id)
        const confirmation = { id, user: caller.sponsor, comment, now: now() }
        await confirmAlarm({ commits, storage }, caller.catalogue, confirmation)
      }),
    }),
  })

  app.route({
    ...shelveAlarms,
    handler: async ({ caller, body: { alarmIds, until, comment } }) => {
      const startsAt = now()
      checkUntil(until, startsAt)
      const { sponsor } = caller
      const results = await forEachAlarm(alarmIds, async (id) => {
        await permitAlarm(storage, caller, id)
        if (!(await storage.alarms.isOpen(id)))
          throw new RefusedError('invalid', `alarm ${id} is closed already`)
        await storage.shelvings.add([{ alarm: id, startsAt, endsAt: until, comment, sponsor }])
      })
      return { results }
    },
  })

  app.route({
    ...unshelveAlarms,
    handler: async ({ caller, body: { alarmIds } }) => ({
      results: await forEachAlarm(alarmIds, async (id) => {
        await permitAlarm(storage, caller, id)
        if (!(await storage.shelvings.end(id, now(), 'person')))
          throw new RefusedError('invalid', `alarm ${id} is not shelved`)
      }),
    }),
  })

  app.route({
    ...listShelvings,
    handler: async ({ caller, params: { alarmId } }) => {
      await permitAlarm(storage, caller, alarmId)
      const shelvings = await storage.shelvings.list(alarmId)
      return shelvings.map((one) => toShelving(one, now()))
    },
  })
}

const DAY = 86_400_000
const LONGEST_DAYS = 30

function checkUntil(until: number, now: number): void {
  if (until <= now)
    throw new RefusedError('invalid', 'the member "until" lies in the past, expected a later time')
  if (until > now + LONGEST_DAYS * DAY)
    throw new RefusedError(
      'invalid',
      `the member "until" is more than ${LONGEST_DAYS} days ahead: shelve the alarm again then`,
    )
}

function toShelving(
  { startsAt, endsAt, comment, sponsor, endedAt, endedBy }: StoredShelving,
  now: number,
): Shelving {
  const isOver = endedAt === null && endsAt <= now
  return {
    from: startsAt,
    until: endsAt,
    comment,
    sponsor,
    endedAt: isOver ? endsAt : endedAt,
    endedBy: isOver ? 'time' : endedBy,
  }
}

/** Alarms that are changed at once: their writes join in few commits. */
const AT_ONCE = 50

/** Changes each alarm once; one that cannot be changed keeps the others from nothing. */
async function forEachAlarm(
  ids: readonly number[],
  change: (id: number) => Promise<void>,
): Promise<AlarmResults['results']> {
  const reasons = new Map<number, string | null>()
  const once = [...new Set(ids)]
  for (let from = 0; from < once.length; from += AT_ONCE)
    await Promise.all(
      once.slice(from, from + AT_ONCE).map(async (id) => {
        reasons.set(id, await reasonOf(() => change(id)))
      }),
    )
  return ids.map((alarmId) => {
    const reason = reasons.get(alarmId) ?? null
    return { alarmId, isDone: reason === null, reason }
  })
}

/** Why a change was refused; null where it was made. */
async function reasonOf(change: () => Promise<void>): Promise<string | null> {
  try {
    await change()
    return null
  } catch (error) {
    if (error instanceof RefusedError && PERMANENT.has(error.reason)) return error.message
    throw error
  }
}

/** Refusals because of the alarm, not of the service. */
const PERMANENT: ReadonlySet<string> = new Set(['invalid', 'absent', 'forbidden'])

/** Throws 404 without the alarm, 403 for a caller who may not see its structure. */
async function permitAlarm(
  { alarms }: Pick<Storage, 'alarms'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const structure = await alarms.findStructure(id)
  if (structure === undefined) throw new RefusedError('absent', `There is no alarm ${id}.`)
  caller.permit(structure, `alarm ${id}`)
}
