import { createHash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deletePortrait, putPortrait, setPositions } from '@plumbline/contract'
import type { FastifyRequest } from 'fastify'
import { pictureType } from '../../domain/overview/picture-type.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage } from '../../storage/storage.ts'
import type { BodyReader } from '../requests/bodies/body-reader.ts'
import { validatorCompiler } from '../requests/validation.ts'
import { portraitPath } from '../responses/portrait-path.ts'
import { sendBytes } from '../responses/send-bytes.ts'
import type { Caller } from '../security/caller.ts'

type PortraitRoutesOptions = { storage: Pick<Storage, 'portraits'> }

export const portraitRoutes: FastifyPluginAsyncTypebox<
  PortraitRoutesOptions & { bodies: BodyReader }
> = async (app, { storage: { portraits }, bodies }) => {
  await app.register(pictureRoutes, { portraits, bodies })

  app.route({
    ...deletePortrait,
    handler: async ({ caller, params: { structureId } }, reply) => {
      permit(caller, structureId)
      await portraits.remove(structureId)
      return reply.code(204).send()
    },
  })

  app.route({
    ...setPositions,
    handler: async ({ caller, params: { structureId }, body: { positions } }, reply) => {
      permit(caller, structureId)
      const given = new Set<number>()
      for (const { stationId } of positions) {
        const { entry } = caller.findStation(stationId)
        if (entry.structure !== structureId)
          throw new RefusedError('invalid', `station ${stationId} is not of this structure`)
        if (given.has(stationId))
          throw new RefusedError('invalid', `station ${stationId} has two positions`)
        given.add(stationId)
      }
      await portraits.setPositions(
        structureId,
        positions.map(({ stationId, x, y }) => ({ station: stationId, x, y })),
      )
      return reply.code(204).send()
    },
  })
}

/** The operation whose body is a picture, of whatever media type. */
const pictureRoutes: FastifyPluginAsyncTypebox<{
  portraits: Storage['portraits']
  bodies: BodyReader
}> = async (app, { portraits, bodies }) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    bodies.read(request, (picture) => ({ picture })),
  )
  app.setValidatorCompiler(validatorCompiler)

  app.route({
    ...putPortrait,
    handler: async ({ caller, params: { structureId }, body: { picture } }) => {
      permit(caller, structureId)
      const type = pictureType(picture)
      if (type === undefined)
        throw new RefusedError('invalid', 'the body must be a JPEG, PNG or WebP picture')
      const hash = createHash('sha256').update(picture).digest('hex').slice(0, 32)
      await portraits.put(structureId, { type, hash, picture })
      return { portrait: portraitPath(structureId, { type, hash }) }
    },
  })
}

function permit(caller: Caller, structure: number): void {
  caller.findStructure(structure)
  caller.permit(structure)
}

/** Serves the pictures, below `/files`. A picture never changes: another one has another path. */
export const portraitFileRoutes: FastifyPluginAsyncTypebox<PortraitRoutesOptions> = async (
  app,
  { storage },
) => {
  app.get('/portraits/:name', { schema: { hide: true } }, async (request, reply) => {
    const { name } = request.params as { name: string }
    const [, structure = '', hash = ''] = /^(\d{1,10})-([0-9a-f]{32})\.\w+$/.exec(name) ?? []
    const found =
      structure === '' ? undefined : await storage.portraits.load(Number(structure), hash)
    if (found === undefined) throw new RefusedError('absent', 'There is no such picture.')
    permit(request.caller, Number(structure))
    void reply.header('cache-control', 'private, max-age=31536000, immutable')
    return sendBytes(reply, found.type, found.picture)
  })
}
