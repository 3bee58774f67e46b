import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  getCameraInfo,
  getCameraSnapshot,
  listCameras,
  STREAM_PROTOCOLS,
  type Camera,
  type CameraInfo,
  type StreamProtocol,
} from '@plumbline/contract'
import type { Cameras } from '../../camera/cameras.ts'
import type { GrantHolder } from '../../camera/grants/grant-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { CameraEntry } from '../../domain/site/site-entry.ts'
import { originOf } from '../requests/origin-of.ts'
import { sendBytes } from '../responses/send-bytes.ts'
import type { Caller } from '../security/caller.ts'

type CameraRoutesOptions = Pick<Cameras, 'grants' | 'addresses'> & {
  publicUrl: string
  now(): number
}

export const cameraRoutes: FastifyPluginAsyncTypebox<CameraRoutesOptions> = async (
  app,
  { grants, addresses, publicUrl, now },
) => {
  app.route({
    ...listCameras,
    handler: async ({ caller }) =>
      caller.catalogue.cameras.filter(({ structure }) => caller.maySee(structure)).map(toCamera),
  })

  app.route({
    ...getCameraInfo,
    handler: async (request): Promise<CameraInfo> => {
      const { caller, body } = request
      const protocols = readProtocols(body.protocol)
      const camera = getCamera(caller, body.serialNo, body.channelNo)
      const { quality } = body
      const expiresAt = now() + body.expireTime * 1000
      const grant = await grants.make(camera, { quality, holder: holderOf(caller), expiresAt })
      const played = { camera, quality, expires: Math.floor(expiresAt / 1000), grant }
      const urls = await addresses.list(protocols, played, originOf(request, publicUrl))
      const members = Array.from(urls, ([protocol, url]) => [`${protocol}_url`, url])
      const { zone } = caller.findStructure(camera.structure)
      return { data: { expireTime: zone.toLocal(expiresAt), ...Object.fromEntries(members) } }
    },
  })
}

const holderOf = ({ account, userNumber }: Caller): GrantHolder =>
  account === undefined ? { user: userNumber } : { account: account.id }

type CameraManageOptions = Pick<Cameras, 'pictures'>

export const cameraManageRoutes: FastifyPluginAsyncTypebox<CameraManageOptions> = async (
  app,
  { pictures },
) => {
  app.route({
    ...getCameraSnapshot,
    handler: async ({ caller, params: { cameraId } }, reply) => {
      const camera = caller.catalogue.cameras.find(({ id }) => id === cameraId)
      if (camera === undefined) throw new RefusedError('absent', `There is no camera ${cameraId}.`)
      caller.permit(camera.structure, `camera ${cameraId}`)
      const { jpeg } = await pictures.take(camera)
      return sendBytes(reply, getCameraSnapshot.produces, jpeg)
    },
  })
}

const toCamera = (camera: CameraEntry): Camera => ({
  id: camera.id,
  location: camera.location,
  serialNo: camera.serialNo,
  channelNo: camera.channelNo,
  hasPTZ: camera.hasPTZ,
  type: camera.type,
  IPCstructure: camera.structure,
})

function readProtocols(text: string): StreamProtocol[] {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  if (names.length > 0 && names.every(isProtocol)) return [...new Set(names)]
  throw new RefusedError(
    'invalid',
    `the body member "protocol" must be one or more of ${STREAM_PROTOCOLS.join(', ')}, joined by commas`,
  )
}

const isProtocol = (name: string): name is StreamProtocol =>
  STREAM_PROTOCOLS.some((protocol) => protocol === name)

function getCamera(caller: Caller, serialNo: string, channelNo: number): CameraEntry {
  const camera = caller.catalogue.cameras.find(
    (one) => one.serialNo === serialNo && one.channelNo === channelNo,
  )
  if (camera === undefined)
    throw new RefusedError(
      'absent',
      `There is no camera with this serial number and channel ${channelNo}.`,
    )
  caller.permit(camera.structure, 'this camera')
  return camera
}
