import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  goToCameraPreset,
  listCameraPresets,
  moveCamera,
  removeCameraPreset,
  saveCameraPreset,
  stopCamera,
} from '@plumbline/contract'
import type { Cameras } from '../../camera/cameras.ts'
import type { CameraControl } from '../../camera/ptz/camera-control.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Caller } from '../security/caller.ts'

type CameraControlOptions = Pick<Cameras, 'control'>

export const cameraControlRoutes: FastifyPluginAsyncTypebox<CameraControlOptions> = async (
  app,
  { control },
) => {
  const find = (caller: Caller, id: number): CameraControl => {
    const camera = caller.catalogue.cameras.find((one) => one.id === id)
    if (camera === undefined) throw new RefusedError('absent', `There is no camera ${id}.`)
    caller.permit(camera.structure, `camera ${id}`)
    return control.of(camera)
  }

  app.route({
    ...moveCamera,
    handler: async ({ caller, params: { cameraId: camera }, body, log }) => {
      const { pan, tilt, zoom } = body
      const controlled = find(caller, camera)
      if (pan === 0 && tilt === 0 && zoom === 0)
        throw new RefusedError('invalid', 'one of "pan", "tilt" and "zoom" must not be 0')
      const state = await controlled.move(body)
      log.info({ user: caller.userId, camera, ...body, state }, 'a camera was moved')
      return { state }
    },
  })

  app.route({
    ...stopCamera,
    handler: async ({ caller, params: { cameraId: camera }, log }, reply) => {
      await find(caller, camera).stop()
      log.info({ user: caller.userId, camera }, 'a camera was stopped')
      return reply.code(204).send()
    },
  })

  app.route({
    ...listCameraPresets,
    handler: ({ caller, params }) => find(caller, params.cameraId).listPresets(),
  })

  app.route({
    ...saveCameraPreset,
    handler: async ({ caller, params: { cameraId: camera }, body, log }) => {
      const preset = await find(caller, camera).savePreset(body.name)
      log.info(
        { user: caller.userId, camera, preset: preset.token },
        'a preset of a camera was saved',
      )
      return preset
    },
  })

  app.route({
    ...goToCameraPreset,
    handler: async ({ caller, params: { cameraId: camera, preset }, log }) => {
      const state = await find(caller, camera).goToPreset(preset)
      log.info({ user: caller.userId, camera, preset, state }, 'a camera was moved')
      return { state }
    },
  })

  app.route({
    ...removeCameraPreset,
    handler: async ({ caller, params: { cameraId: camera, preset }, log }, reply) => {
      await find(caller, camera).removePreset(preset)
      log.info({ user: caller.userId, camera, preset }, 'a preset of a camera was removed')
      return reply.code(204).send()
    },
  })
}
