import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  addMaintenance,
  endMaintenance,
  listDeliveries,
  listMaintenance,
  sendTestMessage,
} from '@plumbline/contract'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Channel } from '../../notifications/channel.ts'
import type { ChannelState } from '../../notifications/channel-states.ts'
import { sendTest } from '../../notifications/send-test.ts'

export type NotificationRouteOptions = {
  storage: Pick<Storage, 'deliveries' | 'maintenance'>
  channels: ReadonlyMap<string, Channel>
  states(): Promise<ChannelState[]>
  now(): number
}

/** For users who may see every structure, since notifications may be about any of them. */
export const notificationRoutes: FastifyPluginAsyncTypebox<NotificationRouteOptions> = async (
  app,
  { storage: { deliveries, maintenance }, channels, states, now },
) => {
  app.addHook('preHandler', async ({ caller }) => {
    if (caller.scope !== 'all')
      throw new RefusedError(
        'forbidden',
        'Only users with access to all structures can use notifications.',
      )
  })

  app.route({
    ...listDeliveries,
    handler: async ({ query: { alarmId, ...query } }) => ({
      channels: await states(),
      deliveries: await deliveries.list({ ...query, alarm: alarmId }),
    }),
  })

  app.route({
    ...listMaintenance,
    handler: async ({ query: { all, limit } }) => ({
      windows: await maintenance.list({ since: all === true ? undefined : now(), limit }),
    }),
  })

  app.route({
    ...addMaintenance,
    handler: async ({ caller, body }) => {
      const { structures = [], stations = [], startsAt, endsAt, reason } = body
      if (endsAt < startsAt)
        throw new RefusedError('invalid', '"endsAt" must not be before "startsAt".')
      for (const id of structures) caller.findStructure(id)
      for (const id of stations) caller.findStation(id)
      const window = { structures, stations, startsAt, endsAt, reason, createdAt: now() }
      return { id: await maintenance.add(window), ...window, endedAt: null }
    },
  })

  app.route({
    ...endMaintenance,
    handler: async ({ params: { windowId } }, reply) => {
      if (!(await maintenance.end(windowId, now())))
        throw new RefusedError('absent', `There is no open maintenance window ${windowId}.`)
      return reply.code(204).send()
    },
  })

  app.route({
    ...sendTestMessage,
    handler: async ({ params: { channel } }) =>
      sendTest(channels, {
        name: channel,
        id: `test-${randomUUID()}`,
        signal: new AbortController().signal,
      }),
  })
}
