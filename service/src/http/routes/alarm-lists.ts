import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { confirmAlarms, searchAlarms, type AlarmResults } from '@plumbline/contract'
import type { AlarmCommits } from '../../alarms/alarm-commits.ts'
import { confirmAlarm } from '../../alarms/confirm.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage } from '../../storage/storage.ts'
import { alarmFilter } from '../requests/alarm-filter.ts'
import { toFoundAlarm } from '../responses/found-alarm.ts'
import type { Caller } from '../security/caller.ts'

type AlarmListOptions = { storage: Pick<Storage, 'alarms'>; commits: AlarmCommits; now(): number }

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
      return { count, alarms: alarms.map((alarm) => toFoundAlarm(alarm, caller.catalogue)) }
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
