import { Type, type Static } from 'typebox'
import { Id, oneOf } from './common.ts'
import { operating, operation } from './operation.ts'

const speed = (description: string) =>
  Type.Number({ minimum: -1, maximum: 1, default: 0, description })

const State = oneOf(['moving', 'replaced'], {
  description: '`replaced`: a later command came in its place before it began.',
})

/** What became of a command that moves a camera. */
export type CameraMovement = Static<typeof CameraMovement>
export const CameraMovement = Type.Object({ state: State })

/** A stored position of a camera. */
export type CameraPreset = Static<typeof CameraPreset>
export const CameraPreset = Type.Object({
  token: Type.String({ description: 'By which the camera knows it.' }),
  name: Type.String(),
})

const cameraParams = { cameraId: Id }

const presetParams = {
  ...cameraParams,
  preset: Type.String({ minLength: 1, maxLength: 64, description: 'The token of the preset.' }),
}

export const moveCamera = operation({
  operationId: 'moveCamera',
  summary: 'Move a camera for some seconds',
  method: 'POST',
  url: '/cameras/:cameraId/ptz/move',
  base: '/manage/v1',
  noun: 'cameras',
  config: operating('Camera not moved'),
  schema: {
    params: Type.Object(cameraParams),
    body: Type.Object({
      pan: speed('Speed to the right; negative to the left.'),
      tilt: speed('Speed upwards; negative downwards.'),
      zoom: speed('Speed closer; negative away.'),
      seconds: Type.Number({
        minimum: 0.1,
        maximum: 10,
        default: 1,
        description: 'After which the camera stops.',
      }),
    }),
    response: { 200: CameraMovement },
  },
})

export const stopCamera = operation({
  operationId: 'stopCamera',
  summary: 'Stop a camera',
  method: 'POST',
  url: '/cameras/:cameraId/ptz/stop',
  base: '/manage/v1',
  noun: 'cameras',
  config: operating('Camera not stopped'),
  schema: { params: Type.Object(cameraParams), response: { 204: Type.Void() } },
})

export const listCameraPresets = operation({
  operationId: 'listCameraPresets',
  summary: 'List the presets of a camera',
  method: 'GET',
  url: '/cameras/:cameraId/ptz/presets',
  base: '/manage/v1',
  noun: 'cameras',
  config: operating('Presets not listed'),
  schema: { params: Type.Object(cameraParams), response: { 200: Type.Array(CameraPreset) } },
})

export const saveCameraPreset = operation({
  operationId: 'saveCameraPreset',
  summary: 'Save the position of a camera as a preset',
  method: 'POST',
  url: '/cameras/:cameraId/ptz/presets',
  base: '/manage/v1',
  noun: 'cameras',
  config: operating('Preset not saved'),
  schema: {
    params: Type.Object(cameraParams),
    body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }) }),
    response: { 200: CameraPreset },
  },
})

export const goToCameraPreset = operation({
  operationId: 'goToCameraPreset',
  summary: 'Move a camera to a preset',
  method: 'POST',
  url: '/cameras/:cameraId/ptz/presets/:preset/goto',
  base: '/manage/v1',
  noun: 'cameras',
  config: operating('Camera not moved'),
  schema: { params: Type.Object(presetParams), response: { 200: CameraMovement } },
})

export const removeCameraPreset = operation({
  operationId: 'removeCameraPreset',
  summary: 'Remove a preset of a camera',
  method: 'DELETE',
  url: '/cameras/:cameraId/ptz/presets/:preset',
  base: '/manage/v1',
  noun: 'cameras',
  config: operating('Preset not removed'),
  schema: { params: Type.Object(presetParams), response: { 204: Type.Void() } },
})
