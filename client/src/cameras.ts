import type { getCameraInfo, getCameraSnapshot, listCameras } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const cameras = {
  listCameras: endpoint<typeof listCameras>({ method: 'GET', url: '/user/camera/list' }),
  getCameraInfo: endpoint<
    typeof getCameraInfo,
    { defaults: 'channelNo' | 'quality' | 'expireTime' }
  >({ method: 'POST', url: '/camera/info', isRepeatable: true }),
}

export const cameraManagement = {
  getCameraSnapshot: endpoint<typeof getCameraSnapshot>({
    method: 'GET',
    url: '/cameras/:cameraId/snapshot',
  }),
}
