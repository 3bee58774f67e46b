import { Type, type Static } from 'typebox'
import { DatetimeString, Id, Jpeg } from './common.ts'
import { finding, operation } from './operation.ts'

export type Camera = Static<typeof Camera>
export const Camera = Type.Object({
  id: Id,
  location: Type.String(),
  serialNo: Type.String(),
  channelNo: Type.Integer(),
  hasPTZ: Type.Boolean(),
  type: Type.String(),
  IPCstructure: Id,
})

/** The stream protocols of playback addresses. */
export const STREAM_PROTOCOLS = ['hls', 'rtmp', 'flv'] as const

export type StreamProtocol = (typeof STREAM_PROTOCOLS)[number]

const DAY_SECONDS = 86_400

export type CameraInfo = Static<typeof CameraInfo>
export const CameraInfo = Type.Object({
  data: Type.Object({
    expireTime: DatetimeString,
    hls_url: Type.Optional(Type.String()),
    rtmp_url: Type.Optional(Type.String()),
    flv_url: Type.Optional(Type.String()),
  }),
})

export const listCameras = operation({
  operationId: 'listCameras',
  summary: 'List the cameras that the application may use',
  method: 'GET',
  url: '/user/camera/list',
  base: '/api/v1',
  noun: 'cameras',
  config: finding('Camera query failed'),
  schema: { response: { 200: Type.Array(Camera) } },
})

export const getCameraInfo = operation({
  operationId: 'getCameraInfo',
  summary: 'Get playback addresses of a camera',
  method: 'POST',
  url: '/camera/info',
  base: '/api/v1',
  noun: 'cameras',
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  config: finding('Camera query failed'),
  schema: {
    body: Type.Object({
      serialNo: Type.String({ minLength: 1 }),
      channelNo: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 1, notEmpty: true }),
      protocol: Type.String({
        minLength: 1,
        description: 'Stream protocols joined by commas: hls, rtmp, flv.',
      }),
      quality: Type.Union([Type.Literal('h'), Type.Literal('d')], {
        default: 'd',
        notEmpty: true,
        description: '`h` high definition, `d` standard definition.',
      }),
      expireTime: Type.Integer({
        minimum: 30,
        maximum: 720 * DAY_SECONDS,
        default: 1800,
        notEmpty: true,
        description: 'Seconds for which the addresses are valid.',
      }),
    }),
    response: { 200: CameraInfo },
  },
})

export const getCameraSnapshot = operation({
  operationId: 'getCameraSnapshot',
  summary: 'Take a picture with a camera',
  method: 'GET',
  url: '/cameras/:cameraId/snapshot',
  base: '/manage/v1',
  noun: 'cameras',
  produces: 'image/jpeg',
  config: finding('No picture'),
  schema: { params: Type.Object({ cameraId: Id }), response: { 200: Jpeg } },
})
