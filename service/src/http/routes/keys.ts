import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createKey, listKeys, revokeKey } from '@plumbline/contract'
import type { KeyTargets } from '../../domain/access/key-targets.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { createIngestKey } from '../../site/ingest-keys.ts'
import type { Storage } from '../../storage/storage.ts'
import { requireAllStructures } from '../security/require-all-structures.ts'
import type { Caller } from '../security/caller.ts'

type KeyRoutesOptions = { storage: Pick<Storage, 'ingestKeys'>; now(): number }

/** For users who may see every structure, since a key may write to any of them. */
export const keyRoutes: FastifyPluginAsyncTypebox<KeyRoutesOptions> = async (
  app,
  { storage, now },
) => {
  requireAllStructures(app, 'ingest keys')

  app.route({
    ...listKeys,
    handler: async () => ({
      keys: (await storage.ingestKeys.list()).map(({ id: _id, targets, ...key }) => ({
        ...key,
        targets: targets && copyOf(targets),
      })),
    }),
  })

  app.route({
    ...createKey,
    handler: async ({ caller, body: { name, ...named } }) => {
      const targets = readTargets(named)
      if (targets !== undefined) requireKnown(caller, targets)
      return { key: await createIngestKey(storage, name, targets) }
    },
  })

  app.route({
    ...revokeKey,
    handler: async ({ body: { name } }, reply) => {
      if (!(await storage.ingestKeys.revoke(name, now())))
        throw new RefusedError('absent', 'There is no active key of this name.')
      return reply.code(204).send()
    },
  })
}

const copyOf = ({ structures, stations, sensors }: KeyTargets) => ({
  structures: [...structures],
  stations: [...stations],
  sensors: [...sensors],
})

/** The targets of a request; undefined without any: the key may write to everything. */
function readTargets({
  structures,
  stations,
  sensors,
}: Partial<KeyTargets>): KeyTargets | undefined {
  if (structures === undefined && stations === undefined && sensors === undefined) return undefined
  const targets = {
    structures: structures ?? [],
    stations: stations ?? [],
    sensors: (sensors ?? []).map((id) => id.toLowerCase()),
  }
  if (Object.values(targets).every(({ length }) => length === 0))
    throw new RefusedError(
      'invalid',
      'the lists of targets are empty; leave them out for a key that may write to everything',
    )
  return targets
}

function requireKnown(caller: Caller, { structures, stations, sensors }: KeyTargets): void {
  for (const id of structures) caller.findStructure(id)
  for (const id of stations) caller.findStation(id)
  for (const id of sensors)
    if (!caller.catalogue.devices.has(id))
      throw new RefusedError('absent', `There is no sensor or other device ${id}.`)
}
