import type {
  goToCameraPreset,
  listCameraPresets,
  moveCamera,
  removeCameraPreset,
  saveCameraPreset,
  stopCamera,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const cameraControl = {
  moveCamera: endpoint<typeof moveCamera, { defaults: 'pan' | 'tilt' | 'zoom' | 'seconds' }>({
    method: 'POST',
    url: '/cameras/:cameraId/ptz/move',
  }),
  stopCamera: endpoint<typeof stopCamera>({
    method: 'POST',
    url: '/cameras/:cameraId/ptz/stop',
  }),
  listCameraPresets: endpoint<typeof listCameraPresets>({
    method: 'GET',
    url: '/cameras/:cameraId/ptz/presets',
  }),
  saveCameraPreset: endpoint<typeof saveCameraPreset>({
    method: 'POST',
    url: '/cameras/:cameraId/ptz/presets',
  }),
  goToCameraPreset: endpoint<typeof goToCameraPreset>({
    method: 'POST',
    url: '/cameras/:cameraId/ptz/presets/:preset/goto',
  }),
  removeCameraPreset: endpoint<typeof removeCameraPreset>({
    method: 'DELETE',
    url: '/cameras/:cameraId/ptz/presets/:preset',
  }),
}
